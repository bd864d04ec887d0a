"""Decision points."""

from hypothesis import given

from holter.analysis.decision import Decision, decisions
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from tests.strategies import broken_histories

CALLS = [{"name": "f", "args": {}, "id": i, "type": "tool_call"} for i in "ab"]


def test_points() -> None:
    """Before each call of the model, after each batch; both at once where the one follows the other."""
    messages: list[Message] = [
        HumanMessage("go"),
        AIMessage("", tool_calls=CALLS),
        ToolMessage("1", tool_call_id="a"),
        ToolMessage("2", tool_call_id="b"),
        AIMessage("", tool_calls=CALLS[:1]),
        ToolMessage("3", tool_call_id="a"),
        HumanMessage("stop"),
        AIMessage("ok"),
    ]
    assert list(decisions(messages)) == [
        Decision(1, [0], 0, 1),
        Decision(4, [1, 2, 3], 2, 4),
        Decision(6, [4, 5], 1, None),
        Decision(7, [6], 0, 7),
    ]
    assert list(decisions(messages[:4])) == [Decision(1, [0], 0, 1), Decision(4, [1, 2, 3], 2, None)]


@given(broken_histories())
def test_every_message_is_new_once(messages: list[Message]) -> None:
    """And in order; the model is asked once for each of its answers."""
    found = list(decisions(messages))
    new = [at for point in found for at in point.new]
    assert new == list(range(len(new)))
    assert [point.answer for point in found if point.answer is not None] == [
        at for at, message in enumerate(messages) if isinstance(message, AIMessage)
    ]
