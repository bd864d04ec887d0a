"""Holter's graph built by hand, the counterpart of LangGraph's: the same builder calls."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.contender.holter_model import PlayedModel
from benchmarks.contender.load import PROMPT, TOOL, Load, weather
from holter.graph import START, MessagesState, StateGraph, ToolNode, tools_condition
from holter.journal import Journal, SQLiteJournal
from holter.journal.sqlite_database import Sync
from holter.messages import HumanMessage
from holter.tools import tool


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """One `ainvoke`."""
    graph = graph_of(load)
    config = {"recursion_limit": 2 * load.steps + 10}

    async def run() -> int:
        return len((await graph.ainvoke({"messages": [HumanMessage(PROMPT)]}, config))["messages"])

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """One `astream` of the messages' deltas."""
    graph = graph_of(load)

    async def read() -> int:
        count = 0
        async for chunk, _ in graph.astream({"messages": [HumanMessage(PROMPT)]}, stream_mode="messages"):
            count += len(chunk.content)
        return count

    return read


@contextmanager
def keeper(load: Load, folder: Path, sync: Sync) -> Iterator[Callable[[], Awaitable[int]]]:
    """One `ainvoke` on a thread of its own, kept in a file."""
    config = {"recursion_limit": 2 * load.steps + 10}
    with SQLiteJournal(folder / "journal.db", sync) as journal:
        graph = graph_of(load, journal)

        async def run() -> int:
            return len((await graph.ainvoke({"messages": [HumanMessage(PROMPT)]}, config, thread=uuid4().hex))["messages"])

        yield run


def graph_of(load: Load, journal: Journal | None = None) -> Any:
    """The graph, compiled."""
    model = PlayedModel(load)

    async def llm(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("llm", llm)
    graph.add_node("tools", ToolNode([tool(TOOL, weather(load))]))
    graph.add_edge(START, "llm")
    graph.add_conditional_edges("llm", tools_condition)
    graph.add_edge("tools", "llm")
    return graph.compile(journal=journal)
