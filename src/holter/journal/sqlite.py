"""A journal in a SQLite file: threads that outlive the process, shared by any number of processes on one machine.

An append is committed before it returns, in the caller's own thread; nothing suspends unless another process holds the lock or a flush
is asked for. What that costs and what was not done: design/journal-files.md.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence

from holter.errors import JournalConflict, JournalDamaged, JournalUnavailable, LeaseHeld
from holter.journal import sqlite_search as search
from holter.journal import sqlite_thread as threads
from holter.journal.blank import notice
from holter.journal.entry import Entry
from holter.journal.event import Answered, Cancelled, Event, Interrupted, RunEnded, ToolStarted
from holter.journal.lease import Lease
from holter.journal.saver import Saver
from holter.journal.search import Wanted
from holter.journal.sqlite_database import Database, Sync
from holter.journal.sqlite_store import SQLiteStore
from holter.journal.stored import encode
from holter.journal.thread import ThreadInfo, status_of
from holter.journal.thread_row import entries
from holter.journal.waiting import Waiting
from holter.journal.watch import Watch

_FLUSHED = frozenset((ToolStarted, Interrupted, Answered, Cancelled, RunEnded))
"""What somebody outside is about to act on, or has been told."""
_LOOK_S = 0.02
"""How long it may take until an append of another process is heard."""


class SQLiteJournal(Saver):
    """Threads in a file. See `Journal` and `Archive` for what the methods do."""

    is_remote = False

    def __init__(
        self,
        path: str | os.PathLike[str] | sqlite3.Connection,
        sync: Sync = "effects",
        *,
        patience_s: float = 10.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Opens the file, or makes one that only its owner may read. ":memory:" is a file that goes with the journal; of a connection its
        file is taken, and nothing else.

        `sync`: "effects" survives the death of the process; "disk" also flushes to the device before a tool starts, a question is put or
        a run ends, and so survives the loss of power; "off" never flushes. `patience_s`: how long to wait for other processes that write.
        `clock` gives the time in seconds since the epoch.

        JournalError for a file of another program or of a newer Holter, JournalDamaged for one that is broken, JournalUnavailable where
        none can be opened or made.
        """
        if sync not in ("effects", "disk", "off"):
            raise ValueError(f'sync is "effects", "disk" or "off", found {sync!r}')
        self.path = _path(path)
        if self.path in ("", ":memory:"):
            folder = tempfile.mkdtemp(prefix="holter-")
            self.path = os.path.join(folder, "journal.db")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._database = Database(self.path, sync, patience_s)
        self._clock = clock
        self._is_flushed = sync == "disk"
        self._waiting = Waiting()
        self._watch = Watch(self._waiting, self._changes, _LOOK_S)
        self._seen = -1
        self.store = SQLiteStore(self._database, clock)
        """The long-term memory in the same file."""

    # The protocol

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """Appends the events, all or none, and gives the `seq` of the next one."""
        stored = [encode(event).decode() for event in events]
        if not stored:
            return await self._checked_length(thread, expected_seq)
        now = self._clock()
        length = await self._database.write(lambda connection: threads.append(connection, thread, expected_seq, events, stored, now))
        self._waiting.wake(thread, length)
        if (flushed := self.flushed(events)) is not None:
            await flushed
        return length

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """As `append`, for synchronous callers; it blocks while another process writes. There must be events. `flushed` waits for the
        device."""
        stored = [encode(event).decode() for event in events]
        now = self._clock()
        length = self._database.write_now(lambda connection: threads.append(connection, thread, expected_seq, events, stored, now))
        if len(self._waiting):
            self._waiting.wake(thread, length)
        return length

    def flushed(self, events: Sequence[Event]) -> Awaitable[None] | None:
        """What waits until these events, which were just appended, are on the device; None where nobody has to wait for that: `sync` is
        not "disk", or none of the events is acted on outside, or they were flushed here, since no event loop runs or the device is quick.
        """
        if not self._is_flushed or _FLUSHED.isdisjoint(map(type, events)):
            return None
        return self._database.flush.begin()

    async def _checked_length(self, thread: str, expected_seq: int) -> int:
        if (found := await self.length(thread)) != expected_seq:
            raise JournalConflict(thread, expected_seq, found)
        return found

    async def read(self, thread: str, start: int = 0, end: int | None = None) -> list[Entry]:
        """The entries from `start` up to `end`, oldest first. JournalDamaged when one of them cannot be read."""
        start = max(start, 0)
        rows = await self._database.read(lambda connection: threads.read(connection, thread, start, end))
        return entries(rows, start, f"{self.path}: thread {thread!r}")

    async def length(self, thread: str) -> int:
        """How many events the thread has."""
        return await self._database.read(lambda connection: threads.length(connection, thread))

    def length_here(self, thread: str) -> int:
        """As `length`, for synchronous callers."""
        return self._database.look_now(lambda connection: threads.length(connection, thread))

    async def threads(self, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """Threads, the one that was appended to last first."""
        return await self._database.read(lambda connection: search.newest(connection, limit, offset))

    async def fork(self, thread: str, seq: int, new_thread: str) -> int:
        """Begins a thread that shares the first `seq` events of another."""
        now = self._clock()
        length = await self._database.write(lambda connection: threads.fork(connection, thread, seq, new_thread, now))
        self._waiting.wake(new_thread, length)
        return length

    async def delete(self, thread: str) -> None:
        """Forgets the thread and its lease; its forks keep what they share with it."""

        def forget(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM lease WHERE thread = ?", (thread,))
            if (kept := threads.row(connection, thread)) is not None:
                threads.delete(connection, kept.key)

        await self._database.write(forget)
        self._waiting.wake(thread, 0)

    async def lease(self, thread: str, holder: str, seconds: float, *, takeover: bool = False) -> Lease:
        """Makes `holder` the one who drives the thread, or renews that."""
        now = self._clock()

        def take(connection: sqlite3.Connection) -> Lease:
            live = _live(connection, thread, now)
            if live is not None and live.holder != holder and not takeover:
                raise LeaseHeld(thread, live.holder, live.until)
            connection.execute("INSERT OR REPLACE INTO lease (thread, holder, until) VALUES (?, ?, ?)", (thread, holder, now + seconds))
            return Lease(thread, holder, now + seconds)

        return await self._database.write(take)

    async def release(self, thread: str, holder: str) -> None:
        """Ends the holder's lease."""

        def end(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM lease WHERE thread = ? AND holder = ?", (thread, holder))

        await self._database.write(end)

    async def leased(self, thread: str) -> Lease | None:
        """The live lease of the thread, or None."""
        now = self._clock()
        return await self._database.read(lambda connection: _live(connection, thread, now))

    async def changed(self, thread: str, seq: int) -> int:
        """Waits until the thread's length is another than `seq`, and gives it."""
        return await self._waiting.changed(thread, seq, lambda: self._watched_length(thread))

    async def _watched_length(self, thread: str) -> int:
        self._watch.start()
        return await self.length(thread)

    def _changes(self, watched: Sequence[str]) -> Mapping[str, int] | None:
        """The threads' lengths, unless no other process has written since they were asked for last."""
        seen, self._seen = self._seen, self._database.others()
        if seen == self._seen:
            return None
        return self._database.read_now(lambda connection: search.lengths(connection, watched))

    # Beside the protocol

    async def find(self, wanted: Wanted, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """The threads that fit, the one that was appended to last first."""
        return await self._database.read_apart(lambda connection: search.find(connection, wanted, limit, offset))

    async def prune(self, before: float) -> list[str]:
        """Deletes the threads that nobody appended to since that time and that nobody drives, and gives their ids, sorted."""
        now = self._clock()

        def forget(connection: sqlite3.Connection) -> list[str]:
            sql = """SELECT key, id FROM thread t WHERE id IS NOT NULL AND updated < ?
                AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.thread = t.id AND until > ?)"""
            found = connection.execute(sql, (before, now)).fetchall()
            for key, thread in found:
                connection.execute("DELETE FROM lease WHERE thread = ?", (thread,))
                threads.delete(connection, key)
            return sorted(thread for _, thread in found)

        gone = await self._database.write_apart(forget)
        for thread in gone:
            self._waiting.wake(thread, 0)
        await self.tidy()
        return gone

    async def redact(self, thread: str, seq: int, event: Event, reason: str = "") -> int:
        """Puts the event in the place of the one at `seq`, and appends one that says so."""
        stored = encode(event).decode()
        said = notice(seq, reason)
        now = self._clock()

        def replace(connection: sqlite3.Connection) -> int:
            found = threads.parts(connection, thread, seq, seq + 1) if seq >= 0 else []
            if not found:
                raise ValueError(f"thread {thread!r} has no event at {seq}")
            [key, *_] = found[0]
            place = threads.place(key, seq)
            [kind] = connection.execute("SELECT kind FROM event WHERE id = ?", (place,)).fetchone() or (None,)
            if kind is None:
                raise JournalDamaged(f"thread {thread!r} has no event at {seq}, where there was one")
            if kind != event.kind:
                raise ValueError(
                    f"event {seq} of thread {thread!r} is of the kind {kind!r}; one of the kind {event.kind!r} cannot replace it"
                )
            connection.execute("UPDATE event SET data = ? WHERE id = ?", (stored, place))
            return threads.append(connection, thread, threads.length(connection, thread), [said], [encode(said).decode()], now)

        length = await self._database.write_apart(replace)
        self._waiting.wake(thread, length)
        if not await self.tidy():
            raise JournalUnavailable(
                f"event {seq} of thread {thread!r} was redacted, but {self.path}-wal, which may still hold what it said, cannot be emptied "
                "while another process reads or writes. Call `tidy()` later"
            )
        return length

    async def tidy(self) -> bool:
        """Gives the room of what was deleted back to the file system, and empties the log, so that no trace of it is in the files. False
        when another process was in the way."""
        return await self._database.tidy()

    async def restore(self, thread: str, entries: Sequence[Entry], origin: tuple[str, int] | None = None) -> int:
        """Begins a thread with entries of another journal, with their times."""
        first = origin[1] if origin else 0
        if not entries or [entry.seq for entry in entries] != list(range(first, first + len(entries))):
            raise ValueError(f"the entries of thread {thread!r} do not count on from {first}")
        rows = [(entry.ts, entry.event.kind, encode(entry.event).decode()) for entry in entries]

        def begin(connection: sqlite3.Connection) -> int:
            if (taken := threads.row(connection, thread)) is not None:
                raise JournalConflict(thread, 0, taken.length)
            length, status = first + len(rows), status_of([entry.event for entry in entries])
            key = threads.begin(connection, thread, entries[0].ts, length, status, first, *threads.shared(connection, origin))
            threads.write(connection, key, first, rows)
            return length

        length = await self._database.write(begin)
        self._waiting.wake(thread, length)
        return length

    def close(self) -> None:
        """Closes the file. Nothing may be asked of the journal afterwards."""
        self._watch.stop()
        self._database.close()


def _path(given: str | os.PathLike[str] | sqlite3.Connection) -> str:
    if not isinstance(given, sqlite3.Connection):
        return os.fspath(given)
    return next(str(file) for _, name, file in given.execute("PRAGMA database_list") if name == "main")


def _live(connection: sqlite3.Connection, thread: str, now: float) -> Lease | None:
    found = connection.execute("SELECT thread, holder, until FROM lease WHERE thread = ? AND until > ?", (thread, now)).fetchone()
    return None if found is None else Lease(*found)
