"""The journal in a SQLite file."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from holter.errors import JournalConflict, JournalError, JournalUnavailable
from holter.journal import Fold, Journal, MemoryJournal, SQLiteJournal
from holter.journal.archive import Archive
from holter.journal.archive_testing import ARCHIVE_CHECKS, ArchiveCheck
from holter.journal.blank import blanked
from holter.journal.event import Event, MessageAdded, RunStarted, ThreadCreated, ToolStarted
from holter.journal.search import Wanted
from holter.journal.sqlite_checkpoint import Checkpoint
from holter.journal.sqlite_database import Sync
from holter.journal.sqlite_flush import Flush
from holter.journal.sqlite_schema import upgrade
from holter.journal.stored import encode
from holter.journal.testing import CHECKS, Check, Clock, run
from holter.journal.thread import ThreadInfo
from holter.messages import AIMessage, HumanMessage, ToolMessage
from tests.journal.events import threads
from tests.journal.writers import write_all, written

T = TypeVar("T")
SYNCS: tuple[Sync, ...] = ("effects", "disk", "off")


def event(number: int) -> ToolStarted:
    """An event that can be told from others."""
    return ToolStarted(call_id=str(number), name="f")


def driven(body: Coroutine[Any, Any, T]) -> T:
    """What a method gives that does not suspend, without an event loop."""
    with pytest.raises(StopIteration) as ended:
        body.send(None)
    return ended.value.value  # type: ignore[no-any-return]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal is to lie."""
    return tmp_path / "journal.db"


@pytest.mark.parametrize("sync", SYNCS)
@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.__name__)
def test_conformance(one: Check, sync: Sync, path: Path) -> None:
    """Each check that every journal must pass, at each durability."""

    @asynccontextmanager
    async def opened(clock: Clock) -> AsyncIterator[Journal]:
        with SQLiteJournal(path, sync, clock=clock) as journal:
            yield journal

    run(one, opened)


@pytest.mark.parametrize("one", ARCHIVE_CHECKS, ids=lambda one: one.__name__)
def test_archive_conformance(one: ArchiveCheck, path: Path) -> None:
    """Each check that every journal that lasts must pass."""

    @asynccontextmanager
    async def opened(clock: Clock) -> AsyncIterator[Archive]:
        with SQLiteJournal(path, clock=clock) as journal:
            yield journal

    run(one, opened)


@given(threads(), st.data())
def test_a_file_holds_what_memory_holds(events: list[Event], data: st.DataObject) -> None:
    """The same events come to the same entries and the same state, opened again, and cut anywhere by a fork."""

    async def main(folder: str) -> None:
        clock = Clock()
        memory = MemoryJournal(clock=clock)
        with SQLiteJournal(f"{folder}/journal.db", "off", clock=clock) as journal:
            for seq, event in enumerate(events):
                for one in (memory, journal):
                    assert await one.append("t", seq, [event]) == seq + 1
        with SQLiteJournal(f"{folder}/journal.db", clock=clock) as journal:
            assert await journal.read("t") == await memory.read("t")
            assert await journal.threads() == await memory.threads()
            cut = data.draw(st.integers(0, len(events)))
            if events:
                await journal.fork("t", cut, "u")
            assert Fold.of(await journal.read("u", 0, cut)).messages() == Fold.of(await memory.read("t", 0, cut)).messages()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))


def test_only_the_owner_may_read(path: Path) -> None:
    """The file and its log are of the mode 0600, whatever the umask; a file that is there keeps its mode."""
    before = os.umask(0)
    try:
        with SQLiteJournal(path) as journal:
            driven(journal.append("t", 0, [event(0)]))
            for name in (path, f"{path}-wal", f"{path}-shm"):
                assert stat.S_IMODE(os.stat(name).st_mode) == 0o600
    finally:
        os.umask(before)
    path.chmod(0o640)
    SQLiteJournal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("sync", SYNCS)
