"""The journal's own lines as a log: those of a run, and those of an export."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given

from holter import AIMessage, HumanMessage, MemoryJournal, ToolMessage, read
from holter.errors import ReadError
from holter.formats.holter_journal import conversation_of
from holter.journal.event import Event, Interrupted, MessageAdded, RunEnded, RunStarted
from holter.journal.fold import Fold
from holter.journal.here import here
from holter.journal.transfer import export
from tests.journal.events import threads

CALLS: list[dict[str, Any]] = [{"name": "look", "args": {"at": "it"}, "id": name, "type": "tool_call"} for name in ("c1", "c2")]
EVENTS: list[Event] = [
    RunStarted(run="r"),
    MessageAdded(message=HumanMessage("看一下", id="h")),
    MessageAdded(message=AIMessage("", id="a", tool_calls=CALLS)),
    MessageAdded(message=ToolMessage("second", id="t2", tool_call_id="c2"), node="tools", task="1.0"),
    Interrupted(key="c1", value="may I?"),
    MessageAdded(message=ToolMessage("first", id="t1", tool_call_id="c1"), node="tools", task="1.0"),
    RunEnded(run="r"),
]


def exported(journal: MemoryJournal) -> bytes:
    """The lines of all threads."""

    async def main() -> bytes:
        return b"".join([line async for line in export(journal)])

    return asyncio.run(main())


def journal_of(**made: list[Event]) -> MemoryJournal:
    """A journal with these threads."""
    journal = MemoryJournal(clock=lambda: 1_700_000_000.0)
    for thread, events in made.items():
        here(journal, lambda journal, thread=thread, events=events: journal.append(thread, 0, events))  # type: ignore[misc]
    return journal


def test_an_export() -> None:
    """A conversation for each thread, its results in the order of the calls, each message with the time of its event."""
    found = read(exported(journal_of(one=EVENTS, two=EVENTS[:2])))
    assert sorted((one.extra["thread"], [message.text for message in one.messages]) for one in found) == [
        ("one", ["看一下", "", "first", "second"]),
        ("two", ["看一下"]),
    ]
    assert all(message.ts is not None and message.ts.year == 2023 for one in found for message in one.messages)
    assert [one.format for one in found] == ["holter.journal"] * 2
    assert [one.findings for one in found] == [[], []]


def test_a_run() -> None:
    """As `holter run --json` writes it; a run inside is a conversation of its own."""
    lines = [{"seq": seq, "ts": 1.0, "kind": event.kind, **json.loads(json.dumps(_fields(event)))} for seq, event in enumerate(EVENTS)]
    inside = [{**line, "inside": ["tools:1.0.c1"]} for line in lines[:2]]
    text = "\n".join(json.dumps(line) for line in [*lines[:5], *inside, *lines[5:]])
    assert [[message.text for message in one.messages] for one in read(text)] == [["看一下", "", "first", "second"], ["看一下"]]


def _fields(event: Event) -> Any:
    import msgspec

    return {key: value for key, value in msgspec.to_builtins(event).items() if key != "kind"}


def test_a_fork_says_where_its_beginning_is() -> None:
    """Its own part is read."""
    journal = journal_of(one=EVENTS)
    here(journal, lambda journal: journal.fork("one", 2, "two"))
    here(journal, lambda journal: journal.append("two", 3, [MessageAdded(message=AIMessage("else", id="e"))]))
    [found] = [one for one in read(exported(journal)) if one.extra["thread"] == "two"]
    assert [message.text for message in found.messages] == ["else"]
    assert [finding.text for finding in found.findings] == ["its first 2 events are those of thread 'one'"]


def test_damage_is_a_finding() -> None:
    """An event that nobody knows is left out, and the others are read."""
    lines = exported(journal_of(one=EVENTS[:3])).splitlines()
    lines.insert(2, b'{"thread":"one","seq":9,"ts":1.0,"event":{"kind":"message","message":{"type":"martian"}}}')
    [found] = read(b"\n".join(lines))
    assert len(found.messages) == 2
    assert [finding.code for finding in found.findings] == ["READ02"]


def test_nothing_but_a_head() -> None:
    """Is no conversation."""
    with pytest.raises(ReadError):
        read(b'{"holter":"journal","version":1}\n{"thread":"t","seq":0,"ts":1.0,"event":{"kind":"run_started","run":"r"}}\n')


def test_counts_that_are_none() -> None:
    """In lines that somebody has changed they count for nothing."""
    message = {
        "type": "ai",
        "content": "x",
        "id": "a",
        "usage_metadata": {"input_tokens": 3, "output_tokens": "z", "output_token_details": 5},
    }
    line = {"thread": "t", "seq": 0, "ts": 1.0, "event": {"kind": "message", "message": message}}
    [found] = read(b'{"holter":"journal","version":1}\n' + json.dumps(line).encode() + b"\n")
    assert getattr(found.messages[0], "usage_metadata", None) == {"input_tokens": 3}


@given(threads())
def test_a_thread_says_what_its_fold_says(events: list[Event]) -> None:
    """Whatever stands in it, directly and by way of an export; but for what it says is not to be shown."""
    journal = journal_of(t=events)
    entries = here(journal, lambda journal: journal.read("t"))
    fold = Fold.of(entries)
    messages = fold.redaction.value(fold.messages())
    assert [(type(one), one.id, one.text) for one in conversation_of("t", entries).messages] == [
        (type(one), one.id, one.text) for one in messages
    ]
    if messages:
        [found] = read(exported(journal))
        assert [(type(one), one.id) for one in found.messages] == [(type(one), one.id) for one in messages]
