"""Findings as lines: what, where, and what to do."""

from rich.text import Text

from holter.messages import Finding
from holter.render.control import one_line
from holter.render.paragraph import indented, paragraph
from holter.render.span import span
from holter.render.view import View
from holter.render.wrap import wrap

_STYLE = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}


def finding_lines(finding: Finding, source: str | None, view: View) -> list[Text]:
    """The severity, code and place in one line, the text and the hint below."""
    title = f"{finding.severity} {finding.code} {finding.name}"
    first, *others = wrap(f"{title}  {where(finding, source)}", view.width)
    line = span(first)
    line.stylize(_STYLE[finding.severity], 0, len(finding.severity))
    line.stylize("dim", len(title))
    body = paragraph(finding.text, view.measure - 4)
    hint = paragraph(finding.hint, view.measure - 4, "dim") if finding.hint else []
    return [line, *(span(other, "dim") for other in others), *indented([*body, *hint], span(" " * 4))]


def where(finding: Finding, source: str | None) -> str:
    """`log.json:12:4`, the JSON path, the message: as much of it as is known."""
    parts = []
    if finding.line is not None:
        parts.append(":".join(str(part) for part in (one_line(source or "-"), finding.line, finding.column) if part is not None))
    if finding.path:
        parts.append(one_line(finding.path))
    if finding.message is not None:
        parts.append(f"message {finding.message}")
    return " · ".join(parts)
