"""A layout as an SVG: one file, no fonts or styles from elsewhere, readable on light and on dark paper.

Boxes bring their own paper, so what stands in them can be read whatever is behind; lines and their labels have a grey that shows on both.
Where the viewer says that it is dark, boxes are dark, too.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise

from holter.graph.layout import Box, Head, Label, Layout, Line

_COLUMN, _ROW = 8, 15
"""Pixels of a cell."""
_MARGIN = 12
_CORNER = 6
_FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

_STYLE = (
    ".holter-box{fill:#f4f6fb;stroke:#5b6b8c}.holter-end{fill:#e3e9f7}.holter-name{fill:#1b2333}"
    ".holter-line{fill:none;stroke:#7b879d}.holter-head{fill:#7b879d}.holter-label{fill:#7b879d}"
    "@media (prefers-color-scheme:dark){.holter-box{fill:#222a3a;stroke:#8b9ab8}.holter-end{fill:#33405c}.holter-name{fill:#e8ecf5}}"
)


def svg_of(layout: Layout, title: str) -> str:
    """The drawing; `title` is what somebody hears who cannot see it."""
    width, height = layout.width * _COLUMN + 2 * _MARGIN, layout.height * _ROW + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<g font-family="{escape(_FONT)}" font-size="13" text-anchor="middle" stroke-width="1.4" stroke-linejoin="round">',
        *map(_line, layout.lines),
        *map(_head, layout.heads),
        *map(_box, layout.boxes),
        *map(_label, layout.labels),
        "</g></svg>",
    ]
    return "\n".join(parts)


def _x(column: float) -> float:
    return _MARGIN + (column + 0.5) * _COLUMN


def _y(row: float) -> float:
    return _MARGIN + (row + 0.5) * _ROW


def _box(box: Box) -> str:
    x, y = _x(box.x), _y(box.y)
    width, height = (box.width - 1) * _COLUMN, (box.height - 1) * _ROW
    radius, kind = (height / 2, "holter-box holter-end") if box.is_end else (5, "holter-box")
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>'
        f'<text class="holter-name" x="{x + width / 2:g}" y="{y + height / 2 + 4.5:g}">{escape(box.text)}</text>'
    )


def _label(label: Label) -> str:
    x = _x(label.x - 0.5) + label.width * _COLUMN / 2
    return f'<text class="holter-label" x="{x:g}" y="{_y(label.y) + 4.5:g}">{escape(label.text)}</text>'


def _line(line: Line) -> str:
    dashes = ' stroke-dasharray="4 3"' if line.is_dotted else ""
    return f'<path class="holter-line" d="{_rounded([(_x(x), _y(y)) for x, y in line.points])}"{dashes}/>'


def _rounded(points: list[tuple[float, float]]) -> str:
    """A path through the points, its corners rounded."""
    steps = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for before, (corner, after) in zip(points, pairwise(points[1:]), strict=False):
        steps.append(f"L{_toward(corner, before)}Q{corner[0]:g} {corner[1]:g} {_toward(corner, after)}")
    return "".join([*steps, f"L{points[-1][0]:g} {points[-1][1]:g}"])


def _toward(corner: tuple[float, float], other: tuple[float, float]) -> str:
    """The point from which a corner is rounded, on the way to the next point."""
    length = abs(other[0] - corner[0]) + abs(other[1] - corner[1])
    part = min(_CORNER, length / 2) / length
    return f"{corner[0] + (other[0] - corner[0]) * part:g} {corner[1] + (other[1] - corner[1]) * part:g}"


def _head(head: Head) -> str:
    """From the middle of its cell to the box: the end of the line, and the head."""
    x, y = _x(head.x), _y(head.y)
    if head.direction == "down":
        tip = y + _ROW
        shape = f"M{x - 4:g} {tip - 8:g}L{x + 4:g} {tip - 8:g}L{x:g} {tip - 0.7:g}Z"
        line = f"M{x:g} {y:g}L{x:g} {tip - 8:g}"
    else:
        tip = x - _COLUMN
        shape = f"M{tip + 8:g} {y - 4:g}L{tip + 8:g} {y + 4:g}L{tip + 0.7:g} {y:g}Z"
        line = f"M{x:g} {y:g}L{tip + 8:g} {y:g}"
    return f'<path class="holter-line" d="{line}"/><path class="holter-head" d="{shape}"/>'
