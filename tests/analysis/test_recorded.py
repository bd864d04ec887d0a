"""A thread of a journal as a conversation."""

from holter.analysis.recorded import origin_of, recorded, recorded_lines
from holter.analysis.stats import Tally
from holter.journal.entry import Entry
from holter.journal.event import (
    CacheHit,
    Event,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolStarted,
)
from holter.messages import AIMessage, Conversation, HumanMessage, ToolMessage

CALL = {"name": "look", "args": {}, "id": "a", "type": "tool_call"}
EVENTS: list[tuple[float, Event]] = [
    (0, RunStarted(run="r", program="agent")),
    (0, MessageAdded(message=HumanMessage("go", id="h"))),
    (1, ModelStarted(model="m")),
    (2, ModelFailed(model="m", wait_s=0.5)),
    (3, ModelStarted(model="m", attempt=2)),
    (5, MessageAdded(message=AIMessage("", tool_calls=[CALL], id="1"), node="model", task="0.0")),
    (5, Repaired(code="ARG01", text="x", call_id="a")),
    (6, ToolStarted(call_id="a", name="look")),
    (7, ToolFailed(call_id="a", name="look", error="E", wait_s=1)),
    (8, ToolStarted(call_id="a", name="look", attempt=2)),
    (10, CacheHit(call_id="a", name="look")),
    (10, MessageAdded(message=ToolMessage("found", tool_call_id="a", name="look", id="t"), node="tools", task="1.0")),
    (11, ModelStarted(model="m")),
    (11.5, MessageAdded(message=AIMessage("done", id="2"), node="model", task="2.0")),
    (12, RunEnded(run="r")),
]


def test_times_and_attempts() -> None:
    """What only a journal knows: from the asking to the answer, from the first attempt to the result, and what was tried."""
    found = recorded("trip", [Entry(seq, 1_000 + at, event) for seq, (at, event) in enumerate(EVENTS)])
    assert [message.text for message in found.conversation.messages] == ["go", "", "found", "done"]
    assert (found.model_s, found.tool_s) == ({1: 4.0, 3: 0.5}, {2: 4.0})
    assert (found.model_retries, found.tool_retries, found.cache_hits, found.repairs) == (1, 1, 1, 1)
    assert found.conversation.extra == {"thread": "trip"}
    times = [message.ts.timestamp() for message in found.conversation.messages if message.ts]
    assert times == [1_000, 1_005, 1_010, 1_011.5]


def test_a_tally_takes_it() -> None:
    """With its times in place of those between messages."""
    tally = Tally()
    tally.add(recorded("trip", [Entry(seq, 1_000 + at, event) for seq, (at, event) in enumerate(EVENTS)]))
    assert (tally.model_spread.sum_s, tally.tools["look"].spread.sum_s, tally.tool_retries, tally.cache_hits) == (4.5, 4.0, 1, 1)


FORK = [Entry(seq, 1_000 + at, event) for seq, (at, event) in enumerate([*EVENTS[:12], (20.0, ThreadCreated(forked_from="trip", at=12))])]


def test_a_fork_beside_its_origin() -> None:
    """Says what both have, and counts no attempt of that."""
    found = recorded("fork", FORK, is_apart=False)
    assert found.conversation.shared is not None
    assert found.conversation.shared.messages == len(found.conversation.messages) == 3
    assert (found.model_retries, found.tool_retries, found.cache_hits, found.repairs) == (0, 0, 0, 0)
    assert (origin_of(FORK), origin_of(FORK[:3])) == ("trip", None)
    assert recorded("fork", FORK).tool_retries == 1


def test_lines_of_a_journal() -> None:
    """Count as the thread does; other conversations are left as they are."""
    conversation = recorded("trip", FORK).conversation
    found = recorded_lines(conversation)
    assert not isinstance(found, Conversation)
    assert (found.conversation, found.model_s, found.tool_retries) == (conversation, {1: 4.0}, 1)
    other = Conversation(format="x", messages=[])
    assert recorded_lines(other) is other
