"""Answers of a form."""

import enum
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import msgspec
import pytest
from pydantic import BaseModel

from holter.agent.structured import Reading, failure_text, form_of, repair_text
from holter.tools.problem import Problem


@dataclass
class Weather:
    """The weather in a city."""

    city: str
    degrees: float


class Point(TypedDict):
    x: int


class Pair(msgspec.Struct):
    left: int
    right: int = 0


class Order(BaseModel):
    item: str
    count: list[int]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


SCHEMA = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["a"], "$defs": {"n": {"type": "integer"}}}


def read(kind: Any, text: str) -> Reading:
    """What a text is read to."""
    form = form_of(kind)
    assert form is not None
    return form.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Weather, '{"city": "Oslo", "degrees": 3}', Weather("Oslo", 3.0)),
        (Point, '{"x": 1}', {"x": 1}),
        (Pair, '{"left": 1}', Pair(1)),
        (Order, '{"item": "tea", "count": [1]}', Order(item="tea", count=[1])),
        (int, "15", 15),
        (int, '{"value": 15}', 15),
        (bool, "true", True),
        (list[Weather], '[{"city": "Oslo", "degrees": 3}]', [Weather("Oslo", 3.0)]),
        (list[str], '{"value": ["a"]}', ["a"]),
        (Weather | None, "null", None),
        (Colour, '"red"', Colour.RED),
        (Literal["yes", "no"], '"no"', "no"),
        (SCHEMA, '{"a": 1}', {"a": 1}),
        ({"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}, '{"a": 1}', {"a": 1}),
        ({"type": "array", "items": {"type": "string"}}, '["a"]', ["a"]),
        ({"type": "json_object"}, '{"any": [1]}', {"any": [1]}),
    ],
)
def test_values(kind: Any, text: str, value: Any) -> None:
    """Every type that JSON can say, and a schema."""
    assert read(kind, text) == Reading(value)


def test_what_a_request_carries() -> None:
    """An object's own schema; of anything else an object around it. Strict where the schema is in the strict profile as it is."""
    weather, number, pair = form_of(Weather), form_of(int), form_of(Pair)
    assert weather is not None
    assert number is not None
    assert pair is not None
    assert weather.response_format == {
        "type": "json_schema",
        "json_schema": {
            "name": "Weather",
            "schema": {
                "description": "The weather in a city.",
                "type": "object",
                "properties": {"city": {"type": "string"}, "degrees": {"type": "number"}},
                "required": ["city", "degrees"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }
    assert number.schema == {
        "type": "object",
        "properties": {"value": {"type": "integer"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert "strict" not in pair.response_format["json_schema"]


def test_all_that_is_wrong_with_its_path() -> None:
    """So that one round of repair is enough."""
    reading = read(list[Weather], '[{"city": 1, "degrees": 3}, {"city": "Oslo"}]')
    assert reading.problems == [
        Problem("[0].city", "found 1, expected a string"),
        Problem("[1].degrees", "is missing; give a number"),
    ]
    assert read(Order, '{"item": 1, "count": ["x"]}').problems == [
        Problem("item", "found 1, expected a string"),
        Problem("count[0]", 'found "x", expected an integer'),
    ]
    assert read(SCHEMA, '{"a": "x"}').problems == [Problem("a", 'found "x", expected an integer')]
    assert read(Weather, "I do not know.").problems == [Problem("", "it holds no JSON")]


def test_what_is_read_as_its_type_is_said() -> None:
    """A number that came as a text is no reason to ask again."""
    reading = read(Weather, '{"city": "Oslo", "degrees": "3.5"}')
    assert reading.value == Weather("Oslo", 3.5)
    assert [repair.text for repair in reading.repairs] == ['value.degrees: the string "3.5" was read as 3.5']


def test_a_constructor_that_refuses() -> None:
    """Its reason is the problem."""

    @dataclass
    class Even:
        n: int

        def __post_init__(self) -> None:
            if self.n % 2:
                raise ValueError("n must be even")

    assert read(Even, '{"n": 3}').problems == [Problem("", "n must be even")]


def test_free_text() -> None:
    """No form at all."""
    assert form_of(None) is None
    assert form_of(str) is None


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        ("Weather", TypeError, "response_format is a type or a JSON Schema, found Weather"),
        ({"type": "objekt"}, ValueError, "response_format: not a valid JSON Schema"),
        (type(pytest), TypeError, "response_format: JSON cannot say a value of type module"),
    ],
)
def test_what_can_be_no_form(kind: Any, error: type[Exception], text: str) -> None:
    """Said when the agent is made."""
    with pytest.raises(error, match=text):
        form_of(kind)


def test_what_the_model_and_the_caller_are_told() -> None:
    """Each problem; many are cut."""
    problems = [Problem("a", "is missing; give an integer"), Problem("", "it is odd")]
    assert repair_text(problems) == (
        "Your answer does not have the form that was asked for.\n"
        "- a: is missing; give an integer\n"
        "- the answer: it is odd\n"
        "Answer again with the whole JSON value, put right, and nothing else."
    )
    assert "- and 10 more" in repair_text([Problem("a", "x")] * 40)
    assert failure_text([Problem("a", "x")] * 4).endswith("told what is wrong: a: x; a: x; a: x; and 1 more")
