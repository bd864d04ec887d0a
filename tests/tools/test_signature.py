"""A signature, or a ready schema, becomes the parameters that a model is offered."""

import dataclasses
import datetime
import functools
import math
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any, TypedDict

import msgspec
import pytest
from inline_snapshot import snapshot

from holter.tools.signature import parameters_of, parameters_of_schema
from holter.tools.validation import Parameters


def parameters(function: Callable[..., Any], **options: Any) -> Parameters:
    return parameters_of(function, name="search", **options)


def search(
    query: str, limit: Annotated[int, "How many."] = 10, since: datetime.date | None = None, *, tags: frozenset[str] = frozenset("ba")
) -> None:
    """Searches.

    Args:
        query: What to look for.
        limit: Not this.
        since: The first day.
    """


def test_what_a_model_sees() -> None:
    """Types, defaults and descriptions; an annotation's description counts before the docstring's."""
    assert parameters(search).schema == snapshot(
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {"type": "integer", "description": "How many.", "default": 10},
                "since": {
                    "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                    "default": None,
                    "description": "The first day.",
                },
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "default": ["a", "b"]},
            },
            "required": ["query"],
            "additionalProperties": False,
        }
    )


def test_the_same_schema_every_time() -> None:
    """Two functions alike have schemas alike, in the order of their parameters."""
    first, second = (msgspec.json.encode(parameters(search).schema) for _ in range(2))
    assert (first == second, parameters(search).names) == (True, ("query", "limit", "since", "tags"))


def test_injected_and_undocumented_parameters() -> None:
    """A skipped parameter is not offered, and without the docstring only annotations describe."""
    properties = parameters(search, skip={"query", "tags"}, parse_docstring=False).schema["properties"]
    assert {name: part.get("description") for name, part in properties.items()} == {"limit": "How many.", "since": None}


class Shop:
    def find(self, name: str) -> None: ...

    @classmethod
    def open(cls, name: str) -> None: ...

    @staticmethod
    def close(name: str) -> None: ...

    def __call__(self, name: str) -> None: ...


async def later(name: str) -> None: ...


def some(name: str) -> Iterator[int]:
    yield 1


async def some_later(name: str) -> AsyncIterator[int]:
    yield 1


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def two(first: int, name: str) -> None: ...


@pytest.mark.parametrize(
    "function",
    [
        Shop().find,
        Shop.open,
        Shop.close,
        Shop(),
        later,
        some,
        some_later,
        decorated(later),
        functools.partial(two, 1),
        functools.partial(two, first=1),
    ],
)
def test_all_kinds_of_functions(function: Callable[..., Any]) -> None:
    """Methods, callable objects, coroutines, generators, wrappers, and partials without what they bind."""
    assert parameters(function).schema == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }


def stars(query: str, *names: str) -> None: ...


def double_stars(query: str, **options: str) -> None: ...


def positional(query: str, /) -> None: ...


