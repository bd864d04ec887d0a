"""Holter's graph built by hand, the counterpart of LangGraph's: the same builder calls."""

from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.contender.holter_model import PlayedModel
from benchmarks.contender.load import PROMPT, TOOL, Load, weather
from holter.graph import START, MessagesState, StateGraph, ToolNode, tools_condition
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


def graph_of(load: Load) -> Any:
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
    return graph.compile()
