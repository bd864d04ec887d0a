"""What can be a node, and what its function gets."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict

import pytest
from inline_snapshot import snapshot

from holter.errors import GraphError
from holter.graph.node import Node, name_of, node_of
from holter.graph.runtime import Runtime, filled
from holter.graph.state import StateSchema
from holter.graph.state_graph import StateGraph
from holter.graph.tool_node import ToolNode
from holter.journal.memory_store import MemoryStore
from holter.journal.store import Store
from holter.tools.command import Command
from holter.tools.inject import StreamWriter, ToolRuntime

if TYPE_CHECKING:
    from collections.abc import Sized as OnlyForCheckers


class State(TypedDict):
    """A state."""

    text: str


class Part(TypedDict):
    """Another."""

    secret: str


class Context:
    """What a caller gives."""


class RunnableConfig(TypedDict, total=False):
    """Stands for LangChain's."""

    tags: list[str]


SCHEMA = StateSchema(State)


def made(action: Any, **options: Any) -> Node:
    """The node."""
    return node_of("a", action, SCHEMA, **options)


def refused(action: Any) -> str:
    """Why it cannot be a node."""
    with pytest.raises(GraphError) as caught:
        made(action)
    return str(caught.value)


def test_parameters_by_type() -> None:
    """A runtime, a store, a writer: whatever the parameter's name, also optional, as text, or imported for type checkers only."""

    def one(state: State, rt: Runtime[Context], memory: Store, say: StreamWriter) -> None: ...
    def other(state: State, *, rt: Optional[Runtime] = None, memory: Store | None = None) -> None: ...  # noqa: UP045 - old code
    def third(state: State, rt: Runtime[OnlyForCheckers]) -> None: ...

    assert made(one).wishes == {"rt": "runtime", "memory": "store", "say": "writer"}
    assert made(other).wishes == {"rt": "runtime", "memory": "store"}
    assert made(third).wishes == {"rt": "runtime"}


def test_parameters_by_name() -> None:
    """As LangGraph's users write them; a name alone does not take what another type says."""

    def one(state: State, config, writer, store) -> None: ...  # type: ignore[no-untyped-def]
    def other(state: State, config: RunnableConfig, writer: StreamWriter, *, store: MemoryStore) -> None: ...
    def third(state: State, config: dict[str, Any] | None = None, runtime: str = "fast", store: int = 3) -> None: ...

    assert made(one).wishes == {"config": "config", "writer": "writer", "store": "store"}
    assert made(other).wishes == {"config": "config", "writer": "writer", "store": "store"}
    assert made(third).wishes == {"config": "config"}


def test_what_they_get() -> None:
    """The values come from the runtime."""

    def work(state: State, rt: Runtime[str], config: dict[str, Any], writer: StreamWriter, store: Store) -> None: ...

    said: list[Any] = []
    runtime = Runtime(context="c", store=MemoryStore(), stream_writer=said.append, config={"tags": []})
    assert filled(made(work).wishes, runtime) == {"rt": runtime, "config": {"tags": []}, "writer": said.append, "store": runtime.store}


def test_parameters_that_get_nothing() -> None:
    """The error says what there is."""

    def bare(state: State, runtime) -> None: ...  # type: ignore[no-untyped-def]
    def tools(state: State, runtime: ToolRuntime) -> None: ...
    def more(state: State, model: str) -> None: ...
    def first(state: State, runtime: Runtime, /) -> None: ...
    def nothing() -> None: ...
    def named(*, state: State) -> None: ...

    assert refused(bare) == snapshot("node 'a': the parameter 'runtime' has no type; annotate it, `runtime: Runtime` to get the runtime")
    assert refused(tools) == snapshot("node 'a': the parameter 'runtime' asks for a ToolRuntime, which tools get; a node gets a Runtime")
    assert refused(more) == snapshot(
        "node 'a': the parameter 'model' (str) gets nothing: beside the state there are a Runtime, a "
        "Store, a StreamWriter, and `config`, `writer` and `store` by name; give it a default, or fix "
        "its value with functools.partial"
    )
    assert refused(first) == snapshot(
        "node 'a': the parameter 'runtime' is positional-only, and it is given by name; take the `/` out of the signature"
    )
    assert refused(nothing) == snapshot("node 'a' takes no state; its function needs a first parameter for it: def nothing(state)")
    assert refused(named) == snapshot("node 'a' takes no state; its function needs a first parameter for it: def named(state)")
    assert made(functools.partial(more, model="m")).wishes == {}


def test_actions() -> None:
    """Functions, methods, partials, callable objects, and what has `invoke`."""

    def plain(state: State) -> None: ...
    async def later(state: State, runtime: Runtime) -> None: ...

    class Worker:
        def __call__(self, state: State) -> None: ...
        async def method(self, state: State) -> None: ...

    class Later:
        async def __call__(self, state: State, config: dict[str, Any]) -> None: ...

    class Agent:
        name = "helper"

        def invoke(self, state: Any) -> None: ...

    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    actions = [plain, later, functools.partial(later), Worker(), Worker().method, Later(), Agent(), ToolNode([add]), lambda state: None]
    nodes = [made(action) for action in actions]
    assert [(node.form, node.is_async) for node in nodes] == [
        ("function", False),
        ("function", True),
        ("function", True),
        ("function", False),
        ("function", True),
        ("function", True),
        ("invoke", False),
        ("task", True),
        ("function", False),
    ]
    assert [name_of(action) for action in actions[:-1]] == ["plain", "later", "later", "Worker", "method", "Later", "helper", "tools"]
    assert nodes[2].wishes == {"runtime": "runtime"}
    assert nodes[5].wishes == {"config": "config"}


def test_what_is_no_node() -> None:
    """The error says what to do."""

    class Worker: ...

    def produce(state: State) -> Any:
        yield 1

    assert refused(Worker) == snapshot("node 'a' is the class Worker; give an object of it, Worker(…), or a function of the state")
    assert refused("work") == snapshot("node 'a' is a str: 'work'; a node is a function of the state, or has `invoke`")
    assert refused(produce) == snapshot(
        "node 'a' is a generator; a node returns its update, and sends what it has on the way with a StreamWriter"
    )
    assert refused(StateGraph(State)) == snapshot("node 'a' is a graph that is not compiled; add_node('a', graph.compile())")


def test_targets() -> None:
    """Where commands lead, as far as the node says; a return type that is no command says nothing."""

    def declared(state: State) -> Command[Literal["b", "__end__"]]:

        raise NotImplementedError

    def mixed(state: State) -> dict[str, Any] | Command[Literal["b"]]:
        raise NotImplementedError

    def anywhere(state: State) -> Command:
        raise NotImplementedError

    def never(state: State) -> Literal["b"]:
        raise NotImplementedError

    assert made(declared).targets == {"b": "", "__end__": ""}
    assert made(mixed).targets == {"b": ""}
    assert made(anywhere).targets is None
    assert made(never).targets == {}
    assert made(never, destinations=["c", "d"]).targets == {"c": "", "d": ""}
    assert made(never, destinations={"c": "when it fails"}).targets == {"c": "when it fails"}


def test_a_schema_of_its_own() -> None:
    """A node gets the state as its first parameter is annotated, where that is a schema."""

    def private(state: Part) -> None: ...
    def loose(state: dict[str, Any]) -> None: ...
    def bare(state) -> None: ...  # type: ignore[no-untyped-def]

    assert made(private).schema.schema is Part
    assert made(loose).schema is SCHEMA
    assert made(bare).schema is SCHEMA
    assert made(bare, input_schema=Part).schema.schema is Part
