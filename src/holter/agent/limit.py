"""What bounds a run. A limit ends it with the status "limit", a valid history, and a sentence that says which and where."""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one run. None is no bound; 0 is refused, since a run that may do nothing is none. ValueError names what cannot be.

    All are checked before each request to the model, so a run may go beyond a bound on tokens or cost by one answer.
    """

    steps: int | None = 50
    """Requests to the model."""
    tokens: int | None = None
    """Tokens of all requests and answers together, as the answers' usage says. Each request counts its whole history again, as it is
    paid."""
    cost_usd: float | None = None
    """What they cost, in US dollars, by the prices in genai-prices (`pip install "holter[tokens]"`)."""
    seconds: float | None = None
    """How long the run may take. This one ends it in the middle of an answer or a call, too."""
    repeats: int | None = 5
    """How often in a row one call may come to the same result."""

    def __post_init__(self) -> None:
        for name, least, is_whole in _BOUNDS:
            value = getattr(self, name)
            if value is not None and not _is_bound(value, least, is_whole):
                kind = "a whole number" if is_whole else "a number"
                raise ValueError(
                    f"the limit {name!r} is {kind} of {least or 'more than 0'}{' or more' * bool(least)}, or None, found {value!r}"
                )


_BOUNDS = (("steps", 1, True), ("tokens", 1, True), ("cost_usd", 0, False), ("seconds", 0, False), ("repeats", 2, True))
"""Name, the least value that it may have (0: more than that), and whether it is a whole number."""


def _is_bound(value: Any, least: int, is_whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float) or not isfinite(value):
        return False
    return value >= least if least else value > 0


def limits_of(given: Any) -> Limits:
    """The limits that a caller gave: `Limits`, a dict of them, or None for the usual ones. TypeError for anything else."""
    match given:
        case None:
            return Limits()
        case Limits():
            return given
        case dict() if given.keys() <= set(Limits.__struct_fields__):
            return Limits(**given)
    known = ", ".join(Limits.__struct_fields__)
    raise TypeError(f"limits are a Limits or a dict with some of {known}, found {given!r}")
