"""How a person looks: the width, and how much of long texts."""

import msgspec

from holter.render.cut import WHOLE, Limit

_MEASURE = 110
"""Prose is not set wider than this, however wide the terminal."""
_BESIDE = 140
"""From this width on results stand beside their calls."""


class View(msgspec.Struct, frozen=True):
    """What the renderers need to know of the terminal and of the reader's wish."""

    width: int = 100
    """Of the terminal, in cells."""
    whole: bool = False
    """Whether long texts are shown whole."""

    @property
    def measure(self) -> int:
        """The width of prose."""
        return min(self.width, _MEASURE)

    @property
    def beside(self) -> bool:
        """Whether there is room for results beside their calls."""
        return self.width >= _BESIDE

    def limit(self, usual: Limit) -> Limit:
        """How much of a text is shown that is usually cut to `usual`."""
        return WHOLE if self.whole else usual
