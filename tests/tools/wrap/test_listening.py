"""What a wrapper hears of the tries inside it."""

from holter.journal.event import CacheMissed, Event, ToolFailed, ToolStarted
from holter.tools import ToolRuntime
from holter.tools.request import ToolCallRequest
from holter.tools.wrap.listening import Listening
from tests.tools.wrap.calls import call

STARTED = ToolStarted(call_id="1", name="f")
FAILED, AGAIN = (ToolFailed(call_id="1", name="f", attempt=attempt) for attempt in (1, 2))
MISSED = CacheMissed(call_id="1", name="f")


def test_everything_is_handed_on() -> None:
    """At once, and what was started and how it failed is known."""
    told: list[Event] = []
    heard = Listening(told.append)
    emit = heard.request(ToolCallRequest(call("f"), None, None, ToolRuntime())).runtime.emit
    for event in (STARTED, MISSED, FAILED):
        emit(event)
    assert told == [STARTED, MISSED, FAILED]
    assert (heard.started, heard.failure) == (STARTED, FAILED)


def test_a_failure_is_held_until_it_is_taken() -> None:
    """The next one lets it go."""
    told: list[Event] = []
    heard = Listening(told.append, holds_failures=True)
    emit = heard.request(ToolCallRequest(call("f"), None, None, ToolRuntime())).runtime.emit
    for event in (STARTED, FAILED, AGAIN, MISSED):
        emit(event)
    assert told == [STARTED, FAILED, MISSED]
    assert heard.take() == AGAIN
    assert heard.take() is None
