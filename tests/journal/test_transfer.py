"""Journals as JSON lines."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import JournalConflict, ReadError, UnknownThread
from holter.journal import Journal, MemoryJournal, PostgresJournal, SQLiteJournal
from holter.journal.event import Event, MessageAdded, Redacting, RunStarted, ToolStarted
from holter.journal.transfer import export, restore
from holter.messages import HumanMessage
from tests.journal.events import threads
from tests.postgres_server import Server


def event(number: int) -> ToolStarted:
    """An event that can be told from others."""
    return ToolStarted(call_id=str(number), name="f")


def lines(journal: Journal, threads: Sequence[str] | None = None) -> list[bytes]:
    """The exported journal."""

    async def main() -> list[bytes]:
        return [line async for line in export(journal, threads)]

    return asyncio.run(main())


async def fill(journal: Journal) -> None:
    """Two threads, forks of one of them, and a fork whose origin is gone, though its name is taken again."""
    await journal.append("a", 0, [RunStarted(run="r"), *map(event, range(1, 5))])
    await journal.append("b", await journal.fork("a", 3, "b"), [event(10)])
    await journal.append("c", await journal.fork("b", 4, "c"), [event(20)])
    await journal.append("gone", 0, [event(30), event(31)])
    await journal.fork("gone", 1, "orphan")
    await journal.delete("gone")
    await journal.append("gone", 0, [event(40), event(41)])


def test_a_journal_moves_from_one_store_to_another(tmp_path: Path, server: Server, schema: str) -> None:
    """From memory to a file to a server and back: the same entries, the same times, and forks still share."""
    memory = MemoryJournal()
    asyncio.run(fill(memory))
    first = lines(memory)
    with SQLiteJournal(tmp_path / "a.db") as file, PostgresJournal(server.url, schema=schema) as database:
        assert asyncio.run(restore(file, first)) == (["a", "b", "c", "gone", "orphan"], [])
        assert sorted(lines(file)) == sorted(first)
        asyncio.run(restore(database, lines(file)))
        assert sorted(lines(database)) == sorted(first)
        for thread in ("a", "b", "c", "orphan", "gone"):
            assert asyncio.run(database.read(thread)) == asyncio.run(memory.read(thread))
        assert [(info.id, info.forked_from, info.at) for info in asyncio.run(file.threads()) if info.id in "abc"] == [
            ("c", "b", 4),
            ("b", "a", 3),
            ("a", None, None),
        ]
    assert sum(b'"call_id":"1"' in line for line in first) == 1


def test_one_thread_is_exported_whole(tmp_path: Path) -> None:
    """A fork without its origin brings along what it shares."""
    memory = MemoryJournal()
    asyncio.run(fill(memory))
    with SQLiteJournal(tmp_path / "a.db") as file:
        assert asyncio.run(restore(file, lines(memory, ["c"]))) == (["c"], [])
        assert asyncio.run(file.read("c")) == asyncio.run(memory.read("c"))
        assert asyncio.run(restore(file, lines(memory, ["c", "a"]))) == (["a"], ["c"])
    with pytest.raises(UnknownThread, match="there is no thread 'nowhere'"):
        lines(memory, ["nowhere"])


def test_what_is_there_already_is_passed_over(tmp_path: Path) -> None:
    """An import can be done again after a fault; a thread with other events is a conflict, and stays as it is."""
    memory = MemoryJournal()
    asyncio.run(fill(memory))
    exported = lines(memory)
    with SQLiteJournal(tmp_path / "a.db") as file:
        with pytest.raises(ReadError, match="line 9 is no line of an exported journal, or a cut one"):
            asyncio.run(restore(file, [*exported[:8], exported[8][:-9]]))
        assert [info.id for info in asyncio.run(file.threads())] == ["a"]
        assert sum(map(len, asyncio.run(restore(file, exported)))) == 5
        assert [len(ids) for ids in asyncio.run(restore(file, exported))] == [0, 5]
        asyncio.run(file.append("a", 5, [event(5)]))
        with pytest.raises(JournalConflict):
            asyncio.run(restore(file, exported))
        assert asyncio.run(file.length("a")) == 6


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([b"{}\n"], "this is no exported journal"),
        ([b"prose\n"], "line 1 is no line"),
        ([b'{"holter":"journal","version":9}\n'], r"newer Holter \(version 9; this one knows 1\)"),
        ([b'{"holter":"journal","version":1}\n', b'{"thread":"t"}\n'], "line 2 is no entry"),
        ([b'{"holter":"journal","version":1}\n', b'{"event":{"kind":"cancelled"}}\n'], "line 2 is no entry"),
        ([b'{"holter":"journal","version":1}\n', b'{"thread":"t","seq":3,"event":{"kind":"cancelled"}}\n'], "do not count on from 0"),
        ([b'{"holter":"journal","version":1}\n', b'{"thread":"t","seq":0,"event":{"kind":"of tomorrow"}}\n'], "line 2 is no line"),
    ],
)
def test_what_is_no_export_is_said(tmp_path: Path, found: list[bytes], said: str) -> None:
    """With the line, and nothing of it is taken."""
    with SQLiteJournal(tmp_path / "a.db") as file:
        with pytest.raises(ReadError, match=said):
            asyncio.run(restore(file, found))
        assert asyncio.run(file.threads()) == []


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_not_to_be_shown(whole: bool) -> None:
    """Is replaced in the thread that says so, wherever it stands, but for a whole copy."""
    memory = MemoryJournal()
    said = MessageAdded(message=HumanMessage("pay with 4111", id="m"))
    asyncio.run(memory.append("t", 0, [said, Redacting(patterns=[r"\d{4}"])]))
    asyncio.run(memory.append("u", 0, [said]))

    async def main() -> list[bool]:
        return [b"4111" in line async for line in export(memory, whole=whole) if b'"message"' in line]

    assert asyncio.run(main()) == [whole, True]


@given(threads().filter(bool), st.data())
def test_any_thread_comes_back(tmp_path_factory: pytest.TempPathFactory, events: list[Event], data: st.DataObject) -> None:
    """Whatever its events; a fork anywhere, too."""

    async def main() -> None:
        memory = MemoryJournal()
        await memory.append("t", 0, events)
        await memory.fork("t", data.draw(st.integers(0, len(events))), "u")
        with SQLiteJournal(tmp_path_factory.mktemp("x") / "a.db", "off") as file:
            await restore(file, [line async for line in export(memory, whole=True)])
            for thread in ("t", "u"):
                assert await file.read(thread) == await memory.read(thread)

    asyncio.run(main())
