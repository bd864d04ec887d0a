"""What a comparison found, as values."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["same", "changed", "removed", "added"]
"""In both and equal; in both and different; only in the first; only in the second."""

Aspect: TypeAlias = Literal[
    "text", "reasoning", "call", "argument", "status", "answers", "name", "model", "finish", "usage", "timing", "id", "field"
]
"""What of a message changed. `answers` is the call that a result answers."""


class Change(msgspec.Struct, frozen=True):
    """One thing that is different in two messages."""

    aspect: Aspect
    path: str
    """Which: of a call "calls[0]", of an argument "calls[0].args.city", of usage "output_tokens"; empty for a text."""
    a: Any
    """What it is in the first; None where it is not there."""
    b: Any
    label: str = ""
    """Of a call or an argument the tool's name."""

    @property
    def counts(self) -> bool:
        """Whether two logs are different because of it: times differ between any two runs."""
        return self.aspect != "timing"


class Pair(msgspec.Struct, frozen=True):
    """One place of the alignment."""

    kind: Kind
    a: int | None
    """Position in the first; None where it is not there."""
    b: int | None
    changes: list[Change] = []
    """Of "changed"; of "same" only what does not count."""


class Difference(msgspec.Struct, frozen=True):
    """Two conversations compared."""

    pairs: list[Pair]
    """In order."""
    around: list[Change] = []
    """What is different around the messages: tools that were offered."""
    not_compared: list[str] = []
    """What one of the two does not say, so that nobody can tell: "usage"."""

    @property
    def is_empty(self) -> bool:
        """Whether both are the same."""
        return not self.around and all(pair.kind == "same" for pair in self.pairs)

    @property
    def first(self) -> Pair | None:
        """The first place where they part."""
        return next((pair for pair in self.pairs if pair.kind != "same"), None)
