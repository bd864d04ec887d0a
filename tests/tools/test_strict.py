"""A schema in OpenAI's strict profile, or the reason why it cannot be said there."""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import jsonschema_rs
import msgspec
import pytest
from inline_snapshot import snapshot

from holter.tools.annotation import annotation_text
from holter.tools.json_schema import Schema, every_schema
from holter.tools.signature import parameters_of
from holter.tools.strict import strict_schema
from tests.tools.offered_types import TYPES, Box, Node, taking

_ALLOWED = {
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "properties",
    "required",
    "title",
    "type",
}


def search(
    query: Annotated[str, msgspec.Meta(min_length=1, description="What for.")],
    mode: Literal["fast", "slow"] | None = None,
    limit: Annotated[int, "How many."] = 10,
    since: datetime.date | None = None,
    tree: Node | None = None,
    area: tuple[int, int] = (0, 0),
) -> None: ...


def test_the_profile() -> None:
    """All is required, what was optional may be null, nothing else is allowed and no other keyword is left."""
    assert strict_schema(parameters_of(search, name="search").schema) == snapshot(
        {
            "type": "object",
            "properties": {
                "query": {"description": "What for.", "type": "string"},
                "mode": {"anyOf": [{"type": "string", "enum": ["fast", "slow"]}, {"type": "null"}]},
                "limit": {"description": "How many.", "anyOf": [{"type": "integer"}, {"type": "null"}]},
                "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                "tree": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                "area": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
            },
            "required": ["query", "mode", "limit", "since", "tree", "area"],
            "additionalProperties": False,
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "integer"},
                        "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                        "children": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Node"}}, {"type": "null"}]},
                    },
                    "required": ["value", "next", "children"],
                    "additionalProperties": False,
                }
            },
        }
    )


def test_nothing_to_give() -> None:
    """No parameters are the empty object."""
    assert strict_schema(parameters_of(lambda: None, name="now").schema) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


def _strict_types() -> Iterator[Any]:
    for annotation in TYPES:
        try:
            strict_schema(parameters_of(taking(annotation), name="take", skip={"other"}).schema)
        except ValueError:
            continue
        yield annotation


@pytest.mark.parametrize("annotation", list(_strict_types()), ids=annotation_text)
def test_only_what_the_profile_has(annotation: Any) -> None:
    """Every object is closed and requires all it has; the schema is valid and is its own strict form."""
    schema = strict_schema(parameters_of(taking(annotation), name="take", skip={"other"}).schema)
    jsonschema_rs.meta.validate(schema)
    for part in every_schema(schema):
        assert part.keys() <= _ALLOWED
        if part.get("type") == "object":
            assert (part["required"], part["additionalProperties"]) == (list(part["properties"]), False)
    assert strict_schema(schema) == schema


@pytest.mark.parametrize(
    ("annotation", "place"),
    [(dict[str, int], "it"), (dict, "it"), (Any, "it"), (list, "it"), (Box[Any], "it.item"), (list[dict[str, int]], "it[]")],
)
def test_refuses_what_it_cannot_say(annotation: Any, place: str) -> None:
    """Free keys and values of any type; the place is named."""
    with pytest.raises(ValueError, match=r"^" + place.replace("[", r"\[") + ": OpenAI's strict profile cannot say "):
        strict_schema(parameters_of(taking(annotation), name="take", skip={"other"}).schema)


@pytest.mark.parametrize(
    ("part", "strict"),
    [
        ({"const": 1}, {"enum": [1], "type": "integer"}),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"allOf": [{"type": "string"}], "description": "d"}, {"type": "string", "description": "d"}),
        ({"type": ["string", "null"], "format": "email"}, {"type": ["string", "null"], "format": "email"}),
        ({"type": "string", "format": "uri", "maxLength": 9}, {"type": "string"}),
        ({"type": "integer", "format": "int64"}, {"type": "integer"}),
    ],
)
def test_other_peoples_schemas(part: Schema, strict: Schema) -> None:
    """What says the same in the profile's words is said in them."""
    schema: Schema = {"type": "object", "properties": {"it": part}, "required": ["it"]}
    assert strict_schema(schema)["properties"]["it"] == strict
