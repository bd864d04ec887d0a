"""Types whose JSON is one string or number: dates, times, UUID, Decimal, bytes and the like.

JSON Schema's `format` and msgspec's decoders disagree at the edges (a time without a zone, weeks in a duration, a leap second). So a
schema names its decoder in a keyword of ours, `decodes`, and validation asks that decoder; the model is shown JSON Schema that is never
wider than it.
"""

import datetime
import decimal
import pathlib
import re
import uuid
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Annotated, Any

import msgspec

from holter.tools.form import Form, Refused
from holter.tools.json_schema import Schema


class Scalar(msgspec.Struct, frozen=True):
    """One decoder, by the name that `decodes` gives it."""

    decode: Callable[[str], Any]
    """Raises ValueError for a text that it does not take; msgspec's errors are such."""
    shown: Schema
    """What the model is shown in place of `decodes`."""
    example: str
    """A text that it takes, as a problem quotes it."""


def _converts(kind: Any) -> Callable[[Any], Any]:
    return partial(msgspec.convert, type=kind)


def _finite_decimal(text: str) -> decimal.Decimal:
    value = msgspec.convert(text, decimal.Decimal)
    if not value.is_finite():
        raise ValueError("not a finite number")
    return value


def _whole_key(text: str) -> int:
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,299})", text):
        raise ValueError("not a whole number")
    return int(text)


def _number_key(text: str) -> float:
    value = float(text) if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text) else float("nan")
    if not isfinite(value):
        raise ValueError("not a finite number")
    return value


_DURATION = r"^[+-]?P(?=T?[0-9])([0-9]{1,8}D)?(T(?=[0-9])([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}(\.[0-9]{1,9})?S)?)?$"
_BASE64 = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"

SCALARS: dict[str, Scalar] = {
    "date-time": Scalar(_converts(datetime.datetime), {"format": "date-time"}, "2024-05-01T10:00:00Z"),
    "date-time with a zone": Scalar(
        _converts(Annotated[datetime.datetime, msgspec.Meta(tz=True)]), {"format": "date-time"}, "2024-05-01T10:00:00Z"
    ),
    "date-time without a zone": Scalar(
        _converts(Annotated[datetime.datetime, msgspec.Meta(tz=False)]),
        {"pattern": rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_TIME}$"},
        "2024-05-01T10:00:00",
    ),
    "date": Scalar(_converts(datetime.date), {"format": "date"}, "2024-05-01"),
    "time": Scalar(_converts(datetime.time), {"format": "time"}, "10:00:00"),
    "time with a zone": Scalar(_converts(Annotated[datetime.time, msgspec.Meta(tz=True)]), {"format": "time"}, "10:00:00Z"),
    "time without a zone": Scalar(_converts(Annotated[datetime.time, msgspec.Meta(tz=False)]), {"pattern": f"^{_TIME}$"}, "10:00:00"),
    "duration": Scalar(_converts(datetime.timedelta), {"format": "duration", "pattern": _DURATION}, "P1DT2H30M"),
    "UUID": Scalar(_converts(uuid.UUID), {"format": "uuid"}, "6f1c9e5e-3b0a-4c57-8f5e-0d1f6a2b7c11"),
    "decimal number": Scalar(_finite_decimal, {"format": "decimal", "pattern": r"^-?[0-9]{1,300}(\.[0-9]{1,300})?$"}, "12.50"),
    "base64 text": Scalar(_converts(bytes), {"contentEncoding": "base64", "pattern": _BASE64}, "aGVsbG8="),
    "whole number": Scalar(_whole_key, {"pattern": "^-?(0|[1-9][0-9]{0,299})$"}, "15"),
    "number": Scalar(_number_key, {"pattern": "^-?[0-9]{1,300}(\\.[0-9]{1,300})?$"}, "1.5"),
}
"""Every text decoder. "whole number" and "number" are for the keys of an object, which JSON has as text only."""


def scalar(name: str, decode: Callable[[Any], Any] | None = None) -> Form:
    """The form of a text that the decoder `name` takes."""
    return Form({"type": "string", "decodes": name}, decode or SCALARS[name].decode)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise Refused(((), "the number is too large")) from None


_DECIMAL = Form({"anyOf": [{"type": "number"}, {"type": "string", "decodes": "decimal number"}]}, _converts(decimal.Decimal))

SCALAR_FORMS: dict[Any, Form] = {
    type(None): Form({"type": "null"}),
    bool: Form({"type": "boolean"}),
    int: Form({"type": "integer"}),
    float: Form({"type": "number"}, _float),
    str: Form({"type": "string"}),
    bytes: scalar("base64 text"),
    bytearray: scalar("base64 text", _converts(bytearray)),
    datetime.datetime: scalar("date-time"),
    datetime.date: scalar("date"),
    datetime.time: scalar("time"),
    datetime.timedelta: scalar("duration"),
    uuid.UUID: scalar("UUID"),
    decimal.Decimal: _DECIMAL,
    pathlib.Path: Form({"type": "string"}, pathlib.Path),
    pathlib.PurePath: Form({"type": "string"}, pathlib.PurePath),
}
"""The form of each type that is one JSON value."""


class Decodes:
    """The keyword `decodes`, as jsonschema-rs calls it: the name of a decoder in SCALARS, or a pattern for Python's `re`.

    A pattern is checked by Python and not as JSON Schema's `pattern`, because Python's is the syntax that its author wrote it in.
    """

    def __init__(self, _schema: Schema, value: Any, _path: list[str | int]) -> None:
        self._check = _matches(value["pattern"]) if isinstance(value, dict) else SCALARS[value].decode

    def validate(self, instance: Any) -> None:
        """ValueError for a text that the decoder refuses; what is no text is the business of `type`."""
        if isinstance(instance, str):
            self._check(instance)


def _matches(pattern: str) -> Callable[[str], None]:
    search = re.compile(pattern).search

    def check(text: str) -> None:
        if search(text) is None:
            raise ValueError("no match")

    return check
