"""Keys of a cache: the same for equal values, whatever the order of their keys, and different for values of different types.

1, 1.0, True and "1" are four values, a tuple is no list, every NaN is one value, and 0.0 is not -0.0. What has no value that could be told
from another's (a connection, a generator) makes no key.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import struct
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

import msgspec

_DEEPEST = 150
_LENGTH = 40
"""Characters of a key: 160 bits."""

_BY_TEXT = (datetime, date, time, timedelta, Decimal, Fraction, UUID, PurePath)


class NoKey(Exception):
    """A value stands in the way of a key; the text says where and which."""


def digest(values: Iterable[Any]) -> str:
    """A key of the values, in their order: 40 hexadecimal digits. Raises NoKey."""
    made = hashlib.sha256()
    for value in values:
        _feed(made.update, value, 0)
    return made.hexdigest()[:_LENGTH]


def _feed(put: Callable[[bytes], Any], value: Any, depth: int) -> None:
    """Puts in the value, so that no other value puts in the same: a letter for the type, and a length where there is no end to see."""
    if depth > _DEEPEST:
        raise NoKey(f"something is nested more than {_DEEPEST} levels deep")
    kind = type(value)
    if kind is str:
        _feed_text(put, b"s", value)
    elif value is None:
        put(b"n")
    elif kind is bool:
        put(b"T" if value else b"F")
    elif kind is int:
        _feed_text(put, b"i", f"{value:x}")
    elif kind is float:
        put(b"f" + (b"nan" if math.isnan(value) else struct.pack(">d", value)))
    elif kind is dict:
        _feed_pairs(put, b"d", value, depth)
    elif kind in (list, tuple):
        put(b"l%d;" % len(value) if kind is list else b"t%d;" % len(value))
        for item in value:
            _feed(put, item, depth + 1)
    else:
        _feed_other(put, value, depth)


def _feed_text(put: Callable[[bytes], Any], letter: bytes, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    put(b"%b%d;" % (letter, len(data)))
    put(data)


def _feed_pairs(put: Callable[[bytes], Any], letter: bytes, pairs: dict[Any, Any], depth: int) -> None:
    """A mapping, in the order of its keys' digests where they cannot be compared."""
    put(b"%b%d;" % (letter, len(pairs)))
    is_text = all(type(key) is str for key in pairs)
    for key in sorted(pairs) if is_text else sorted(pairs, key=lambda key: _apart(key, depth)):
        _feed(put, key, depth + 1)
        _feed(put, pairs[key], depth + 1)


def _apart(value: Any, depth: int) -> bytes:
    made = hashlib.sha256()
    _feed(made.update, value, depth + 1)
    return made.digest()


def _feed_other(put: Callable[[bytes], Any], value: Any, depth: int) -> None:
    """What is no plain JSON: its class, and what it consists of."""
    kind = type(value)
    _feed_text(put, b"c", f"{kind.__module__}.{kind.__qualname__}")
    if isinstance(value, bytes | bytearray):
        put(b"b%d;" % len(value))
        put(bytes(value))
    elif isinstance(value, Enum):
        _feed_text(put, b"e", value.name)
    elif isinstance(value, _BY_TEXT):
        _feed_text(put, b"r", repr(value))
    elif isinstance(value, set | frozenset):
        put(b"S%d;" % len(value))
        for item in sorted(_apart(item, depth) for item in value):
            put(item)
    elif (fields := _fields(value)) is not None:
        _feed_pairs(put, b"o", fields, depth)
    else:
        raise NoKey(f"a value of type {kind.__qualname__} cannot be told from others of its kind")


def _fields(value: Any) -> dict[Any, Any] | None:
    """What a value consists of, where its type says so."""
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return dict(value.__dict__)
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in type(value).__attrs_attrs__}
    match value:
        case str() | int() | float():  # a subclass of theirs
            return {"": next(base(value) for base in (str, int, float) if isinstance(value, base))}
        case dict():
            return dict(value)
        case list() | tuple():
            return {"": list(value)}
        case _:
            return None
