"""Events without what they say."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.journal.blank import BLANK, blanked, without
from holter.journal.event import (
    Cancelled,
    Event,
    Interrupted,
    MessageAdded,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ToolFailed,
    ToolStarted,
)
from holter.journal.fold import Fold
from holter.journal.stored import decode, encode
from holter.messages import AIMessage, HumanMessage, ToolMessage
from tests.journal.events import entries, events, threads

CALL = {"name": "pay", "args": {"card": "4711", "n": 3}, "id": "c", "type": "tool_call"}
BAD = {"name": "pay", "args": "{4711", "id": "d", "error": "not JSON: 4711", "type": "invalid_tool_call"}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (MessageAdded(message=HumanMessage("4711", id="h")), MessageAdded(message=HumanMessage(BLANK, id="h"))),
        (MessageAdded(message=HumanMessage("", id="h")), MessageAdded(message=HumanMessage("", id="h"))),
        (
            MessageAdded(
                message=AIMessage(
                    [{"type": "text", "text": "4711"}],
                    id="a",
                    reasoning="4711",
                    tool_calls=[CALL],
                    invalid_tool_calls=[BAD],
                    response_metadata={"finish_reason": "stop", "raw": "4711"},
                    additional_kwargs={"x": "4711"},
                ),
                node="model",
            ),
            MessageAdded(
                message=AIMessage(
                    BLANK,
                    id="a",
                    tool_calls=[{"name": "pay", "args": {}, "id": "c", "type": "tool_call"}],
                    invalid_tool_calls=[{"name": "pay", "args": BLANK, "id": "d", "error": BLANK, "type": "invalid_tool_call"}],
                    response_metadata={"finish_reason": "stop"},
                ),
                node="model",
            ),
        ),
        (
            MessageAdded(message=ToolMessage("4711", id="t", tool_call_id="c", artifact={"n": 4711}, status="error")),
            MessageAdded(message=ToolMessage(BLANK, id="t", tool_call_id="c", status="error")),
        ),
        (
            RunStarted(run="r", program="p", input={"messages": [{"type": "human", "content": "4711", "id": "h"}], "n": 4711}),
            RunStarted(run="r", program="p", input={"messages": [{"type": "human", "content": BLANK, "id": "h"}], "n": 0}),
        ),
        (NodeEnded(node="n", task="0.0", writes={"x": ["4711", None]}), NodeEnded(node="n", task="0.0", writes={"x": [BLANK, None]})),
        (
            ToolFailed(call_id="c", name="pay", error="4711", traceback="4711", attempt=2),
            ToolFailed(call_id="c", name="pay", error=BLANK, traceback=BLANK, attempt=2),
        ),
        (Interrupted(key="c", value={"ask": "4711?"}), Interrupted(key="c", value={"ask": BLANK})),
        (Repaired(code="ARG02", text="closed it", raw="{4711"), Repaired(code="ARG02", text="closed it", raw=BLANK)),
        (Cancelled(reason="4711"), Cancelled(reason=BLANK)),
        (RunEnded(run="r", status="failed", error="4711"), RunEnded(run="r", status="failed", error=BLANK)),
        (ToolStarted(call_id="c", name="pay"), ToolStarted(call_id="c", name="pay")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_an_event_says_is_blanked(event: Event, expected: Event) -> None:
    """Ids, names, kinds and places stay."""
    assert blanked(event) == expected


@given(threads())
def test_a_blanked_thread_folds_as_before(events: list[Event]) -> None:
    """Its messages are of the same kinds, with the same ids and calls, and the same calls are open."""
    before = Fold.of(entries(events))
    after = Fold.of(entries([blanked(event) if isinstance(event, MessageAdded) else event for event in events]))
    assert [(type(m), m.id) for m in after.messages()] == [(type(m), m.id) for m in before.messages()]
    assert [(call.call.get("id"), call.seq, call.attempts) for call in after.open_calls] == [
        (call.call.get("id"), call.seq, call.attempts) for call in before.open_calls
    ]


@given(events)
def test_a_blanked_event_can_be_stored(event: Event) -> None:
    """It is of the same kind, and blanking it again changes nothing."""
    made = blanked(event)
    assert made.kind == event.kind
    assert decode(encode(made)) == made
    assert blanked(made) == made


@given(events, st.sampled_from(["a", "tool", "message", "0"]))
def test_one_text_is_blanked(event: Event, text: str) -> None:
    """Wherever it stands in a value; what tells the event's kind stays."""
    made = without(event, text)
    assert made.kind == event.kind
    if text not in BLANK and not isinstance(event, MessageAdded):
        said = msgspec.to_builtins(made)
        assert text not in "\n".join(value for key, value in said.items() if key not in ("kind", "status") and isinstance(value, str))


def test_only_that_text_is_blanked() -> None:
    """The rest of the message is as it was."""
    event = MessageAdded(message=HumanMessage("my card is 4711, thanks", id="h"))
    assert without(event, "4711") == MessageAdded(message=HumanMessage(f"my card is {BLANK}, thanks", id="h"))
    with pytest.raises(ValueError, match="empty"):
        without(event, "")
