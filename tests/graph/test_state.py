"""State schemas, and how the writes of a step change a state."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Generic, NotRequired, Required, TypedDict, TypeVar

import msgspec
import pydantic
import pytest
from inline_snapshot import snapshot

from holter.errors import GraphError
from holter.graph.field import fields_of
from holter.graph.state import MessagesState, StateSchema
from holter.messages.reducer import add_messages

Item = TypeVar("Item")


def keep_last(old: Any, new: Any) -> Any:
    """A reducer that takes the new value."""
    return new


class Typed(TypedDict, total=False):
    """A TypedDict with what TypedDicts can have."""

    name: Required[str]
    notes: Annotated[NotRequired[list[str]], operator.add]
    count: NotRequired[Annotated[int, operator.add]]


class Longer(Typed):
    """One that inherits."""

    more: Annotated[Sequence[str], "a text", operator.add]


class Page(TypedDict, Generic[Item]):
    """A generic one."""

    items: Annotated[list[Item], operator.add]


@dataclass
class Data:
    """A dataclass."""

    name: str
    tags: set[str] = field(default_factory=set)
    log: Annotated[list[str], operator.add] = field(default_factory=lambda: ["begun"])
    level: int = 3


class Structure(msgspec.Struct):
    """A msgspec Struct."""

    name: str
    log: Annotated[list[int], operator.add] = []
    level: int = 3
    window: Annotated[deque[int], keep_last] = msgspec.field(default_factory=deque)


class Model(pydantic.BaseModel):
    """A pydantic model."""

    name: str
    log: Annotated[list[int], operator.add] = []
    level: Annotated[int, pydantic.Field(ge=0)] = 3
    renamed: int = pydantic.Field(default=1, alias="Renamed")


def plain(schema: Any) -> dict[str, Any]:
    """What the fields are: type, reducer, what they begin with."""
    return {
        name: (part.type, getattr(part.reducer, "__name__", None), part.default() if part.default is not None else "nothing")
        for name, part in fields_of(schema).items()
    }


def initial(schema: Any) -> dict[str, Any]:
    """What a thread begins with."""
    return {name: part.default() for name, part in fields_of(schema).items() if part.default is not None}


def test_typed_dicts() -> None:
    """Qualifiers are taken off wherever they stand; bases come first; reduced fields begin empty, others with nothing."""
    assert plain(Longer) == {
        "name": (str, None, "nothing"),
        "notes": (list[str], "add", []),
        "count": (int, "add", 0),
        "more": (Sequence[str], "add", []),
    }


def test_typed_dicts_of_typing_extensions() -> None:
    """Before Python 3.13 they are classes of another kind, and most programs for LangGraph are written with them."""
    module = pytest.importorskip("typing_extensions")
    schema = module.TypedDict("schema", {"topic": str, "notes": Annotated[list[str], operator.add]})
    assert plain(schema) == {"topic": (str, None, "nothing"), "notes": (list[str], "add", [])}


def test_generic_schema() -> None:
    """A schema's type variables are filled in."""
    assert plain(Page[int]) == {"items": (list[int], "add", [])}


def test_defaults() -> None:
    """Fields begin with their class's defaults, each thread with its own."""
    assert plain(Data) == {
        "name": (str, None, "nothing"),
        "tags": (set[str], None, set()),
        "log": (list[str], "add", ["begun"]),
        "level": (int, None, 3),
    }
    assert plain(Structure) == {
        "name": (str, None, "nothing"),
        "log": (list[int], "add", []),
        "level": (int, None, 3),
        "window": (deque[int], "keep_last", deque()),
    }
    assert plain(Model)["log"] == (list[int], "add", [])
    assert plain(Model)["level"] == (int, None, 3)
    one, other = initial(Data), initial(Data)
    one["log"].append("more")
    assert other == {"tags": set(), "log": ["begun"], "level": 3}


def test_a_type_without_an_empty_value() -> None:
    """A reduced field whose type wants arguments begins without a value, and its first write is the value."""

    class Point:
        def __init__(self, x: int) -> None:
            self.x = x

    class State(TypedDict):
        point: Annotated[Point, keep_last]
        maybe: Annotated[list[int] | None, keep_last]

    assert initial(State) == {}


def test_messages_state() -> None:
    """A conversation, kept by `add_messages`."""
    assert StateSchema(MessagesState).fields["messages"].is_messages


def test_add_messages_with_options() -> None:
    """A reducer with options filled in is the same reducer."""

    class State(TypedDict):
        messages: Annotated[list[Any], partial(add_messages, format="langchain-openai")]

    assert fields_of(State)["messages"].is_messages


def test_what_is_no_schema() -> None:
    """The error says what to use."""
    with pytest.raises(GraphError) as caught:
        fields_of(dict)
    assert str(caught.value) == snapshot(
        "a state schema declares fields, and dict declares none; use a TypedDict, a dataclass, a msgspec Struct or a pydantic model"
    )
    with pytest.raises(GraphError) as caught:
        fields_of("State")
    assert str(caught.value) == snapshot(
        "a state schema declares fields, and State declares none; use a TypedDict, a dataclass, a msgspec Struct or a pydantic model"
    )


def test_what_is_no_reducer() -> None:
    """A function that does not take two values is refused where the schema is read."""

    def twice(value: int) -> int:
        return value * 2

    class State(TypedDict):
        count: Annotated[int, twice]

    with pytest.raises(GraphError) as caught:
        fields_of(State)
    assert str(caught.value) == snapshot(
        "the field 'count' of State has the reducer 'twice', which cannot be called with two values; a "
        "reducer is a function (old, written) that returns the new value"
    )


def test_an_annotation_that_cannot_be_found() -> None:
    """The error names it."""

    class State(TypedDict):
        x: Nowhere  # type: ignore[name-defined]  # noqa: F821 - that is the case

    with pytest.raises(GraphError, match="'Nowhere' cannot be resolved"):
        fields_of(State)


VALUES: dict[str, Any] = {"name": "n", "log": [1], "level": 2, "tags": {"t"}, "other": 1}


def test_a_node_gets_a_dict_of_its_own() -> None:
    """With the schema's fields that have values; what a node does with its lists, dicts and sets stays with it."""
    schema = StateSchema(Typed)
    values = {"name": "n", "notes": ["a"], "other": 1}
    mine = schema.input_of("a", values)
    assert mine == {"name": "n", "notes": ["a"]}
    mine["name"] = "changed"
    mine["notes"].append("b")
    assert values == {"name": "n", "notes": ["a"], "other": 1}


def test_a_node_gets_an_object() -> None:
    """Of the schema, made from the values."""
    assert StateSchema(Data).input_of("a", VALUES) == Data("n", {"t"}, [1], 2)  # type: ignore[list-item]
    assert StateSchema(Structure).input_of("a", VALUES) == Structure("n", [1], 2)
    assert StateSchema(Model).input_of("a", {**VALUES, "renamed": 5}) == Model(name="n", log=[1], level=2, Renamed=5)


def test_an_object_that_cannot_be_made() -> None:
    """The error names the node, and what has no value."""
    with pytest.raises(GraphError) as caught:
        StateSchema(Data).input_of("a", {})
    assert str(caught.value) == snapshot(
        "node 'a' takes a Data, and the state's values do not make one: Data.__init__() missing 1 "
        "required positional argument: 'name'; nothing has been written to name yet: write it before, or "
        "give it a default"
    )
    with pytest.raises(GraphError) as caught:
        StateSchema(Model).input_of("a", {"name": 3})
    assert str(caught.value) == snapshot(
        "node 'a' takes a Model, and the state's values do not make one: name: Input should be a valid string"
    )
