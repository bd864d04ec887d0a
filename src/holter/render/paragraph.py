"""Texts of a log as styled lines."""

from rich.text import Text

from holter.render.control import visible
from holter.render.cut import Limit, cut
from holter.render.span import span
from holter.render.wrap import cells, pad, wrap


def paragraph(text: str, width: int, style: str = "", limit: Limit | None = None) -> list[Text]:
    """The text in lines of at most `width` cells, dangerous characters made visible; cut to `limit`, and then with a note."""
    shown, note = cut(text, limit) if limit else (text, "")
    lines = [span(line, style) for line in wrap(visible(shown), width)]
    return [*lines, span(note, "dim italic")] if note else lines


def indented(lines: list[Text], first: Text, rest: str = "") -> list[Text]:
    """The lines with `first` before the first and `rest` before the others; as many blanks as `first` is wide when `rest` is empty."""
    blank = rest or " " * cells(first.plain)
    return [(first if i == 0 else span(blank)) + line for i, line in enumerate(lines)]


def beside(left: list[Text], right: list[Text], left_width: int) -> list[Text]:
    """Two blocks in two columns; the lines of the left one are at most `left_width` wide."""
    rows = max(len(left), len(right))
    filled = [*left, *[Text()] * (rows - len(left))]
    return [
        line + span(pad("", left_width - cells(line.plain))) + (right[row] if row < len(right) else Text())
        for row, line in enumerate(filled)
    ]


def with_time(lines: list[Text], time: str, width: int) -> list[Text]:
    """The lines with the time at the right end of the first one, which must leave room for it."""
    if not time or not lines:
        return lines
    first = lines[0] + span(" " * (width - cells(lines[0].plain) - len(time))) + span(time, "dim")
    return [first, *lines[1:]]
