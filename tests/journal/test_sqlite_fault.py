"""What a SQLite journal says and keeps when the disk, the file or the log is at fault."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import JournalDamaged, JournalError, JournalUnavailable
from holter.journal import SQLiteJournal
from holter.journal.event import RunEnded, RunStarted, ToolStarted
from holter.journal.search import Wanted
from holter.journal.sqlite_fault import Faults
from holter.journal.thread_row import entries


def event(number: int, size: int = 10) -> ToolStarted:
    """An event of about this size that can be told from others."""
    return ToolStarted(call_id=str(number), name="f" * size)


def filled(path: Path, count: int = 40, size: int = 500) -> SQLiteJournal:
    """An open journal of so many events, each of an append of its own."""
    journal = SQLiteJournal(path)

    async def fill() -> None:
        for number in range(count):
            await journal.append("t", number, [event(number, size)])

    asyncio.run(fill())
    return journal


def ids(journal: SQLiteJournal) -> list[str | None]:
    """Which events the journal holds."""
    return [entry.event.call_id for entry in asyncio.run(journal.read("t")) if isinstance(entry.event, ToolStarted)]


def on_small_disk(folder: Path, program: str) -> Any:
    """What a program prints as JSON that is run where `disk` in its working folder is a file system of 1 MB of its own."""
    (folder / "disk").mkdir()
    (folder / "program.py").write_text(f"import asyncio, json, os, subprocess, sys\n{PRELUDE}{program}", "utf-8")
    mount = f"mount -t tmpfs -o size=1m none disk && exec {sys.executable} program.py"
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", mount]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


PRELUDE = """
from holter.errors import JournalUnavailable
from holter.journal import SQLiteJournal
from holter.journal.event import RunEnded, RunStarted, ToolStarted
from holter.journal.sqlite_fault import Faults
from holter.journal.thread_row import entries

def event(number):
    return ToolStarted(call_id=str(number), name="f" * 2_000)

def ids(journal):
    return [int(entry.event.call_id) for entry in asyncio.run(journal.read("t"))]

def append(journal, seq, events):
    try:
        return asyncio.run(journal.append("t", seq, events)), ""
    except JournalUnavailable as error:
        return seq, str(error)
"""

FULL = """
with open("disk/ballast", "wb") as ballast:
    ballast.write(b"x" * 300_000)
journal = SQLiteJournal("disk/journal.db")
seq, fault = 0, ""
while not fault:
    seq, fault = append(journal, seq, [event(seq)])
again = append(journal, seq, [event(seq)])[1]
before = ids(journal)
os.unlink("disk/ballast")
on, _ = append(journal, seq, [event(seq), event(seq + 1)])
journal.close()
journal = SQLiteJournal("disk/journal.db")
print(json.dumps({"seq": seq, "fault": fault, "again": again, "before": before, "on": on, "after": ids(journal)}))
journal.close()
"""


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    """The append that finds no room fails with a clear error, what was acknowledged is there, and it goes on when there is room."""
    found = on_small_disk(tmp_path, FULL)
    assert found["seq"] > 20
    assert "disk/journal.db: the disk is full; free some space" in found["fault"]
    assert "disk is full" in found["again"]
    assert found["before"] == list(range(found["seq"]))
    assert found["on"] == found["seq"] + 2
    assert found["after"] == list(range(found["on"]))


READ_ONLY = """
journal = SQLiteJournal("disk/journal.db")
append(journal, 0, [event(0), event(1)])
journal.close()
subprocess.run(["mount", "-o", "remount,ro", "disk"], check=True)
journal = SQLiteJournal("disk/journal.db")
seen, fault = ids(journal), append(journal, 2, [event(2)])[1]
journal.close()
try:
    SQLiteJournal("disk/new.db")
except JournalUnavailable as error:
    made = str(error)