def test_nothing_suspends(path: Path, sync: Sync) -> None:
    """Where nobody else writes, all but waiting can be driven without an event loop, whatever the durability."""
    with SQLiteJournal(path, sync) as journal:
        assert driven(journal.append("t", 0, [RunStarted(run="r"), event(0)])) == 2
        assert driven(journal.fork("t", 1, "u")) == 2
        assert len(driven(journal.read("u"))) == 2
        assert driven(journal.lease("t", "r", 1)).holder == "r"
        assert driven(journal.leased("u")) is None
        assert len(driven(journal.threads())) == 2
        driven(journal.delete("u"))


def test_nothing_suspends_in_a_loop(path: Path) -> None:
    """Nor does an append in a loop give way to another task: it is committed in the caller's own thread."""

    async def main() -> None:
        with SQLiteJournal(path) as journal:
            ran: list[str] = []
            other = asyncio.create_task(_note(ran))
            await journal.append("t", 0, [event(0)])
            await journal.read("t")
            assert ran == []
            await other

    asyncio.run(main())


async def _note(ran: list[str]) -> None:
    ran.append("other")


def test_a_busy_database_does_not_block_the_loop(path: Path) -> None:
    """While another process writes an append waits, the loop goes on, and the append is done as soon as it can."""

    async def main() -> None:
        with SQLiteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(journal.append("t", 0, [event(0)]))
            turns = 0
            for _ in range(20):
                await asyncio.sleep(0.001)
                turns += 1
            assert not waiting.done()
            assert turns == 20
            assert await journal.length("t") == 0
            other.execute("COMMIT")
            async with asyncio.timeout(5):
                assert await waiting == 1

    asyncio.run(main())


def test_a_database_that_stays_locked_is_said_so(path: Path) -> None:
    """After the patience, with and without a loop; nothing was written, and the next try goes well."""
    with SQLiteJournal(path, patience_s=0.05) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalUnavailable, match=r"has kept the database locked for 0\.05 s"):
            asyncio.run(journal.append("t", 0, [event(0)]))
        with pytest.raises(JournalUnavailable, match="locked"):
            journal.append("t", 0, [event(0)]).send(None)
        with pytest.raises(JournalUnavailable, match="locked"):
            journal.store.put(("a",), "b", {})
        other.execute("COMMIT")
        assert driven(journal.append("t", 0, [event(0)])) == 1


def test_writers_in_two_processes_lose_nothing(path: Path) -> None:
    """Two processes of eight threads each, all on the same threads of the journal: what was acknowledged stands there once, and nothing
    else."""
    acknowledged = write_all(f"sqlite:{path}", processes=2, threads=8, seconds=1.5)
    with SQLiteJournal(path) as journal:
        assert written(journal) == acknowledged
    assert sum(len(events) for events in acknowledged.values()) > 100


@pytest.mark.nightly
def test_writers_in_two_processes_lose_nothing_for_longer(path: Path) -> None:
    """The same for ten seconds."""
    acknowledged = write_all(f"sqlite:{path}", processes=2, threads=8, seconds=10)
    with SQLiteJournal(path) as journal:
        assert written(journal) == acknowledged


