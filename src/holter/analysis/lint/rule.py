"""What a rule is, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from holter.messages import Severity

ALWAYS = -1
"""The needs of a rule that looks at every conversation."""

Subject = Literal["conversation", "cut", "trace"]


class Found(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One place where a rule was broken; the run adds the rule's code, name and severity."""

    text: str
    message: int | None = None
    """Position in the normalised conversation."""
    index: int | None = None
    """Position in the source's own list."""
    path: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    severity: Severity | None = None
    """Where it is not the rule's own."""
    fixable: bool | None = None
    """Where it is not the rule's own."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of the catalogue."""

    code: str
    name: str
    severity: Severity
    check: Callable[[Any], Iterator[Found]]
    """Every place in an `Index` (or a `Cut`, or a `Trace`: see `about`) where the rule is broken, in order."""
    fix: str = ""
    """What a repair does, in a few words; "" where none is safe."""
    needs: int = ALWAYS
    """Facts of which a conversation must have one for the rule to be asked: `holter.analysis.lint.facts`."""
    about: Subject = "conversation"
    check_cut: Callable[[Any], Iterator[Found]] | None = None
    """What a rule about conversations finds in a `Cut` besides: what only the history before it shows."""
    profiled: bool = False
    """Whether the rule holds only for targets whose profile names it."""
