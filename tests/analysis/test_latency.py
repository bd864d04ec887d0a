"""How long messages took."""

from datetime import UTC, datetime, timedelta

from holter.analysis.latency import took_s
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage

CALLS = [{"name": "f", "args": {}, "id": i, "type": "tool_call"} for i in "ab"]


def at(seconds: float) -> datetime:
    """A moment."""
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def test_results_of_a_batch_stand_in_the_order_of_their_calls() -> None:
    """So the answer waited for the latest of them, and each result for the message that asked."""
    messages: list[Message] = [
        HumanMessage("go", ts=at(0)),
        AIMessage("", tool_calls=CALLS, ts=at(1)),
        ToolMessage("slow", tool_call_id="a", ts=at(9)),
        ToolMessage("quick", tool_call_id="b", ts=at(3)),
        AIMessage("done", ts=at(10)),
        AIMessage("and more"),
        HumanMessage("thanks", ts=at(30)),
    ]
    assert [took_s(messages, position) for position in range(len(messages))] == [None, 1, 8, 2, 1, None, None]
