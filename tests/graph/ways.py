"""The ways to run a graph."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypedDict

from holter import MemoryJournal, StateGraph
from holter.graph.edge import START
from holter.journal.event import Event
from holter.messages import AnyMessage, add_messages
from holter.tools.drive import drive

Way = Callable[..., Any]


def joined(old: list[Any], new: list[Any]) -> list[Any]:
    """A reducer: both lists, one after the other."""
    return [*old, *new]


class Log(TypedDict, total=False):
    """A state that keeps everything that nodes write to `log`, and a conversation."""

    log: Annotated[list[str], joined]
    n: int
    messages: Annotated[list[AnyMessage], add_messages]


def in_sync(graph: Any, given: Any, **options: Any) -> dict[str, Any]:
    """As a synchronous caller does it."""
    result: dict[str, Any] = graph.invoke(given, **options)
    return result


def in_async(graph: Any, given: Any, **options: Any) -> dict[str, Any]:
    """As an asynchronous caller does it."""
    result: dict[str, Any] = asyncio.run(graph.ainvoke(given, **options))
    return result


def in_notebook(graph: Any, given: Any, **options: Any) -> dict[str, Any]:
    """As a synchronous caller does it inside a running loop."""

    async def cell() -> dict[str, Any]:
        return in_sync(graph, given, **options)

    return asyncio.run(cell())


def streamed(graph: Any, given: Any, **options: Any) -> list[Any]:
    """The chunks of a synchronous stream."""
    return list(graph.stream(given, **options))


def streamed_async(graph: Any, given: Any, **options: Any) -> list[Any]:
    """The chunks of an asynchronous stream."""

    async def main() -> list[Any]:
        chunks: AsyncIterator[Any] = graph.astream(given, **options)
        return [chunk async for chunk in chunks]

    return asyncio.run(main())


def says(text: str) -> Callable[[Any], Log]:
    """A node that writes the text to the log."""

    def node(state: Any) -> Log:
        return {"log": [text]}

    return node


def graph_of(schema: Any = Log, **nodes: Any) -> StateGraph:
    """A graph with these nodes and an edge to the first."""
    graph = StateGraph(schema)
    for name, action in nodes.items():
        graph.add_node(name, action)
    return graph.add_edge(START, next(iter(nodes)))


def events_of(journal: MemoryJournal, thread: str = "t") -> list[Event]:
    """What stands in a thread."""
    return [entry.event for entry in drive(journal.read(thread))]
