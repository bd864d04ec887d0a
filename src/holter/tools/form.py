"""How values of one type look in JSON, and how they are made from it."""

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any, TypeAlias

import msgspec

from holter.tools.json_schema import Schema

Decode: TypeAlias = Callable[[Any], Any]
Place: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the arguments down to a value."""


class Form(msgspec.Struct, frozen=True):
    """One type's schema and its decoder."""

    schema: Schema
    """What validation checks; it holds keywords of our own, which `shown` in `tools/offer` turns into JSON Schema's."""
    decode: Decode | None = None
    """Makes the Python value from a JSON value that the schema accepts; None where the JSON value is the Python value."""


class Refused(Exception):
    """A value that its schema accepts and its type does not: a constructor or a validator of the user's own said no."""

    def __init__(self, *reasons: tuple[Place, str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


def each(parts: Iterable[tuple[str | int, Decode | None, Any]]) -> list[Any]:
    """The decoded values, in their order, from (key or position, decoder, JSON value); Refused with all the reasons, each at its place."""
    values: list[Any] = []
    reasons: list[tuple[Place, str]] = []
    for key, decode, value in parts:
        try:
            values.append(value if decode is None else decode(value))
        except Refused as refused:
            reasons += [((key, *place), reason) for place, reason in refused.reasons]
    if reasons:
        raise Refused(*reasons)
    return values


def built(build: Callable[[], Any], failures: type[Exception] | tuple[type[Exception], ...] = Exception) -> Any:
    """What `build` makes; Refused with what it raised. By default anything, since a constructor is the user's own code."""
    try:
        return build()
    except Refused:
        raise
    except failures as error:
        raise Refused(((), f"{error}" or type(error).__name__)) from error


def copied(value: Any) -> Any:
    """A JSON value that shares no list or object with `value`, so that a tool may change it; Refused where it is no JSON.

    The arguments lie in a message, and a message does not change.
    """
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise Refused(((), "it has a key that is no text; JSON has text keys only"))
        return dict(zip(value, each((key, copied, item) for key, item in value.items()), strict=True))
    if isinstance(value, list):
        return each((position, copied, item) for position, item in enumerate(value))
    if isinstance(value, float) and not isfinite(value):
        raise Refused(((), f"{value} is no JSON number; give a finite one"))
    return value


ANYTHING = Form({}, copied)
