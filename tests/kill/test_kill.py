"""Workers that are killed, at every append and at any moment: the next one goes on, and nothing is lost, doubled or done twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from holter import AIMessage, MemoryJournal, ToolMessage, sendable
from holter.journal.entry import Entry
from holter.journal.event import Answered, Interrupted, MessageAdded, ToolStarted
from holter.journal.fold import Fold
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.journal.place import open_at
from holter.messages import Message
from tests.graph.validity import check_history
from tests.kill.conftest import Nursery
from tests.kill.program import APPENDS, THREAD, agent_in, effects, work
from tests.postgres_server import Server

_schemas = count()
Place = tuple[str, dict[str, Any]]
"""Where a journal lies, and the options of its class."""
Places = Callable[[Path], Place]


def said(messages: Iterable[Message]) -> list[tuple[str, str, list[str]]]:
    """What stands in a conversation: kinds, texts, and the ids of calls."""
    return [
        (
            type(message).__name__,
            message.text,
            [call["id"] for call in message.tool_calls] if isinstance(message, AIMessage) else [getattr(message, "tool_call_id", "")],
        )
        for message in messages
    ]


def entries_of(journal: Journal) -> list[Entry]:
    """The thread."""
    return here(journal, lambda journal: journal.read(THREAD))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, list[str]]]:
    """What the conversation is where nobody is killed."""
    folder, journal = tmp_path_factory.mktemp("undisturbed"), MemoryJournal()
    work(agent_in(folder, journal), folder)
    assert sorted(effects(folder)) == ["c0-1", "c1-1", "c1-2", "c2-1"]
    return said(Fold.of(entries_of(journal)).messages())


def check(place: Place, folder: Path, undisturbed: list[tuple[str, str, list[str]]]) -> int:
    """Fails unless the thread is as if nobody had been killed; how many calls were asked for what became of them."""
    with closing(open_at(place[0], **place[1])) as journal:
        entries = entries_of(journal)
    fold = Fold()
    started: Counter[str | None] = Counter()
    again: Counter[str] = Counter()
    done: set[str | None] = set()
    for entry in entries:
        fold.add(entry)
        match entry.event:
            case ToolStarted(call_id=call_id):
                assert call_id not in done, f"{call_id} ran after its result stood in the journal"
                started[call_id] += 1
            case MessageAdded(message=ToolMessage() as message):
                assert message.tool_call_id not in done, f"{message.tool_call_id} has two results"
                done.add(message.tool_call_id)
            case Answered(key=key, value="again"):
                again[key.partition("~")[0]] += 1
        if isinstance(entry.event, MessageAdded | Interrupted):
            check_history(sendable(fold.messages()))
    assert fold.status == "done"
    assert said(fold.messages()) == undisturbed
    assert sorted(effects(folder)) == ["c0-1", "c1-1", "c1-2", "c2-1"], "an effect took place twice, or not at all"
    for call_id in effects(folder):
        assert started[call_id] <= 1 + again[call_id], f"{call_id} was started again, and nobody had said so"
    return sum(isinstance(entry.event, Interrupted) and "~" in entry.event.key for entry in entries)


@pytest.fixture(params=["sqlite", "postgres"])
def places(request: pytest.FixtureRequest) -> Places:
    """Where a journal lies for a folder, for each kind of them."""
    if request.param == "sqlite":
        return lambda folder: (str(folder / "journal.db"), {})
    server: Server = request.getfixturevalue("server")
    return lambda folder: (server.url, {"schema": f"k{next(_schemas)}", "connections": 2})


def every_append(nursery: Nursery, places: Places, root: Path, undisturbed: list[tuple[str, str, list[str]]], *, each: int) -> int:
    """Kills a worker before and after each append, or each few, and checks what the next one makes of it; how many calls were asked for
    what became of them."""
    whole = root / "whole"
    whole.mkdir()
    place = places(whole)
    assert nursery.work(place, whole)
    check(place, whole, undisturbed)
    appends = int((whole / APPENDS).read_text())
    asked = 0
    for at in range(0, appends, each):
        for is_after in (False, True):
            folder = root / f"{at}-{is_after}"
            folder.mkdir()
            place = places(folder)
            assert not nursery.work(place, folder, at, is_after=is_after)
            assert nursery.work(place, folder)
            asked += check(place, folder, undisturbed)
    return asked


def at_random(
    nursery: Nursery, places: Places, root: Path, undisturbed: list[tuple[str, str, list[str]]], kills: int, longest_s: float
) -> int:
    """Kills workers at random moments and appends, again and again on the same thread, so many of them; and checks each thread. How many
    calls were asked for what became of them."""
    chance = random.Random(7)
    asked = done = number = 0
    while done < kills:
        folder = root / str(number := number + 1)
        folder.mkdir()
        place = places(folder)
        for turn in count():
            at = chance.randrange(12) if chance.random() < 0.5 else None
            delay_s = chance.random() * longest_s if at is None else None
            last = turn > 8
            if nursery.work(place, folder, None if last else at, is_after=chance.random() < 0.5, delay_s=None if last else delay_s):
                break
            done += 1
        asked += check(place, folder, undisturbed)
    return asked


def test_killed_at_every_append(nursery: Nursery, places: Places, tmp_path: Path, undisturbed: list[tuple[str, str, list[str]]]) -> None:
    """The next worker brings the thread to the same end; what became of effects is asked."""
    is_remote = "://" in places(tmp_path)[0]
    assert every_append(nursery, places, tmp_path, undisturbed, each=4 if is_remote else 1) > 0


def test_killed_at_any_moment(nursery: Nursery, places: Places, tmp_path: Path, undisturbed: list[tuple[str, str, list[str]]]) -> None:
    """Again and again on one thread."""
    is_remote = "://" in places(tmp_path)[0]
    at_random(nursery, places, tmp_path, undisturbed, 35 if is_remote else 20, 0.15 if is_remote else 0.06)


@pytest.mark.nightly
def test_killed_through_the_night(nursery: Nursery, places: Places, tmp_path: Path, undisturbed: list[tuple[str, str, list[str]]]) -> None:
    """Five hundred times on each."""
    is_remote = "://" in places(tmp_path)[0]
    assert every_append(nursery, places, tmp_path, undisturbed, each=1) > 0
    assert at_random(nursery, places, tmp_path, undisturbed, 440, 0.15 if is_remote else 0.06) > 0
