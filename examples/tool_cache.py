"""A wrapper by hand that keeps results: a second question is answered without running the tool.

A cache for a real program also forgets, has a limit, and tells users apart; results of tools that change something are not kept.
"""

import json
from collections.abc import Callable
from typing import Any

from holter import (
    END,
    START,
    HumanMessage,
    MessagesState,
    ScriptedModel,
    StateGraph,
    ToolCallRequest,
    ToolMessage,
    ToolNode,
    tool,
    tools_condition,
)


@tool(read_only=True)
def get_tide(port: str) -> str:
    """When the next high tide is.

    Args:
        port: A port.
    """
    return f"{port}: high tide at {6 + len(port)}:20"


KEPT: dict[tuple[str, str], Any] = {}


def remember(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
    """The kept result of an equal call, in a message of its own; else the call's result, which is kept."""
    call = request.tool_call
    key = (call["name"], json.dumps(call["args"], sort_keys=True))
    if key in KEPT:
        print(f"hit: {call['args']}")
        return ToolMessage(KEPT[key], tool_call_id=call["id"])
    message = execute(request)
    print(f"miss: {call['args']}")
    if message.status == "success":
        KEPT[key] = message.content
    return message


def ask(state: MessagesState) -> dict[str, Any]:
    """Asks the model."""
    return {"messages": [model.invoke(state["messages"])]}


def asks_for(port: str) -> dict[str, Any]:
    """A call for the tide of a port."""
    return {"name": "get_tide", "args": {"port": port}}


model = ScriptedModel(
    [
        [asks_for("Brest")],
        "In Brest the water is highest at 11:20.",
        [asks_for("Brest")],
        "As I said: at 11:20.",
        [asks_for("Hamburg")],
        "In Hamburg at 13:20.",
    ]
).bind_tools([get_tide])

builder = StateGraph(MessagesState)
builder.add_node("ask", ask)
builder.add_node("tools", ToolNode([get_tide], wrap_tool_call=remember))
builder.add_edge(START, "ask")
builder.add_conditional_edges("ask", tools_condition, ["tools", END])
builder.add_edge("tools", "ask")
graph = builder.compile()

if __name__ == "__main__":
    for question in ("When is high tide in Brest?", "Once more: when is it in Brest?", "And in Hamburg?"):
        print("=" * 30, question, "=" * 30)
        for message in graph.invoke({"messages": [HumanMessage(question)]})["messages"]:
            message.pretty_print()
