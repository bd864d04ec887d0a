"""A type becomes a schema and a decoder that agree with each other."""

import datetime
from typing import Annotated, Any, Literal

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.tools.annotation import annotation_text
from holter.tools.json_schema import Schema
from holter.tools.signature import parameters_of
from tests.tools.offered_types import TYPES, Box, Cat, Colour, Dog, Level, Node, Place, Point, Query, Renamed, Row, taking
from tests.tools.schema_values import fitting


def schema_of(annotation: Any) -> Schema:
    """What the model sees of a parameter of this type, definitions left out."""
    schema: Schema = parameters_of(taking(annotation), name="take").schema["properties"]["it"]
    return schema


@pytest.mark.parametrize("annotation", TYPES, ids=annotation_text)
def test_every_schema_is_valid(annotation: Any) -> None:
    """What the model sees and what is checked are JSON Schema 2020-12."""
    parameters = parameters_of(taking(annotation), name="take")
    jsonschema_rs.Draft202012Validator(parameters.schema)
    jsonschema_rs.meta.validate(parameters.checked)


@given(data=st.data(), annotation=st.sampled_from(TYPES))
def test_what_fits_the_schema_decodes(data: st.DataObject, annotation: Any) -> None:
    """A value drawn from the schema that the model sees has no problem, whatever the type."""
    parameters = parameters_of(taking(annotation), name="take")
    value = data.draw(fitting(parameters.schema["properties"]["it"], parameters.schema))
    assert parameters.check({"it": value}).problems == []


_READ_BY_MSGSPEC = [kind for kind in TYPES if kind is not None and kind not in (Colour, bytes)]


@given(data=st.data(), annotation=st.sampled_from(_READ_BY_MSGSPEC))
def test_values_are_those_of_msgspec(data: st.DataObject, annotation: Any) -> None:
    """Where msgspec reads a type, it reads the same value."""
    parameters = parameters_of(taking(annotation), name="take")
    value = data.draw(fitting(parameters.schema["properties"]["it"], parameters.schema))
    try:
        expected = msgspec.convert(value, annotation, str_keys=True)
    except (TypeError, msgspec.ValidationError):
        return  # a union or a type that msgspec does not know
    assert parameters.check({"it": value}).values["it"] == expected


def test_shapes() -> None:
    """Records are closed objects, tuples have positions, an enum is its values in its own order."""
    kinds = [Place, Query, Point, Renamed, Row, Colour, Level, tuple[int, str], dict[int, bool], set[int]]
    assert {annotation_text(kind): schema_of(kind) for kind in kinds} == snapshot(
        {
            "Place": {
                "description": "Where it is.",
                "type": "object",
                "properties": {"city": {"type": "string"}, "radius": {"type": "number"}},
                "required": ["city"],
                "additionalProperties": False,
            },
            "Query": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["text"],
                "additionalProperties": False,
            },
            "Point": {
                "type": "array",
                "prefixItems": [{"title": "x", "type": "integer"}, {"title": "y", "type": "integer", "default": 0}],
                "items": False,
                "minItems": 1,
                "maxItems": 2,
            },
            "Renamed": {
                "type": "object",
                "properties": {"firstName": {"type": "string"}, "isNew": {"type": "boolean", "default": False}},
                "required": ["firstName"],
                "additionalProperties": False,
            },
            "Row": {
                "type": "array",
                "prefixItems": [
                    {"type": "string", "enum": ["row"]},
                    {"title": "key", "type": "string"},
                    {"title": "count", "type": "integer", "default": 0},
                ],
                "items": False,
                "minItems": 2,
                "maxItems": 3,
            },
            "Colour": {"type": "string", "enum": ["red", "blue"], "description": "What it is painted in."},
            "Level": {"type": "integer", "enum": [1, 2]},
            "tuple[int, str]": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
            },
            "dict[int, bool]": {
                "type": "object",
                "propertyNames": {"pattern": "^-?(0|[1-9][0-9]{0,299})$"},
                "additionalProperties": {"type": "boolean"},
            },
            "set[int]": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
        }
    )


