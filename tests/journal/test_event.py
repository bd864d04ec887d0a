"""Events: values with one JSON form."""

import msgspec
import pytest

from holter.journal.event import Event, MessageAdded, Repaired, RunEnded, ToolFailed, ToolStarted
from holter.messages import AIMessage

EVENTS: list[Event] = [
    ToolStarted(call_id="c1", name="add"),
    ToolFailed(call_id="c1", name="add", attempt=2, error="ValueError: no", wait_s=0.5),
    Repaired(code="ARG03", text="blank arguments were read as {}", call_id="c1", raw=""),
    MessageAdded(task="1.0", message=AIMessage("hi", tool_calls=[{"name": "f", "args": {}, "id": "1", "type": "tool_call"}]), node="model"),
    RunEnded(run="r", status="limit"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_comes_back_from_its_json(event: Event) -> None:
    """Encoding and decoding by the union gives an equal event of the same kind."""
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event


def test_the_kind_tells_events_apart() -> None:
    """`kind` is the tag of the JSON form, and fields that say nothing are left out."""
    assert msgspec.json.encode(EVENTS[0]) == b'{"kind":"tool_started","call_id":"c1","name":"add"}'
    assert [event.kind for event in EVENTS] == ["tool_started", "tool_failed", "repair", "message", "run_ended"]
