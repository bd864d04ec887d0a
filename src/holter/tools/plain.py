"""Any value of a tool in JSON's types, without an error and without an end that never comes.

| value | becomes |
| --- | --- |
| None, bool, int, float, str | itself; NaN and infinities null; an int of more digits than Python writes its hexadecimal text |
| mapping, Struct, dataclass, attrs class, pydantic model | an object, fields in their order |
| list, tuple, deque, view of a mapping | an array; a set too, sorted, since its order changes from run to run |
| Enum | its value |
| datetime, date, time, timedelta | ISO 8601 text ("PT5400S") |
| Decimal, Fraction, UUID, path | their text |
| bytes, bytearray, memoryview | `{"type": "bytes", "base64": "…"}` |
| array, scalar, tensor of NumPy and its like | its numbers, up to 10,000 of them; else their own short text |
| anything else | `str()`; iterators and generators are not consumed |

What is part of itself or stands deeper than 100 levels becomes "…".
"""

from __future__ import annotations

import array
import dataclasses
import json
import sys
from base64 import b64encode
from collections import deque
from collections.abc import ItemsView, KeysView, Mapping, Set, ValuesView
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite, prod
from pathlib import PurePath
from typing import Any
from uuid import UUID

import msgspec

_DEEPEST = 100
_LONGEST_INT_BITS = 14_000
"""Python refuses to write a number of more than 4,300 decimal digits, which is 14,284 bits."""
_MOST_NUMBERS = 10_000
_MOST_VALUES = 1_000_000
"""Values that are written in all: a list that holds one list twice, which holds one twice, … has no end one lives to see."""
_LEFT_OUT = "…"


class Plain:
    """Makes one value plain and keeps what that cost."""

    def __init__(self) -> None:
        self.non_finite: list[str] = []
        """NaN and infinities that became null, in order."""
        self._above: set[int] = set()
        """ids of what holds the value at hand."""
        self._left = _MOST_VALUES

    def of(self, value: Any) -> Any:
        """The value in JSON's types."""
        self._left -= 1
        if self._left < 0 or len(self._above) == _DEEPEST or id(value) in self._above:
            return _LEFT_OUT
        self._above.add(id(value))
        try:
            return self._of(value)
        except Exception:  # noqa: BLE001 - fields, items and conversions of a class of the user's own
            return text_of(value)
        finally:
            self._above.discard(id(value))

    def _of(self, value: Any) -> Any:
        match value:
            case Enum():
                return self.of(value.value)
            case None | bool():
                return value
            case str():
                return str.__str__(value)
            case int():
                return int(value) if value.bit_length() <= _LONGEST_INT_BITS else hex(value)
            case float():
                return self._number(value)
            case bytes() | bytearray() | memoryview():
                return {"type": "bytes", "base64": b64encode(bytes(value)).decode("ascii")}
            case Mapping():
                return {self._key(key): self.of(item) for key, item in value.items()}
            case list() | tuple() | deque() | KeysView() | ValuesView() | ItemsView() | array.array():
                return [self.of(item) for item in value]
            case Set():
                return sorted(map(self.of, value), key=json.dumps)
            case _:
                return self._of_object(value)

    def _number(self, value: float) -> float | None:
        if isfinite(value):
            return float(value)
        self.non_finite.append(repr(float(value)))
        return None

    def _of_object(self, value: Any) -> Any:
        if (text := _as_text(value)) is not None:
            return text
        if not isinstance(value, type):
            if (fields := _fields(value)) is not None:
                return {name: self.of(item) for name, item in fields.items()}
            if _is_small_array(value):
                return self.of(value.tolist())
        return text_of(value)

    def _key(self, key: Any) -> str:
        """An object's key: text as it is, other scalars as JSON writes them."""
        key = key.value if isinstance(key, Enum) else key
        match key:
            case str():
                return str.__str__(key)
            case None | bool() | int() | float():
                plain = self.of(key)
                return plain if isinstance(plain, str) else json.dumps(plain)
            case _:
                return _as_text(key) or text_of(key)


def text_of(value: Any) -> str:
    """`str()` of the value, or a text that says why there is none."""
    try:
        return str.__str__(str(value))
    except Exception as error:  # noqa: BLE001 - a class of the user's own
        return f"<{type(value).__name__} object, whose text could not be made: {type(error).__name__}>"


def _as_text(value: Any) -> str | None:
    """The text of a value that is one text in JSON, or None for any other."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return str(msgspec.to_builtins(value))
        case Decimal() | UUID() | PurePath():
            return str(value)
        case _:
            return None


def _fields(value: Any) -> dict[str, Any] | None:
    """Name -> value of an object that has declared fields, or None."""
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag_field
        named = {tag: value.__struct_config__.tag} if tag else {}
        found = {name: getattr(value, field) for name, field in zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)}
        return {**named, **{name: item for name, item in found.items() if item is not msgspec.UNSET}}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if (attributes := getattr(type(value), "__attrs_attrs__", None)) is not None:
        return {attribute.name: getattr(value, attribute.name) for attribute in attributes}
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and isinstance(value, pydantic.BaseModel):
        dumped: dict[str, Any] = value.model_dump()
        return dumped
    return None


def _is_small_array(value: Any) -> bool:
    """Whether the value is an array or a scalar of NumPy or its like, with few enough numbers. A pandas series is none: it has an index."""
    kind = type(value)
    if not hasattr(kind, "tolist") or not hasattr(kind, "dtype") or hasattr(kind, "index"):
        return False
    return bool(prod(value.shape) <= _MOST_NUMBERS)
