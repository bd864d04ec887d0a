"""Types that are a list of values: `Literal` and enums."""

import enum
from typing import Any, get_args

from holter.tools.form import Form, built
from holter.tools.json_schema import Schema, json_type
from holter.tools.record import description_of


def literal(annotation: Any) -> Form:
    """The form of a `Literal`, whose members may be those of enums."""
    values = list(get_args(annotation))
    if any(isinstance(value, enum.Enum) for value in values):
        members = {value.value: value for value in values if isinstance(value, enum.Enum)}
        return Form(enum_schema([getattr(value, "value", value) for value in values]), lambda value: members.get(value, value))
    return Form(enum_schema(values))


def enumeration(cls: type[enum.Enum]) -> Form:
    """The form of an enum: its values, in the order of its members."""
    schema = enum_schema([member.value for member in cls])
    text = description_of(cls)
    described_schema = {**schema, "description": text} if text and text != "An enumeration." else schema
    return Form(described_schema, lambda value: built(lambda: cls(value)))


def enum_schema(values: list[Any]) -> Schema:
    """One of these values; TypeError for one that JSON cannot say."""
    for value in values:
        if not isinstance(value, str | int | float | None):
            raise TypeError(f"JSON cannot say the value {value!r} of an enumeration or Literal")
    kinds = set(map(json_type, values))
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}
