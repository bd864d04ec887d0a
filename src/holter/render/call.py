"""Tool calls as lines: `name(key=value, …)` where that fits, one argument a line where not."""

from typing import Any

from rich.text import Text

from holter.render.control import one_line
from holter.render.cut import MATERIAL
from holter.render.paragraph import indented, paragraph
from holter.render.quantity import plural
from holter.render.span import span
from holter.render.value import compact, fields
from holter.render.view import View
from holter.render.wrap import cells

_ARROW = span("→ ", "yellow")
_NAME = "bold yellow"


def call_lines(call: dict[str, Any], width: int, view: View) -> list[Text]:
    """The call; an invalid one with the reason and the text the model wrote."""
    return indented(_lines(call, width - 2, view), _ARROW)


def brief(call: dict[str, Any]) -> str:
    """What names a call in a sentence: its tool's name."""
    return one_line(str(call.get("name") or "a call without a name"))


def _lines(call: dict[str, Any], width: int, view: View) -> list[Text]:
    args = call.get("args")
    if call.get("type") == "invalid_tool_call" or not isinstance(args, dict):
        return _invalid(call, width, view)
    name = brief(call)
    line = f"({', '.join(f'{one_line(str(key))}={compact(value)}' for key, value in args.items())})"
    if not _has_lines(args) and cells(name) + cells(line) <= width:
        return [span(name, _NAME) + span(line)]
    return [span(name, _NAME), *indented(_cut(fields(args, width - 2), view), span("  "))]


def _cut(lines: list[Text], view: View) -> list[Text]:
    limit = view.limit(MATERIAL).lines
    if len(lines) <= limit + 3:
        return lines
    return [*lines[:limit], span(f"… {plural(len(lines) - limit, 'more line')} (--full)", "dim italic")]


def _has_lines(args: dict[str, Any]) -> bool:
    return any(isinstance(value, str) and "\n" in value for value in args.values())


def _invalid(call: dict[str, Any], width: int, view: View) -> list[Text]:
    raw = call.get("args")
    text = raw if isinstance(raw, str) else compact(raw)
    reason = paragraph(f"{brief(call)}: invalid call, {call.get('error') or 'without a reason'}", width, "red")
    return [*reason, *indented(paragraph(text, width - 2, "", view.limit(MATERIAL)), span("  "))] if text else reason
