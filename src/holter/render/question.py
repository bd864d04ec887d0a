"""A question that a run asks a person, as lines."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from holter.render.call import call_lines
from holter.render.cut import PROSE
from holter.render.live_note import plain_value, value_lines
from holter.render.paragraph import indented, paragraph
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View

_MARK = span("? ", "bold yellow")


def question_lines(question: Any, view: View) -> list[Text]:
    """Whether a call may run; what became of one; a text; or a value, as it is."""
    width = view.measure - 2
    match plain_value(question):
        case {"type": "approval", "tool": str(name), "args": dict(args), **more}:
            why = paragraph(f"({more['reason']})", width) if more.get("reason") else []
            lines = [span("May this run?", "bold"), *why, *call_lines({"name": name, "args": args}, width, view)]
        case {"type": "unknown", "tool": str(name), "args": dict(args)}:
            asked = paragraph("This was started, and its process ended before it answered. What became of it?", width, "bold")
            ways = paragraph('again: run it again; {"result": …}: here is its result; fail: nobody knows', width, "dim")
            lines = [*asked, *call_lines({"name": name, "args": args}, width, view), *ways]
        case str(text):
            lines = paragraph(text.strip("\n"), width, "bold", view.limit(PROSE))
        case dict() as fields:
            lines = value_lines(fields, width, view)
        case value:
            lines = paragraph(compact(value), width, "bold", view.limit(PROSE))
    return indented(lines or [span("(an empty question)", "dim")], _MARK)
