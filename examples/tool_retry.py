"""A wrapper by hand that tries a call again, and what the model is told when it gives up.

`holter.tools.ToolRuntime.attempt` says which try it is; the run's context says how many there may be.
"""

from collections.abc import Callable
from dataclasses import dataclass
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
    ToolRuntime,
    tool,
    tools_condition,
)


@dataclass
class Line:
    """The line to the ferry company: what a run is given."""

    max_tries: int
    breaks: int
    """How often it breaks before somebody answers."""


@tool
def next_ferry(harbour: str, runtime: ToolRuntime[Line, Any]) -> str:
    """When the next ferry leaves.

    Args:
        harbour: Where it leaves from.
    """
    if runtime.attempt <= runtime.context.breaks:
        raise ConnectionError("the line broke")
    return f"From {harbour} at 14:40"


def try_again(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
    """Executes a call until the line holds; else says that it did not."""
    tries: int = request.runtime.context.max_tries
    for attempt in range(1, tries + 1):
        try:
            return execute(request)
        except ConnectionError as error:
            print(f"try {attempt} of {tries}: {error}")
    return ToolMessage(f"Nobody answered in {tries} tries.", tool_call_id=request.tool_call["id"])


def ask(state: MessagesState) -> dict[str, Any]:
    """Asks the model."""
    return {"messages": [model.invoke(state["messages"])]}


CALL = {"name": "next_ferry", "args": {"harbour": "Split"}}
model = ScriptedModel(
    [
        [CALL],
        "The next ferry leaves Split at 14:40.",
        [CALL],
        "I could not reach the ferry company. Please ask at the harbour.",
    ]
).bind_tools([next_ferry])

builder = StateGraph(MessagesState, context_schema=Line)
builder.add_node("ask", ask)
builder.add_node("tools", ToolNode([next_ferry], wrap_tool_call=try_again))
builder.add_edge(START, "ask")
builder.add_conditional_edges("ask", tools_condition, ["tools", END])
builder.add_edge("tools", "ask")
graph = builder.compile()

if __name__ == "__main__":
    for line in (Line(max_tries=3, breaks=1), Line(max_tries=3, breaks=3)):
        print("=" * 30, f"tries that break: {line.breaks}", "=" * 30)
        result = graph.invoke({"messages": [HumanMessage("When does the next ferry leave Split?")]}, context=line)
        for message in result["messages"]:
            message.pretty_print()
