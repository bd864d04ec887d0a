"""Text that is written while it comes: set in lines as `wrap` sets them, and what is written once stays as it is."""

from __future__ import annotations

from rich.cells import chop_cells
from rich.text import Text

from holter.render.control import visible
from holter.render.cut import WHOLE, Limit
from holter.render.quantity import plural
from holter.render.span import span
from holter.render.wrap import cells, pieces

_TAB = 4


class Prose:
    """A growing text. The last word is kept back until it is known where it ends, and blanks and empty lines until something follows."""

    def __init__(self, margin: Text, width: int, style: str = "", limit: Limit = WHOLE) -> None:
        """`margin` stands before every line, `width` is that of the lines without it; what goes beyond `limit` is only counted."""
        self._margin, self._width, self._style, self._limit = margin, max(width, 8), style, limit
        self._shown: list[Text] = []
        """What is to be written next."""
        self._word = self._gap = ""
        """The last word so far, and the blanks before it."""
        self._breaks = 1
        """How many lines begin before the next word."""
        self._column = self._hang = self._lines = self._characters = self._left_out = 0

    def add(self, text: str) -> Text:
        """What is to be written when this has come."""
        *ended, last = (self._word + text).split("\n")
        for line in ended:
            self._place(pieces(line))
            self._breaks += 1 if self._lines or self._left_out else 0
            self._gap = ""
        *words, self._word = pieces(last) or [""]
        self._place(words)
        return self._taken()

    def end(self) -> Text:
        """What is to be written when nothing more comes, up to the end of the last line; nothing where nothing was said."""
        self._place(pieces(self._word))
        self._word = ""
        if self._left_out:
            self._begin_line()
            self._shown.append(span(f"… {plural(self._left_out, 'more character')} (--full)", "dim italic"))
        if self._lines:
            self._shown.append(span("\n"))
        return self._taken()

    def _taken(self) -> Text:
        shown, self._shown = self._shown, []
        return Text().join(shown)

    def _place(self, words: list[str]) -> None:
        for word in words:
            if word.isspace():
                self._gap += word
            elif self._is_full(word):
                self._left_out += len(self._gap) + len(word) + self._breaks
                self._gap, self._breaks = "", 0
            else:
                self._write(visible(word))

    def _is_full(self, word: str) -> bool:
        too_long = self._lines + self._breaks > self._limit.lines or self._characters + len(word) > self._limit.characters
        return too_long or self._left_out > 0

    def _write(self, word: str) -> None:
        """The word, on this line if it fits there, else on the next; one that is wider than a line is cut."""
        gap, self._gap = self._gap.expandtabs(_TAB), ""
        if self._breaks:
            self._hang = min(cells(gap), self._width // 2)
            self._begin_line(self._breaks)
            self._breaks = 0
            self._put(gap if cells(gap) == self._hang else " " * self._hang)
            gap = ""
        if self._column + cells(gap) + cells(word) <= self._width:
            self._put(gap + word)
            return
        if self._column > self._hang:
            self._go_on_below()
        first, *others = chop_cells(word, self._width - self._hang)
        self._put(first)
        for other in others:
            self._go_on_below()
            self._put(other)

    def _begin_line(self, lines: int = 1) -> None:
        """Begins so many lines; only the last one is to hold something."""
        empty = self._margin.copy()
        empty.rstrip()
        for _ in range(lines - 1):
            self._shown += [*self._ended(), empty]
            self._lines += 1
        self._shown += [*self._ended(), self._margin]
        self._lines += 1
        self._column = 0

    def _ended(self) -> list[Text]:
        return [span("\n")] if self._lines else []

    def _go_on_below(self) -> None:
        self._begin_line()
        self._put(" " * self._hang)

    def _put(self, text: str) -> None:
        if text:
            self._shown.append(span(text, self._style))
            self._column += cells(text)
            self._characters += len(text)
