"""Rows as a table for a terminal, as wide as its widest cells and never wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from holter.render.control import one_line
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View
from holter.render.wrap import cells, pad, shorten

_GAP = "  "
_NARROWEST = 6


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], view: View) -> Iterator[Text]:
    """The names of the columns, then each row; numbers stand to the right. Cells that do not fit are cut."""
    shown = [[_cell(value) for value in row] for row in rows]
    names = [one_line(name) for name in columns]
    widths = _widths([max([cells(name), *(cells(row[at]) for row in shown)]) for at, name in enumerate(names)], view.width)
    numeric = [
        any(_is_number(row[at]) for row in rows) and all(_is_number(row[at]) or row[at] is None for row in rows) for at in range(len(names))
    ]
    yield span(_row(names, widths, numeric), "dim")
    for row in shown:
        yield span(_row(row, widths, numeric))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return one_line(compact(value)) if isinstance(value, dict | list | tuple) else one_line(str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _widths(wanted: list[int], room: int) -> list[int]:
    """The widths, the widest made narrower until all fit."""
    widths = list(wanted)
    left = room - len(_GAP) * (len(widths) - 1)
    while widths and sum(widths) > left and max(widths) > _NARROWEST:
        most = max(widths)
        at = widths.index(most)
        next_most = max([_NARROWEST, *(width for width in widths if width < most)])
        widths[at] = max(next_most, most - (sum(widths) - left))
    return widths


def _row(values: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    parts = []
    for value, width, is_number in zip(values, widths, numeric, strict=True):
        cut = shorten(value, width)
        parts.append(" " * (width - cells(cut)) + cut if is_number else pad(cut, width))
    return _GAP.join(parts).rstrip()
