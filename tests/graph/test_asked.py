"""How many calls a run asked for, as its journal has it."""

from collections.abc import Sequence

from holter.graph.asked import Asked
from holter.graph.recorder import Recorder
from holter.journal import MemoryJournal
from holter.journal.event import Event, MessageAdded, RunStarted
from holter.journal.fold import Fold
from holter.messages import AIMessage, Message, ToolMessage
from tests.journal.events import asked, result


def recorder() -> Recorder:
    """A thread with nothing in it."""
    return Recorder(MemoryJournal(), "t", Fold(), None, ())


def added(*messages: Message, node: str | None = "model") -> Sequence[Event]:
    """The events of messages that a node made."""
    return [MessageAdded(message=message, node=node) for message in messages]


def test_calls_before_one() -> None:
    """Those of earlier messages, and those that stand before it in its own."""
    thread = recorder()
    thread.record([RunStarted(run="r", input={}), *added(asked("a", "b", message_id="1"))])
    counting = Asked(thread)
    assert [counting.before(key) for key in ("a", "b")] == [{}, {"f": 1}]
    thread.record([*added(result("a"), result("b"), node="tools"), *added(asked("c", message_id="2", name="g"))])
    assert counting.before("c") == {"f": 2}
    assert counting.before("unknown") == {"f": 2, "g": 1}
    assert Asked(thread).before("b") == {"f": 1}


def test_a_message_in_a_new_form() -> None:
    """Counts with the calls that it has now."""
    thread = recorder()
    thread.record([RunStarted(run="r", input={}), *added(asked("a", "b", message_id="1"))])
    counting = Asked(thread)
    assert counting.before("x") == {"f": 2}
    thread.record(added(asked("a", message_id="1")))
    assert counting.before("x") == {"f": 1}
    thread.record(added(AIMessage("no calls", id="1")))
    assert counting.before("x") == {}


def test_only_the_newest_run() -> None:
    """Counts, and of its input what nothing answers; a run that goes on begins nothing anew."""
    thread = recorder()
    thread.record([RunStarted(run="r", input={}), *added(asked("a", message_id="1")), *added(result("a"), node="tools")])
    thread.record([RunStarted(run="s", input={}), *added(asked("b", message_id="2"), result("b"), asked("c", message_id="3"), node=None)])
    assert Asked(thread).before("c") == {}
    assert Asked(thread).before("x") == {"f": 1}
    thread.record([RunStarted(run="s2"), *added(ToolMessage("r", tool_call_id="c"), node="tools"), *added(asked("d", message_id="4"))])
    assert Asked(thread).before("d") == {"f": 1}
