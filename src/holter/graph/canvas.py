"""A layout as text: boxes and lines of box-drawing characters, or of ASCII."""

from __future__ import annotations

from typing import Final

from holter.graph.layout import Box, Layout, Line
from holter.render.wrap import cells

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_VERTICAL, _HORIZONTAL = _UP | _DOWN, _LEFT | _RIGHT

_SOLID: Final = {
    _UP: "│", _DOWN: "│", _VERTICAL: "│", _LEFT: "─", _RIGHT: "─", _HORIZONTAL: "─",
    _DOWN | _RIGHT: "┌", _DOWN | _LEFT: "┐", _UP | _RIGHT: "└", _UP | _LEFT: "┘",
    _VERTICAL | _RIGHT: "├", _VERTICAL | _LEFT: "┤", _HORIZONTAL | _DOWN: "┬", _HORIZONTAL | _UP: "┴", _VERTICAL | _HORIZONTAL: "┼",
}  # fmt: skip
_ROUND: Final = {_DOWN | _RIGHT: "╭", _DOWN | _LEFT: "╮", _UP | _RIGHT: "╰", _UP | _LEFT: "╯"}
_DOTTED: Final = {"│": "╎", "─": "╌"}
_HEADS: Final = {"down": "▼", "left": "◄"}

_ASCII: Final[dict[str | int, str | int | None]] = {
    **dict.fromkeys("│", "|"), **dict.fromkeys("─", "-"), **dict.fromkeys("┌┐└┘├┤┬┴┼", "+"),
    **dict.fromkeys("╭╮", "."), **dict.fromkeys("╰╯", "'"), "╎": ":", "╌": ".", "▼": "v", "◄": "<", "…": "~",
}  # fmt: skip

_FRAME = -1
"""The number of what belongs to a box and not to an arrow."""


class _Canvas:
    """Cells, each with the directions in which lines leave it, by the number of the line."""

    def __init__(self) -> None:
        self.strokes: dict[tuple[int, int], dict[int, int]] = {}
        self.dotted: set[int] = set()
        self.round: set[tuple[int, int]] = set()
        self.texts: dict[tuple[int, int], str] = {}
        """A wide character is followed by a cell with no text."""

    def line(self, line: Line, number: int) -> None:
        if line.is_dotted:
            self.dotted.add(number)
        for (x0, y0), (x1, y1) in zip(line.points, line.points[1:], strict=False):
            dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
            ahead, behind = (_RIGHT if dx > 0 else _LEFT, _LEFT if dx > 0 else _RIGHT) if dx else (_DOWN, _UP) if dy > 0 else (_UP, _DOWN)
            x, y = x0, y0
            while (x, y) != (x1, y1):
                self._stroke(x, y, number, ahead)
                x, y = x + dx, y + dy
                self._stroke(x, y, number, behind)

    def box(self, box: Box) -> None:
        right, bottom = box.x + box.width - 1, box.y + box.height - 1
        corners = [(box.x, box.y), (right, box.y), (right, bottom), (box.x, bottom)]
        self.line(Line([*corners, corners[0]], False), _FRAME)
        if box.is_end:
            self.round.update(corners)
        self.text(box.text, box.x + (box.width - cells(box.text)) // 2, box.y + box.height // 2)

    def text(self, text: str, x: int, y: int) -> None:
        for character in text:
            width = cells(character)
            if width == 0:
                self.texts[x - 1, y] = self.texts.get((x - 1, y), "") + character
                continue
            self.texts[x, y] = character
            if width == 2:
                self.texts[x + 1, y] = ""
            x += width

    def _stroke(self, x: int, y: int, number: int, direction: int) -> None:
        cell = self.strokes.setdefault((x, y), {})
        cell[number] = cell.get(number, 0) | direction

    def character(self, x: int, y: int) -> str:
        if (x, y) in self.texts:
            return self.texts[x, y]
        strokes = self.strokes.get((x, y))
        if not strokes:
            return " "
        bits = 0
        for direction in strokes.values():
            bits |= direction
        if _FRAME in strokes:
            return _ROUND[bits] if (x, y) in self.round else _SOLID[bits]
        if _crosses(list(strokes.values())):
            bits = _VERTICAL
        found = _SOLID[bits]
        shown = [number for number, direction in strokes.items() if direction & bits]
        return _DOTTED.get(found, found) if all(number in self.dotted for number in shown) else found


def _crosses(strokes: list[int]) -> bool:
    """Whether lines pass here that have nothing to do with one another: the horizontal one is drawn as if it went below."""
    return any(stroke == _VERTICAL for stroke in strokes) and any(stroke == _HORIZONTAL for stroke in strokes)


def text_of(layout: Layout, *, is_ascii: bool = False) -> str:
    """The drawing as lines without blanks at their ends."""
    canvas = _Canvas()
    for box in layout.boxes:
        canvas.box(box)
    for number, line in enumerate(layout.lines):
        canvas.line(line, number)
    for head in layout.heads:
        canvas.text(_HEADS[head.direction], head.x, head.y)
    for label in layout.labels:
        canvas.text(label.text, label.x, label.y)
    rows = ["".join(canvas.character(x, y) for x in range(layout.width)).rstrip() for y in range(layout.height)]
    text = "\n".join(rows)
    return text.translate(str.maketrans(_ASCII)) if is_ascii else text