def test_scalars() -> None:
    """Texts with a meaning say their format, and a pattern where no format says it."""
    kinds = [datetime.datetime, datetime.date, datetime.time, datetime.timedelta, bytes]
    assert {kind.__name__: schema_of(kind) for kind in kinds} == snapshot(
        {
            "datetime": {"type": "string", "format": "date-time"},
            "date": {"type": "string", "format": "date"},
            "time": {"type": "string", "format": "time"},
            "timedelta": {
                "type": "string",
                "format": "duration",
                "pattern": "^[+-]?P(?=T?[0-9])([0-9]{1,8}D)?(T(?=[0-9])([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}(\\.[0-9]{1,9})?S)?)?$",
            },
            "bytes": {
                "type": "string",
                "contentEncoding": "base64",
                "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            },
        }
    )


def test_unions() -> None:
    """Members stand in their order; a tag is a value of its own."""
    kinds = [int | None, float | int, datetime.date | str, Cat | Dog]
    assert [schema_of(kind) for kind in kinds] == snapshot(
        [
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"type": "integer"}, {"type": "number"}]},
            {"anyOf": [{"type": "string", "format": "date"}, {"type": "string"}]},
            {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"type": {"type": "string", "enum": ["Cat"]}, "lives": {"type": "integer", "default": 9}},
                        "required": ["type"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"type": {"type": "string", "enum": ["Dog"]}, "name": {"type": "string"}},
                        "required": ["type", "name"],
                        "additionalProperties": False,
                    },
                ]
            },
        ]
    )


def test_definitions() -> None:
    """What is used once stands where it is used; what is used more often, or contains itself, is a definition."""

    def take(one: Node, two: Place, three: Place, four: Point) -> None: ...

    schema = parameters_of(take, name="take").schema
    assert (schema["properties"], list(schema["$defs"])) == snapshot(
        (
            {
                "one": {"$ref": "#/$defs/Node"},
                "two": {"$ref": "#/$defs/Place"},
                "three": {"$ref": "#/$defs/Place"},
                "four": {
                    "type": "array",
                    "prefixItems": [{"title": "x", "type": "integer"}, {"title": "y", "type": "integer", "default": 0}],
                    "items": False,
                    "minItems": 1,
                    "maxItems": 2,
                },
            },
            ["Node", "Place"],
        )
    )


def test_limits() -> None:
    """msgspec's limits become JSON Schema's."""
    kinds = [
        Annotated[int, msgspec.Meta(ge=0, lt=10, multiple_of=2)],
        Annotated[str | None, msgspec.Meta(min_length=1, pattern="^[a-z]+$")],
        Annotated[list[int], msgspec.Meta(max_length=3, description="Three at most.", examples=[[1]])],
    ]
    assert [schema_of(kind) for kind in kinds] == snapshot(
        [
            {"type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 2},
            {"pattern": "^[a-z]+$", "anyOf": [{"type": "string"}, {"type": "null"}], "minLength": 1},
            {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "examples": [[1]], "description": "Three at most."},
        ]
    )


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (complex, "JSON cannot say a value of type complex"),
        (dict[tuple[int, int], str], "the keys of a JSON object are text, and cannot be tuple[int, int]"),
        (Literal[b"a"], "JSON cannot say the value b'a' of an enumeration or Literal"),
        (Annotated[str, msgspec.Meta(ge=1)], "minimum can limit int and float only"),
        (Annotated[int, msgspec.Meta(pattern="a")], "pattern can limit str only"),
        (str | datetime.date, "in a union, str takes every JSON value that date would; put date before it"),
        (
            list[int] | tuple[int, ...],
            "no JSON value tells list[int] from tuple[int, ...] in a union; keep one, or give each a field that tells them apart",
        ),
        (dict[str, Any] | Place, "in a union, dict[str, Any] takes every JSON value that Place would; put Place before it"),
        (Box[complex], "JSON cannot say a value of type complex (field 'item' of Box)"),
    ],
)
def test_refuses_what_json_cannot_say(annotation: Any, reason: str) -> None:
    """The reason names the tool, the parameter and the type."""
    with pytest.raises(TypeError) as refused:
        parameters_of(taking(annotation), name="take")
    assert str(refused.value) == f"tool 'take': the parameter 'it' of take(): {reason}"


def test_a_union_is_decoded_as_its_first_fitting_member() -> None:
    """Members are tried in order, and each value of a JSON type stays of that type where it may."""

    def take(when: datetime.date | datetime.datetime | str, many: list[int] | list[str], number: float | int, pet: Cat | Dog) -> None: ...

    check = parameters_of(take, name="take").check
    given = {"when": "2024-05-01T10:00:00", "many": ["a"], "number": 15, "pet": {"type": "Dog", "name": "Rex"}}
    assert check(given).values == {"when": datetime.datetime(2024, 5, 1, 10), "many": ["a"], "number": 15, "pet": Dog("Rex")}  # noqa: DTZ001 - no zone was given
    other = {"when": "tomorrow", "many": [1], "number": 15.0, "pet": {"type": "Cat"}}
    values = check(other).values
    assert values == {"when": "tomorrow", "many": [1], "number": 15.0, "pet": Cat()}
    assert isinstance(values["number"], float)
