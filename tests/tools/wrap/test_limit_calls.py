"""Only so many calls."""

from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.event import ToolRefused
from holter.messages import AIMessage, HumanMessage
from holter.tools import ToolRuntime, tool
from holter.tools.batch import run_batch_here
from holter.tools.execute import Executor
from holter.tools.wrap import limit_calls
from tests.tools.wrap.calls import WAYS, Recorded, Way, call


@tool
def note(text: str) -> str:
    """Note."""
    return text


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@pytest.mark.parametrize("way", WAYS)
def test_calls_of_a_run_are_counted(way: Way) -> None:
    """Over the limit the model gets an error that says so, in the order of the calls; a new input begins anew."""
    node = ToolNode([pay, note], wrap_tool_call=limit_calls(per_run=3, per_tool=2))
    history: list[Any] = [HumanMessage("go")]
    calls = [call("pay", "a", amount=1), call("pay", "b", amount=2), call("pay", "c", amount=3), call("note", "d", text="x")]
    history += [AIMessage("", tool_calls=calls[:2])]
    history += way(node, history)
    history += [AIMessage("", tool_calls=calls[2:])]
    events: list[Any] = []
    results = way(node, history, emit=events.append)
    assert [result.status for result in results] == ["error", "error"]
    assert results[0].content == (
        "Error: pay was not run: pay may be called 2 times in a run, and that is used up; go on with what you have."
    )
    assert "a run may make 3 calls, and they are used up" in results[1].content
    assert {event.by for event in events if isinstance(event, ToolRefused)} == {"limit_calls"}
    again = [*history, *results, HumanMessage("again"), AIMessage("", tool_calls=[call("pay", "e", amount=1)])]
    assert way(node, again)[0].content == "paid 1"


def test_the_engine_may_say_how_many_there_were() -> None:
    """What the journal counts goes before what the messages show, and the calls of the batch are added to it."""
    executor = Executor({"pay": pay}, [limit_calls(per_run=5)])
    runtime: ToolRuntime[Any, Any] = ToolRuntime(asked=lambda: {"pay": 3})
    requests = [executor.request(call("pay", str(number), amount=number), runtime) for number in range(4)]
    results = [outcome.result for outcome in run_batch_here(executor, requests)]
    assert [getattr(result, "status", None) for result in results] == ["success", "success", "error", "error"]


def test_calls_a_minute() -> None:
    """All runs that share the wrapper share the minute; `tools` leaves others out."""
    limit = limit_calls(per_minute=2, tools=["pay"])
    runs = [Recorded(ToolNode([pay, note], wrap_tool_call=limit)) for _ in range(2)]
    assert [run("pay", amount=1).status for run in (*runs, *runs)] == ["success", "success", "error", "error"]
    assert runs[0]("note", text="x").content == "x"
    assert "only 2 calls a minute" in str(runs[1]("pay", amount=1).content)