def unknown(query: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("function", [stars, double_stars, positional, unknown, len])
def test_refuses_parameters_that_a_model_cannot_give(function: Callable[..., Any]) -> None:
    """The reason names the tool, the function and the parameter, and says what to do."""
    with pytest.raises(TypeError) as refused:
        parameters(function)
    assert str(refused.value) == _REASONS[function.__name__]


_REASONS = {
    "stars": (
        "tool 'search': the parameter '*names' of stars() takes any number of values, and a model gives arguments by name; "
        "make it one parameter, a list"
    ),
    "double_stars": (
        "tool 'search': the parameter '**options' of double_stars() takes any name, and a model has to be told the names; "
        "name them, or make it one parameter, a dict"
    ),
    "positional": (
        "tool 'search': the parameter 'query' of positional() is positional-only, and a model gives arguments by name; "
        "take the `/` out of the signature"
    ),
    "unknown": (
        "tool 'search': the parameter 'query' of unknown(): its annotation 'Nowhere' cannot be resolved (Nowhere is not defined there); "
        "define or import it where the function can see it"
    ),
    "len": (
        "tool 'search': the parameter 'obj' of len() is positional-only, and a model gives arguments by name; "
        "take the `/` out of the signature"
    ),
}


def test_types_of_an_enclosing_function() -> None:
    """Annotations as strings are found where the function was defined, in records too."""

    @dataclasses.dataclass
    class Order:
        item: "Item"
        then: "Order | None" = None

    @dataclasses.dataclass
    class Item:
        name: str

    def order(it: "Order", many: "list[Item]") -> None: ...

    given = {"it": {"item": {"name": "tea"}, "then": {"item": {"name": "milk"}}}, "many": []}
    assert parameters(order).check(given).values == {"it": Order(Item("tea"), Order(Item("milk"))), "many": []}


def test_types_that_are_gone() -> None:
    """Once the enclosing function has returned, only what the function itself uses is found; the reason says what is not."""

    def outer() -> list[Callable[..., Any]]:
        class Kept(TypedDict):
            a: int

        class Gone(TypedDict):
            a: int

        def keeps(it: "Kept") -> Any:
            return Kept

        def loses(it: "Gone") -> None: ...

        return [keeps, loses]

    keeps, loses = outer()
    assert parameters(keeps).check({"it": {"a": 1}}).values == {"it": {"a": 1}}
    with pytest.raises(TypeError, match=r"'it' of loses\(\): its annotation 'Gone' cannot be resolved \(Gone is not defined there\)"):
        parameters(loses)


def test_defaults_that_json_cannot_say() -> None:
    """They are left out of the schema, and the parameter stays optional; a default of None lets null in."""

    def odd(number: float = math.nan, thing: Any = object(), count: int = None) -> None: ...  # type: ignore[assignment]  # noqa: B008, RUF013 - what people write

    assert parameters(odd).schema == snapshot(
        {
            "type": "object",
            "properties": {
                "number": {"type": "number"},
                "thing": {},
                "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            },
            "additionalProperties": False,
        }
    )
    assert parameters(odd).check({"count": None}).values == {"count": None}


def test_a_ready_schema() -> None:
    """It is kept; arguments that it does not name are refused, unless it says itself what else may stand there."""
    schema = {"properties": {"a": {"type": "integer", "format": "int32"}}, "title": "T"}
    closed = parameters_of_schema(schema, name="t")
    assert closed.schema == {"type": "object", **schema, "additionalProperties": False}
    open_ = parameters_of_schema({**schema, "additionalProperties": {"type": "string"}}, name="t")
    assert [open_.check({"a": 1, "b": "x"}).values, open_.check({"b": 1}).problems[0].path] == [{"a": 1, "b": "x"}, "b"]


def test_a_ready_schema_with_references() -> None:
    """References point anywhere into the schema, and its draft is the one it names."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": [{"type": "integer"}]},
            "b": {"$ref": "#/properties/a"},
            "c": {"$ref": "#/definitions/d"},
        },
        "definitions": {"d": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
    }
    assert parameters_of_schema(schema, name="t").check({"a": ["1"], "b": "[1]", "c": "true"}).values == {"a": [1], "b": [1], "c": True}


class Args(TypedDict, total=False):
    a: int


@dataclasses.dataclass
class Options:
    a: int
    b: str = "x"


class Settings(msgspec.Struct):
    a: int
    b: list[int] = []


@pytest.mark.parametrize(("cls", "values"), [(Args, {"a": 1}), (Options, {"a": 1, "b": "x"}), (Settings, {"a": 1, "b": []})])
def test_a_class_as_schema(cls: type, values: dict[str, Any]) -> None:
    """Its fields are the parameters, and what is not given has the class's defaults, which the function does not know."""
    parameters = parameters_of_schema(cls, name="t")
    assert (parameters.check({"a": 1}).values, [problem.path for problem in parameters.check({"z": 1}).problems][:1]) == (values, ["z"])


@pytest.mark.parametrize(
    "schema",
    [
        int,
        {"type": "array"},
        {"properties": {"a": {"type": "text"}}},
        {"properties": {"a": {"$ref": "https://example.com/a.json"}}},
        {"properties": {"a": {"$ref": "#/$defs/a"}}},
    ],
)
def test_refuses_what_is_no_schema(schema: Any) -> None:
    """Nothing is fetched from anywhere."""
    with pytest.raises((TypeError, ValueError), match=r"^tool 't': the schema of its arguments: "):
        parameters_of_schema(schema, name="t")
