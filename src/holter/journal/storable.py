"""What a journal can hold: what JSON can. Text in Unicode, finite numbers, booleans, None, lists, objects; and what has one JSON form that
the state's annotations can read back: times, UUIDs, bytes, sets, dataclasses, structs, pydantic models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from math import isfinite
from typing import Any

import msgspec

from holter.messages import surrogate

_DEEPEST = 100
"""Levels that are looked into for what is wrong; JSON itself may go deeper."""
_LONGEST_PATH = 200

REFUSED = (TypeError, ValueError, RecursionError, OverflowError)
"""What writing a value raises when JSON cannot hold it."""


class Problem(msgspec.Struct, frozen=True):
    """Why a value cannot be stored."""

    path: str
    """Where in the value: "rows[3].total"; empty for the value itself."""
    text: str
    """What stands there: "nan", "a DataFrame"."""


def _plain(value: Any) -> Any:
    """The JSON form of what msgspec does not know: a pydantic model's own."""
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no JSON form")


json_of = msgspec.json.Encoder(enc_hook=_plain).encode
"""A value as JSON. Raises one of `REFUSED` where there is none, but writes null for NaN and infinities: see `storable`."""


def storable(value: Any) -> Problem | None:
    """What keeps the value from being stored, or None. Costs no more than writing it, as long as no null stands in it."""
    return None if _is_storable(value) else _problem(value)


def non_finite(value: Any) -> bool:
    """Whether NaN or an infinity stands in a value that can be written."""
    return _has_non_finite(msgspec.to_builtins(value, enc_hook=_plain))


def _is_storable(value: Any) -> bool:
    try:
        written = json_of(value)
    except REFUSED:
        return False
    return b"null" not in written or not non_finite(value)


def _has_non_finite(plain: Any) -> bool:
    match plain:
        case float():
            return not isfinite(plain)
        case dict():
            return any(map(_has_non_finite, plain.values()))
        case list() | tuple():
            return any(map(_has_non_finite, plain))
        case _:
            return False


def _problem(value: Any) -> Problem:
    """The first thing in the value that is in the way, and where."""
    path = ""
    for _ in range(_DEEPEST):
        for step, child in _children(value):
            if not _is_storable(child):
                path, value = path + step, child
                break
        else:
            return Problem(_cut(path.lstrip(".")), _name(value))
    return Problem(_cut(path.lstrip(".")), f"more than {_DEEPEST} levels, or a value that is part of itself")


def _cut(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else path[:_LONGEST_PATH] + "…"


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            yield from ((_step(key), item) for key, item in value.items())
        case list() | tuple() | set() | frozenset():
            yield from ((f"[{at}]", item) for at, item in enumerate(value))
        case msgspec.Struct():
            yield from ((f".{name}", getattr(value, name)) for name in value.__struct_fields__)
        case _ if dataclasses.is_dataclass(value):
            yield from ((f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value))


def _step(key: Any) -> str:
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"


def _name(value: Any) -> str:
    match value:
        case str():
            return f"half a character (a lone surrogate), at character {surrogate.first(value)}"
        case float():
            return repr(value)
        case dict():
            wrong = next((key for key in value if not _is_storable({key: 0})), None)
            return f"an object with a key that is no text ({wrong!r:.80})"
        case _:
            kind = type(value).__name__
            return f"{'an' if kind[:1] in 'AEIOUaeiou' else 'a'} {kind}"
