"""Results for calls that no tool will answer any more."""

from hypothesis import given

from holter.journal.closing import closings
from holter.journal.event import Event, Interrupted, MessageAdded, ToolFailed, ToolStarted
from holter.journal.fold import Fold
from holter.messages import HumanMessage, ToolMessage
from tests.journal.events import added, asked, entries, result, threads


def closed(events: list[Event], node: str | None = None) -> list[tuple[str | None, str]]:
    """(call id, text) of each result that closes the thread."""
    made = closings(Fold.of(entries(events)), "the run was cancelled", node)
    assert all(isinstance(event, MessageAdded) and event.node == node and event.task is None for event in made)
    messages = [event.message for event in made if isinstance(event, MessageAdded)]
    assert all(isinstance(message, ToolMessage) and message.status == "error" and message.id for message in messages)
    return [(message.tool_call_id, message.text) for message in messages if isinstance(message, ToolMessage)]


def test_each_open_call_gets_what_is_known_of_it() -> None:
    """Not begun, begun, failed, begun again after that, left running, asking; in the order of the calls."""
    events: list[Event] = [
        *added(asked("new", "begun", "failed", "again", "left", "asking", "done")),
        *(ToolStarted(call_id=call_id, name="f") for call_id in ("begun", "failed", "again", "left", "asking", "done")),
        ToolFailed(call_id="failed", name="f", error="ValueError: bad"),
        ToolFailed(call_id="again", name="f", error="ValueError: bad", wait_s=1.0),
        ToolStarted(call_id="again", name="f", attempt=2),
        ToolFailed(call_id="left", name="f", error="ToolTimeout: late", unknown=True),
        Interrupted(key="asking", value="sure?"),
        *added(result("done")),
    ]
    unknown = (
        "Error: f was started, and the run was cancelled before it answered. Whether it took effect is not known: find out before calling "
        "it again."
    )
    assert closed(events) == [
        ("new", "Error: f was not run: the run was cancelled."),
        ("begun", unknown),
        ("failed", "Error: f failed: ValueError: bad"),
        ("again", unknown),
        ("left", unknown),
        ("asking", "Error: f was not run: the run was cancelled."),
    ]


def test_nothing_open_is_nothing_to_close() -> None:
    """Of an empty thread, of answered calls, of a conversation without any."""
    assert closed([]) == closed([*added(asked("a"), result("a"))]) == closed(added(HumanMessage("hi"))) == []


def test_closings_name_the_node() -> None:
    """Where one is said, so that the graph goes on behind it."""
    assert [call_id for call_id, _ in closed(added(asked("a", "b")), "tools")] == ["a", "b"]


@given(threads())
def test_a_closed_thread_has_no_open_calls(events: list[Event]) -> None:
    """And there is nothing to close any more."""
    fold = Fold.of(entries(events))
    made = closings(fold, "the run failed")
    whole = Fold.of(entries([*events, *made]))
    assert whole.open_calls == []
    assert closings(whole, "the run failed") == []
