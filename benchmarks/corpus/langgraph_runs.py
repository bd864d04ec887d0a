"""LangGraph: a graph of a model and a `ToolNode`, its messages as LangChain writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import HumanMessage, SystemMessage, messages_to_dict
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from benchmarks.corpus import scene as said
from benchmarks.corpus.scene import Scene

TOOLS = [StructuredTool.from_function(one) for one in (said.get_weather, said.find_hotels, said.convert_currency)]


def run(scene: Scene, url: str) -> Iterator[tuple[str, Any]]:
    """(name, document): the messages by `messages_to_dict` and by `dumpd`."""
    model = ChatOpenAI(model=scene.name, base_url=url, api_key="none").bind_tools(TOOLS)

    def llm(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("llm", llm)
    graph.add_node("tools", ToolNode(TOOLS, handle_tool_errors=True))
    graph.add_edge(START, "llm")
    graph.add_conditional_edges("llm", tools_condition)
    graph.add_edge("tools", "llm")
    compiled = graph.compile()
    messages: list[Any] = [SystemMessage(said.SYSTEM)]
    for turn in scene.turns:
        messages = compiled.invoke({"messages": [*messages, HumanMessage(turn)]})["messages"]
    yield "LangGraph, messages_to_dict", messages_to_dict(messages)
    yield "LangGraph, dumpd", dumpd(messages)
