"""Which bracket closes which, in a text that is not read any further than that."""

import re
from array import array

_MARK = re.compile(r"""[\[\]{}()]|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""")
"""A bracket, or a string on one line, whose brackets do not count."""


class Brackets:
    """The brackets of one text. All of them are paired at the first question, so that the work stays linear however often it is asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._paired_from = len(text)
        self._partners = array("i")

    def partner(self, at: int) -> int:
        """Behind the bracket that closes the one at `at`; beyond the text when none does."""
        if at < self._paired_from:
            self._pair(at)
        end = self._partners[at - self._paired_from] if at < len(self._text) else 0
        return at + end if end else len(self._text) + 1

    def close(self, at: int, limit: int) -> int:
        """As `partner`, looking no farther than `limit` characters; `at` when it is not there."""
        depth = 0
        for mark in _MARK.finditer(self._text, at, at + limit):
            depth += _step(mark.group())
            if depth <= 0:
                return mark.end()
        return at

    def _pair(self, start: int) -> None:
        self._paired_from = start
        self._partners = array("i", bytes(4 * (len(self._text) - start)))
        open_ = array("i")
        for mark in _MARK.finditer(self._text, start):
            step = _step(mark.group())
            if step > 0:
                open_.append(mark.start() - start)
            elif step < 0 and open_:
                opened = open_.pop()
                self._partners[opened] = mark.end() - start - opened


def _step(mark: str) -> int:
    return 1 if mark in ("[", "{", "(") else -1 if mark in ("]", "}", ")") else 0