WRITE_UNTIL_KILLED = """
import asyncio, sys
from holter.journal import SQLiteJournal
from holter.journal.event import ToolStarted

async def main():
    with SQLiteJournal(sys.argv[1], sys.argv[2]) as journal:
        seq = await journal.length("t")
        while True:
            seq = await journal.append("t", seq, [ToolStarted(call_id=str(seq + i), name="f" * 500) for i in range(2)])
            print(seq, flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("sync", SYNCS)
def test_a_killed_writer_leaves_what_was_acknowledged(path: Path, sync: Sync) -> None:
    """Again and again, at any moment: all acknowledged appends are there, each whole, and the next process goes on."""
    for delay in (0.0, 0.003, 0.011, 0.05):
        process = subprocess.Popen([sys.executable, "-c", WRITE_UNTIL_KILLED, str(path), sync], stdout=subprocess.PIPE)
        assert process.stdout is not None
        said = process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        lines = [said, *process.stdout.read().split(b"\n")]
        process.stdout.close()
        process.wait()
        acknowledged = max(int(line) for line in lines if line.strip())
        with SQLiteJournal(path) as journal:
            length = driven(journal.length("t"))
            assert length in (acknowledged, acknowledged + 2)
            ids = [entry.event.call_id for entry in driven(journal.read("t")) if isinstance(entry.event, ToolStarted)]
            assert ids == [str(number) for number in range(length)]


def test_what_one_process_appends_another_hears(path: Path) -> None:
    """`changed` ends with an append, a beginning and a deletion by others, soon."""

    async def main() -> None:
        with SQLiteJournal(path) as one, SQLiteJournal(path) as other:
            for doing, expected in ((other.append("t", 0, [event(0)]), 1), (other.delete("t"), 0)):
                waiting = asyncio.create_task(one.changed("t", 1 - expected))
                await asyncio.sleep(0.05)
                assert not waiting.done()
                await doing
                async with asyncio.timeout(5):
                    assert await waiting == expected
            assert one._waiting.threads() == []

    asyncio.run(main())


def test_the_watch_ends_with_the_last_waiter(path: Path) -> None:
    """No thread is left that looks for nobody; not either when the loop of the waiter is gone."""

    def watching() -> bool:
        return any(thread.name == "holter-watch" for thread in threading.enumerate())

    with SQLiteJournal(path) as journal:
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(journal.changed("t", 0), 0.01))
        loop = asyncio.new_event_loop()
        waiting = loop.create_task(journal.changed("t", 0))
        loop.run_until_complete(asyncio.sleep(0))
        assert watching()
        waiting.cancel()
        loop.run_until_complete(asyncio.wait([waiting]))
        loop.close()
        end = time.monotonic() + 5
        while watching() and time.monotonic() < end:
            time.sleep(0.01)
        assert not watching()


def test_a_child_process_has_connections_of_its_own(path: Path) -> None:
    """A journal that was opened before a fork of the process is used by both, and neither harms the other."""
    with SQLiteJournal(path) as journal:
        driven(journal.append("t", 0, [event(0)]))
        child = os.fork()
        if not child:
            code = 1
            try:
                code = 0 if asyncio.run(journal.append("t", 1, [event(1)])) == 2 else 1
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert driven(journal.append("t", 2, [event(2)])) == 3
    with SQLiteJournal(path) as journal:
        assert [entry.event for entry in driven(journal.read("t"))] == [event(0), event(1), event(2)]


def test_what_was_redacted_is_nowhere_in_the_files(path: Path) -> None:
    """Not in the database, not in its log, though another reader has the file open."""
    secret = "hidden-4711"
    with SQLiteJournal(path) as journal, SQLiteJournal(path) as other:
        said: list[Event] = [MessageAdded(message=HumanMessage(f"my number is {secret} " * 500, id="h")), event(0)]
        driven(journal.append("t", 0, said))
        driven(journal.fork("t", 1, "u"))
        assert any(secret.encode() in file.read_bytes() for file in path.parent.iterdir())
        driven(journal.redact("t", 0, blanked(said[0])))
        assert [file.name for file in path.parent.iterdir() if secret.encode() in file.read_bytes()] == []
        [entry, *_] = driven(other.read("u"))
        assert isinstance(entry.event, MessageAdded)
        assert entry.event.message == HumanMessage("[redacted]", id="h")


def test_a_redaction_that_may_leave_traces_says_so(path: Path) -> None:
    """A reader that does not end keeps the log from being emptied: an error says so, the event is redacted, and tidying up later helps."""
    with SQLiteJournal(path, patience_s=0.1) as journal, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        driven(journal.append("t", 0, [MessageAdded(message=HumanMessage("hidden", id="h"))]))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM event").fetchone()
        with pytest.raises(JournalUnavailable, match=r"was redacted, but .*-wal"):
            journal.redact("t", 0, MessageAdded(message=HumanMessage("-", id="h"))).send(None)
        reader.execute("COMMIT")
        assert driven(journal.length("t")) == 2
        assert driven(journal.tidy())
        assert not any(b"hidden" in file.read_bytes() for file in path.parent.iterdir())


def test_room_is_given_back(path: Path) -> None:
    """Pruning makes the file smaller."""
    with SQLiteJournal(path, clock=lambda: 1.0) as journal:
        for number in range(50):
            driven(journal.append(f"t{number}", 0, [MessageAdded(message=HumanMessage("x" * 20_000, id="h"))]))
        assert len(driven(journal.prune(2.0))) == 50
        assert path.stat().st_size < 200_000


def test_the_log_stays_small(path: Path) -> None:
    """However much is written at a stretch, and with a reader open."""
    with SQLiteJournal(path, "off") as journal:
        seq = 0
        for number in range(3_000):
            seq = driven_when_free(journal, seq, [ToolStarted(call_id=str(number), name="f" * 20_000)])
            if number % 200 == 0:
                driven(journal.read("t", number))
        assert os.stat(f"{path}-wal").st_size < 50_000_000


def test_a_growing_log_is_moved_now_and_then(path: Path) -> None:
    """For each 8 MB, also where it has begun anew; from 32 MB on at each look."""
    log, moved = Path(f"{path}-wal"), list[int]()

    def connect() -> sqlite3.Connection:
        moved.append(log.stat().st_size // 1_000_000)
        return sqlite3.connect(":memory:")

    checkpoint = Checkpoint(str(path), connect)
    for size_mb in (1, 8, 9, 15, 16, 23, 24, 4, 7, 8, 33, 34):
        log.touch()
        os.truncate(log, size_mb * 1_000_000)
        for _ in range(64):
            checkpoint.committed()
        checkpoint.join()
    assert moved == [8, 16, 24, 8, 33, 34]


def driven_when_free(journal: SQLiteJournal, seq: int, events: list[Event]) -> int:
    """An append that may wait for a moment."""
    return asyncio.run(journal.append("t", seq, events)) if seq % 10 == 0 else driven(journal.append("t", seq, events))


def test_the_file_is_small(path: Path) -> None:
    """At most one and a half times a table with one row for each message, as a step of an agent writes it."""
    with SQLiteJournal(path) as journal, closing(sqlite3.connect(path.parent / "rows.db")) as rows:
        rows.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, thread TEXT, data TEXT)")
        seq = 0
        for number in range(500):
            call: dict[str, Any] = {"name": "get_weather", "args": {"city": "Hangzhou"}, "id": f"call_{number:020d}", "type": "tool_call"}
            asked = MessageAdded(message=AIMessage("x y" * 66, id=f"ai-{number}", tool_calls=[call]))
            result = MessageAdded(message=ToolMessage("x y" * 66, id=f"t-{number}", tool_call_id=call["id"], name="get_weather"))
            seq = driven(journal.append("t", seq, [asked, ToolStarted(call_id=call["id"], name="get_weather")]))
            seq = driven(journal.append("t", seq, [result]))
            for message in (asked, result):
                [entry] = driven(journal.read("t", seq - 3, seq - 2)) if message is asked else driven(journal.read("t", seq - 1))
                assert entry.event == message
        with closing(sqlite3.connect(path)) as same:
            for (data,) in same.execute("SELECT data FROM event WHERE kind = 'message'"):
                rows.execute("INSERT INTO message (thread, data) VALUES ('t', ?)", (data,))
        rows.commit()
    assert path.stat().st_size <= 1.5 * (path.parent / "rows.db").stat().st_size


def test_a_file_of_an_older_version_is_upgraded(path: Path) -> None:
    """Step by step, with what it holds; while others open it, too."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        upgrade(connection, str(path), to=1)
        connection.execute("INSERT INTO thread (id, first, length, created, updated, status, newest) VALUES ('t', 0, 1, 1, 1, 'new', 1)")
        connection.execute('INSERT INTO event VALUES (1, 1, 0, 1, \'run_started\', \'{"kind":"run_started","run":"r"}\')')
    opened: list[SQLiteJournal] = []
    openers = [threading.Thread(target=lambda: opened.append(SQLiteJournal(path))) for _ in range(4)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join()
    assert len(opened) == 4
    for journal in opened:
        assert [entry.event for entry in driven(journal.read("t"))] == [RunStarted(run="r")]
        journal.store.put(("a",), "b", {})
        journal.close()


def test_what_an_older_file_holds_stays(path: Path) -> None:
    """Threads in their order, forks and what they share with a thread that was deleted, times, the end of a run."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        upgrade(connection, str(path), to=2)
        connection.executemany(
            "INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (1, None, None, None, 0, 2, 1.0, 3.0, "done", 5),
                (2, "late", None, None, 0, 1, 2.0, 2.0, "new", 6),
                (3, "fork", 1, "gone", 2, 3, 4.0, 4.0, "new", 4),
            ],
        )
        said: list[Event] = [event(0), event(1), event(2), ThreadCreated(forked_from="gone", at=2)]
        places = [(1, 1, 0, 1.0), (2, 1, 1, 3.0), (6, 2, 0, 2.0), (4, 3, 2, 4.0)]
        connection.executemany(
            "INSERT INTO event (id, thread, seq, ts, kind, data) VALUES (?, ?, ?, ?, ?, ?)",
            [(*place, each.kind, encode(each).decode()) for place, each in zip(places, said, strict=True)],
        )
    with SQLiteJournal(path, clock=lambda: 9.0) as journal:
        late = ThreadInfo(id="late", length=1, created=2.0, updated=2.0)
        fork = ThreadInfo(id="fork", length=3, created=4.0, updated=4.0, forked_from="gone", at=2)
        assert driven(journal.threads()) == [late, fork]
        assert driven(journal.append("fork", 3, [event(3)])) == 4
        assert driven(journal.threads()) == [replace(fork, length=4, updated=9.0), late]
        assert [entry.event for entry in driven(journal.read("fork"))] == [said[0], said[1], said[3], event(3)]
        assert [entry.ts for entry in driven(journal.read("fork"))] == [1.0, 3.0, 4.0, 9.0]


def test_the_list_knows_what_the_rows_do_not(path: Path) -> None:
    """A thread's row is written when the order of the list or its status changes; lengths and times are those of the events."""
    now = Clock()
    with SQLiteJournal(path, clock=now) as journal, SQLiteJournal(path, clock=now) as other:
        lengths = {"a": 0, "b": 0}
        for number, (writer, thread) in enumerate(
            [(journal, "a"), (journal, "b"), (other, "b"), (other, "a"), (journal, "a"), (other, "b")]
        ):
            now.now = float(number)
            lengths[thread] = driven(writer.append(thread, lengths[thread], [event(number)]))
            first, *rest = driven(journal.threads())
            assert (first.id, first.length, first.updated, first.status) == (thread, lengths[thread], number, "new")
            assert [info.id for info in rest] == sorted({*lengths} - {thread})[: len(rest)]
            assert driven(other.threads()) == [first, *rest]
        assert [info.id for info in driven(journal.find(Wanted(since=5.0)))] == ["b"]
        assert [info.id for info in driven(journal.find(Wanted(until=5.0)))] == ["a"]
        assert driven(other.prune(5.0)) == ["a"]
        assert [info.length for info in driven(journal.threads())] == [3]


def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    """And left as it is."""
    SQLiteJournal(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"newer Holter \(journal version 99; this one knows up to 3\)"):
        SQLiteJournal(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    """And left as it is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="another program"):
        SQLiteJournal(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_journal(path: Path) -> None:
    """As does one that is not there."""
    path.touch()
    with SQLiteJournal(path) as journal:
        assert driven(journal.append("t", 0, [event(0)])) == 1


@pytest.mark.parametrize("name", ["nowhere/journal.db", "."])
def test_a_place_where_no_file_can_be_is_said(tmp_path: Path, name: str) -> None:
    """A folder that is not there, a folder in place of a file."""
    with pytest.raises(JournalUnavailable, match=r"cannot be (created|opened)"):
        SQLiteJournal(tmp_path / name)


def test_a_closed_journal_says_so(path: Path) -> None:
    """Nothing may be asked of it; closing it again is nothing."""
    journal = SQLiteJournal(path)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="was closed"):
        journal.length("t").send(None)


def test_another_durability_is_refused(path: Path) -> None:
    """There are three."""
    with pytest.raises(ValueError, match='sync is "effects", "disk" or "off"'):
        SQLiteJournal(path, "full")  # type: ignore[arg-type]  # what is tested


def test_flushes_are_shared(path: Path) -> None:
    """At the durability "disk", appends that wait at the same time wait for the same flush, and one that is cancelled harms no other."""

    async def main() -> None:
        with SQLiteJournal(path, "disk") as journal:
            tasks = [asyncio.create_task(journal.append(f"t{number}", 0, [event(number)])) for number in range(30)]
            await asyncio.sleep(0)
            tasks[3].cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert [outcome for number, outcome in enumerate(done) if number != 3] == [1] * 29
            with pytest.raises(JournalConflict):
                await journal.append("t3", 0, [event(3)])

    asyncio.run(main())


def test_a_quick_device_is_waited_for_here(path: Path) -> None:
    """When a number of flushes in a row were quick. One that is not goes back to another thread, so that the loop goes on meanwhile."""

    async def main() -> None:
        with SQLiteJournal(path, "disk") as journal:
            await journal.append("t", 0, [event(0)])
            flush = Flush(f"{path}-wal", quick_s=60.0)
            waits = []
            for _ in range(20):
                waits.append((waiting := flush.begin()) is not None)
                if waiting is not None:
                    await waiting
            assert waits == [True] * 16 + [False] * 4
            flush._quick_s = 0.0
            assert flush.begin() is None  # which was not quick
            waiting = flush.begin()
            assert waiting is not None
            await waiting
            flush.close()

    asyncio.run(main())


@pytest.mark.parametrize("quick", [0, 16])
def test_a_device_that_fails_is_said(path: Path, quick: int) -> None:
    """Whoever flushes: this thread, without a loop, and another one, and this one where a quick device fails."""
    flush = Flush(str(path / "nowhere" / "journal.db-wal"))

    async def main() -> None:
        flush._quick = quick
        waiting = flush.begin()
        assert waiting is not None
        with pytest.raises(JournalUnavailable, match="cannot be flushed to the device"):
            await waiting
        assert flush._quick == 0

    with pytest.raises(JournalUnavailable, match="cannot be flushed to the device"):
        flush.begin()
    asyncio.run(main())
    flush.close()


def test_tidying_waits_for_others_and_says_so(path: Path) -> None:
    """False, and no error of the file's own, when another process is at work all the time."""
    with SQLiteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        driven(journal.append("t", 0, [RunStarted(run="r" * 5_000)] * 20))
        driven(journal.delete("t"))
        other.execute("BEGIN IMMEDIATE")
        assert not driven(journal.tidy())
        other.execute("ROLLBACK")
        assert driven(journal.tidy())


FEW_FILES = """
import os, resource, sys
from holter.errors import JournalUnavailable
from holter.journal import SQLiteJournal
from holter.journal.event import RunStarted

path, spare = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for _ in range(spare):
    os.close(held.pop())
journal = None
try:
    journal = SQLiteJournal(path)
    journal.append_here("t", 1, [RunStarted(run="b")])
except JournalUnavailable as error:
    print(error)
while held:
    os.close(held.pop())
journal = journal or SQLiteJournal(path)
journal.append_here("t", journal.length_here("t"), [RunStarted(run="c")])
"""


@pytest.mark.parametrize("spare", range(8))
def test_a_process_out_of_files_goes_on_when_it_has_some(path: Path, spare: int) -> None:
    """It is told, and the journal is not taken for one that nobody can write."""
    with SQLiteJournal(path) as journal:
        driven(journal.append("t", 0, [RunStarted(run="a")]))
    done = subprocess.run([sys.executable, "-c", FEW_FILES, path, str(spare)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "read-only" not in done.stdout
    with SQLiteJournal(path) as journal:
        runs = [entry.event.run for entry in driven(journal.read("t")) if isinstance(entry.event, RunStarted)]
    assert runs in (["a", "c"], ["a", "b", "c"])