print(json.dumps({"seen": seen, "fault": fault, "made": made}))
"""


def test_a_journal_on_a_read_only_disk_is_read(tmp_path: Path) -> None:
    """Nothing can be laid beside it; it is read all the same, and an append is refused with a clear error."""
    found = on_small_disk(tmp_path, READ_ONLY)
    assert found["seen"] == [0, 1]
    assert found["fault"] == "disk/journal.db: it is read-only here, and so is its folder"
    assert found["made"] == "disk/new.db cannot be created: read-only file system"


READ_ONLY_FILE = """
journal = SQLiteJournal("disk/journal.db")
append(journal, 0, [event(0)])
journal.close()
subprocess.run(["mount", "--bind", "disk/journal.db", "disk/journal.db"], check=True)
subprocess.run(["mount", "-o", "remount,ro,bind", "disk/journal.db"], check=True)
journal = SQLiteJournal("disk/journal.db")
seen, fault = ids(journal), append(journal, 1, [event(1)])[1]
journal.close()
subprocess.run(["umount", "disk/journal.db"], check=True)
journal = SQLiteJournal("disk/journal.db")
print(json.dumps({"seen": seen, "fault": fault, "on": append(journal, 1, [event(1)])[0]}))
"""


def test_a_read_only_file_is_read(tmp_path: Path) -> None:
    """The same where only the file is; it goes on when it may be written again."""
    found = on_small_disk(tmp_path, READ_ONLY_FILE)
    assert found["seen"] == [0]
    assert "read-only here" in found["fault"]
    assert found["on"] == 2


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A database and its log as a killed process leaves them: some of the events stand in the one, some in the other."""
    path = tmp_path_factory.mktemp("crashed") / "journal.db"
    with filled(path) as journal:
        assert asyncio.run(journal.tidy())
        for number in range(40, 80):
            asyncio.run(journal.append("t", number, [event(number, 500)]))
        return path.read_bytes(), Path(f"{path}-wal").read_bytes()


@given(st.data())
def test_a_log_cut_anywhere_reads_as_a_prefix(
    tmp_path_factory: pytest.TempPathFactory, crashed: tuple[bytes, bytes], data: st.DataObject
) -> None:
    """A torn write-ahead log: what stands before the tear is there, each append whole, and the journal goes on from there."""
    database, log = crashed
    cut = data.draw(st.integers(0, len(log)))
    path = tmp_path_factory.mktemp("cut") / "journal.db"
    path.write_bytes(database)
    Path(f"{path}-wal").write_bytes(log[:cut])
    with SQLiteJournal(path) as journal:
        found = ids(journal)
        assert 40 <= len(found) <= 80
        assert found == [str(number) for number in range(len(found))]
        assert len(found) == 80 or cut < len(log)
        assert asyncio.run(journal.append("t", len(found), [event(99)])) == len(found) + 1
    shutil.rmtree(path.parent)


@given(st.data())
def test_a_damaged_file_is_said(tmp_path_factory: pytest.TempPathFactory, crashed: tuple[bytes, bytes], data: st.DataObject) -> None:
    """A file that is cut, or overwritten in places: every call gives what was acknowledged, or an error of the journal's own."""
    database, _ = crashed
    made = bytearray(database)
    if data.draw(st.booleans()):
        del made[data.draw(st.integers(1, len(made) - 1)) :]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(made) - 1))
        made[at : at + 200] = data.draw(st.sampled_from([b"\xff", b"\x00", b"{"])) * min(200, len(made) - at)
    path = tmp_path_factory.mktemp("damaged") / "journal.db"
    path.write_bytes(made)
    with suppress(JournalError), SQLiteJournal(path) as journal:
        asked: list[Callable[[], Coroutine[Any, Any, object]]] = [
            lambda: journal.read("t"),
            lambda: journal.threads(),
            lambda: journal.append("t", 40, [event(40)]),
            lambda: journal.fork("t", 3, "u"),
        ]
        for ask in asked:
            with suppress(JournalError, ValueError):
                asyncio.run(ask())
    shutil.rmtree(path.parent)


def test_what_the_binding_stumbles_over_in_a_damaged_file_is_said() -> None:
    """A name that is no text, a length that no memory holds, an event that is nothing: errors of the journal's own."""
    with pytest.raises(JournalDamaged, match=r"a\.db is damaged: a text in it is none"), Faults("a.db"):
        b"\xff".decode()
    with pytest.raises(JournalUnavailable, match=r"a\.db: SQLite asks for more memory than there is"), Faults("a.db"):
        raise MemoryError
    with pytest.raises(JournalDamaged, match="thread 't': the event at 3 cannot be read"):
        entries([(1.0, None)], 3, "thread 't'")  # type: ignore[list-item]  # which the file's own rules forbid


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    """And left as it is."""
    path = tmp_path / "journal.db"
    path.write_bytes(b"nothing of the kind, but long enough to be one " * 200)
    with pytest.raises(JournalDamaged, match="is no SQLite database"):
        SQLiteJournal(path)
    assert path.read_bytes().startswith(b"nothing")


