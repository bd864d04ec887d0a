"""Equal calls with equal results."""

from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.event import LimitReached
from holter.messages import AIMessage, HumanMessage
from holter.tools import tool
from holter.tools.wrap import limit_repeats
from tests.tools.wrap.calls import WAYS, Way, call


@pytest.mark.parametrize("way", WAYS)
def test_the_third_says_that_nothing_changed_and_the_fifth_ends(way: Way) -> None:
    """The order of the arguments is nothing, and calls of others between do not matter."""

    @tool
    def ls(p: str, n: int = 0) -> list[str]:
        """List."""
        return []

    node = ToolNode([ls], wrap_tool_call=limit_repeats())
    history: list[Any] = [HumanMessage("list")]
    events: list[Any] = []
    for number in range(5):
        args = {"p": "/", "n": 1} if number % 2 else {"n": 1, "p": "/"}
        history.append(AIMessage("", tool_calls=[call("ls", f"r{number}", **args), call("ls", f"x{number}", p=str(number))]))
        history += way(node, history, emit=events.append)
    results = [message for message in history if getattr(message, "tool_call_id", "").startswith("r")]
    note = "[Nothing changed: ls was called with these arguments {} times, and the result is the same. {}]"
    more = "Do something else, or answer with what you have."
    assert [result.content for result in results] == [
        "[]",
        "[]",
        "[]\n\n" + note.format(3, more),
        "[]\n\n" + note.format(4, more),
        "[]\n\n" + note.format(5, "That is the limit; the run ends."),
    ]
    assert [result.status for result in results] == ["success"] * 4 + ["error"]
    assert [event for event in events if isinstance(event, LimitReached)] == [LimitReached(limit="repeats", value=5)]


def test_a_result_that_changes_never_counts() -> None:
    """Polling is no loop; a new input begins anew."""
    states = iter(["queued", "queued", "running", "running", "queued", "queued", "queued"])

    @tool
    def poll() -> str:
        """Poll."""
        return next(states)

    node = ToolNode([poll], wrap_tool_call=limit_repeats())
    history: list[Any] = [HumanMessage("wait")]
    for number in range(6):
        history.append(AIMessage("", tool_calls=[call("poll", str(number))]))
        history += node.invoke(history)
    history += [HumanMessage("again"), AIMessage("", tool_calls=[call("poll", "last")])]
    history += node.invoke(history)
    assert all("Nothing changed" not in message.content for message in history)