def test_a_torn_database_is_said(tmp_path: Path) -> None:
    """A file without its second half: an error that says what to do, whatever is asked."""
    path = tmp_path / "journal.db"
    filled(path, 200).close()
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(JournalDamaged, match=r"is damaged .*Go back to a copy"), SQLiteJournal(path) as journal:
        ids(journal)


def test_missing_and_broken_events_are_said(tmp_path: Path) -> None:
    """A thread that lacks an event, and one with an event that is none, are errors that say where."""
    path = tmp_path / "journal.db"
    filled(path, 5).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute('UPDATE event SET data = \'{"kind":"of a later version"}\' WHERE seq = 3')
        with SQLiteJournal(path) as journal:
            with pytest.raises(JournalDamaged, match=r"thread 't': the event at 3 cannot be read"):
                ids(journal)
            assert len(asyncio.run(journal.read("t", 0, 3))) == 3
            connection.execute("DELETE FROM event WHERE seq = 2")
            with pytest.raises(JournalDamaged, match=r"thread 't' has 4 events from 0 on where there were 5"):
                ids(journal)


def test_a_thread_that_lacks_its_end_is_said(tmp_path: Path) -> None:
    """The row of a thread tells how long it was when a run of it began or ended, and when another thread's turn was over."""
    path = tmp_path / "journal.db"
    filled(path, 2).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, SQLiteJournal(path) as journal:
        asyncio.run(journal.append("t", 2, [RunStarted(run="r"), event(3), RunEnded(run="r")]))
        connection.execute("DELETE FROM event WHERE seq = 4")
        with pytest.raises(JournalDamaged, match=r"thread 't' has 4 events from 0 on where there were 5"):
            ids(journal)


def test_a_locked_file_is_said(tmp_path: Path) -> None:
    """A database that another process holds for itself can neither be read nor written; an error says so in time."""
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JournalUnavailable, match="locked"):
            SQLiteJournal(path, patience_s=0.05)
        other.execute("COMMIT")
    with filled(path, 2) as journal:
        assert ids(journal) == ["0", "1"]


OLDER = """
import sqlite3
from holter.journal.sqlite_schema import upgrade
connection = sqlite3.connect("disk/journal.db", isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
upgrade(connection, "disk/journal.db", to=2)
connection.close()
subprocess.run(["mount", "-o", "remount,ro", "disk"], check=True)
try:
    SQLiteJournal("disk/journal.db")
    said = ""
except JournalUnavailable as error:
    said = str(error)
print(json.dumps({"said": said}))
"""


def test_an_older_file_that_cannot_be_upgraded_says_so(tmp_path: Path) -> None:
    """It takes the right to write; the file stays as it is."""
    said = on_small_disk(tmp_path, OLDER)["said"]
    assert "was written by an earlier Holter and has to be upgraded" in said
    assert "it is as it was" in said


def test_rows_that_cannot_be_are_said(tmp_path: Path) -> None:
    """A thread that is its own origin, or whose origin is gone, an event that is none, a value of the store that is none."""
    path = tmp_path / "journal.db"
    with filled(path, 3) as journal, closing(sqlite3.connect(path, isolation_level=None)) as connection:
        asyncio.run(journal.fork("t", 2, "u"))
        journal.store.put(("a",), "b", {})
        connection.execute("UPDATE item SET value = '{'")
        with pytest.raises(JournalDamaged, match="the value of 'b' in the store cannot be read"):
            journal.store.get(("a",), "b")
        for origin in ("key", "99"):
            connection.execute(f"UPDATE head SET origin = {origin} WHERE id = 'u'")
            with pytest.raises(JournalDamaged, match="thread 'u' lacks the events that it shares"):
                asyncio.run(journal.read("u"))
            with pytest.raises(JournalDamaged, match="thread 'u' lacks the events that it shares"):
                asyncio.run(journal.fork("u", 1, "v"))
        connection.execute("DELETE FROM head WHERE id = 'u'")
        connection.execute("""UPDATE event SET data = '{"said":"word"}' WHERE seq = 1""")
        with pytest.raises(JournalDamaged, match="thread 't': an event cannot be read"):
            asyncio.run(journal.find(Wanted(text="word")))
        connection.execute("DELETE FROM event WHERE seq = 1")
        with pytest.raises(JournalDamaged, match="thread 't' has no event at 1, where there was one"):
            asyncio.run(journal.redact("t", 1, event(1)))
