"""A journal in PostgreSQL: threads shared by any number of processes on any number of machines. Needs the extra `postgres`.

What is done over a connection that is lost in the midst of it is done again over a new one; an append looks first whether it was done.
Why plain connections in threads, and why there is no LISTEN: design/journal-files.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from holter.errors import JournalConflict, JournalDamaged, LeaseHeld
from holter.journal import postgres_search as search
from holter.journal import postgres_thread as threads
from holter.journal.blank import notice
from holter.journal.entry import Entry
from holter.journal.event import Event
from holter.journal.lease import Lease
from holter.journal.postgres_database import Database
from holter.journal.postgres_driver import Connection
from holter.journal.postgres_store import PostgresStore
from holter.journal.saver import Saver
from holter.journal.search import Wanted
from holter.journal.stored import decode, encode
from holter.journal.thread import ThreadInfo, status_of
from holter.journal.thread_row import entries
from holter.journal.waiting import Waiting
from holter.journal.watch import Watch

T = TypeVar("T")

_LOOK_S = 0.05
"""How long it may take until an append of another process is heard."""


class PostgresJournal(Saver):
    """Threads in a database. See `Journal` and `Archive` for what the methods do."""

    is_remote = True

    def __init__(self, url: str, *, schema: str = "holter", connections: int = 8, clock: Callable[[], float] | None = None) -> None:
        """Connects, and makes the tables in the schema where there are none.

        `url` is what libpq takes ("postgresql://user:password@host/database"). `connections`: how many there are at most. `clock` gives
        the time in seconds since the epoch; without one it is the server's.

        JournalUnavailable when the server cannot be reached, JournalError when the tables are those of a newer Holter.
        """
        self._database = Database(url, schema, connections)
        self._clock = clock
        self._waiting = Waiting()
        self._watch = Watch(self._waiting, self._lengths, _LOOK_S)
        self.store = PostgresStore(self._database, clock)
        """The long-term memory in the same schema."""

    # The protocol

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """Appends the events, all or none, and gives the `seq` of the next one."""
        if not events:
            return await self._checked_length(thread, expected_seq)
        length = await self._database.run(*self._appending(thread, expected_seq, events))
        self._waiting.wake(thread, length)
        return length

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """As `append`, for synchronous callers; it blocks for one way to the server and back. There must be events."""
        length = self._database.run_now(*self._appending(thread, expected_seq, events))
        self._waiting.wake(thread, length)
        return length

    def _appending(self, thread: str, expected_seq: int, events: Sequence[Event]) -> tuple[Callable[[Connection], int], ...]:
        """What appends the events, and what does so unless they stand there already."""
        stored = [encode(event).decode() for event in events]
        now = self._now()

        def append(connection: Connection) -> int:
            return threads.append(connection, thread, expected_seq, events, stored, now)

        def append_unless_done(connection: Connection) -> int:
            is_done = threads.appended(connection, thread, expected_seq, stored)
            return expected_seq + len(stored) if is_done else append(connection)

        return append, append_unless_done

    async def _checked_length(self, thread: str, expected_seq: int) -> int:
        if (found := await self.length(thread)) != expected_seq:
            raise JournalConflict(thread, expected_seq, found)
        return found

    async def read(self, thread: str, start: int = 0, end: int | None = None) -> list[Entry]:
        """The entries from `start` up to `end`, oldest first. JournalDamaged when one of them cannot be read."""
        start = max(start, 0)
        rows = await self._database.run(lambda connection: threads.read(connection, thread, start, end))
        if [seq for seq, _, _ in rows] != list(range(start, start + len(rows))):
            raise JournalDamaged(f"{self._database.place()}: events of thread {thread!r} from {start} on are missing")
        return entries([row[1:] for row in rows], start, f"{self._database.place()}: thread {thread!r}")

    async def length(self, thread: str) -> int:
        """How many events the thread has."""
        return await self._database.run(lambda connection: threads.length(connection, thread))

    async def threads(self, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """Threads, the one that was appended to last first."""
        return await self._database.run(lambda connection: search.newest(connection, limit, offset))

    async def fork(self, thread: str, seq: int, new_thread: str) -> int:
        """Begins a thread that shares the first `seq` events of another."""
        now = self._now()
        length = await self._arranged(lambda connection: threads.fork(connection, thread, seq, new_thread, now))
        self._waiting.wake(new_thread, length)
        return length

    async def delete(self, thread: str) -> None:
        """Forgets the thread and its lease; its forks keep what they share with it."""

        def forget(connection: Connection) -> None:
            connection.execute("DELETE FROM lease WHERE thread = %s", (thread,))
            for (key,) in connection.execute("SELECT key FROM thread WHERE id = %s FOR UPDATE", (thread,)).fetchall():
                threads.delete(connection, key)

        await self._arranged(forget)
        self._waiting.wake(thread, 0)

    async def lease(self, thread: str, holder: str, seconds: float, *, takeover: bool = False) -> Lease:
        """Makes `holder` the one who drives the thread, or renews that."""
        sql = f"""INSERT INTO lease (thread, holder, until)
            SELECT %(thread)s, %(holder)s, {threads.NOW} + %(seconds)s
            ON CONFLICT (thread) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE lease.holder = excluded.holder OR %(takeover)s OR lease.until <= excluded.until - %(seconds)s
            RETURNING until"""
        given = {"thread": thread, "holder": holder, "seconds": float(seconds), "takeover": takeover, "now": self._now()}

        def take(connection: Connection) -> Lease:
            if (found := connection.execute(sql, given).fetchone()) is not None:
                return Lease(thread, holder, found[0])
            found = connection.execute("SELECT holder, until FROM lease WHERE thread = %s", (thread,)).fetchone()
            raise LeaseHeld(thread, *(found or ("", 0.0)))

        return await self._database.run(take)

    async def release(self, thread: str, holder: str) -> None:
        """Ends the holder's lease."""
        sql = "DELETE FROM lease WHERE thread = %s AND holder = %s"
        await self._database.run(lambda connection: connection.execute(sql, (thread, holder)))

    async def leased(self, thread: str) -> Lease | None:
        """The live lease of the thread, or None."""
        sql = f"SELECT thread, holder, until FROM lease WHERE thread = %(thread)s AND until > {threads.NOW}"  # noqa: S608 - a constant
        given = {"thread": thread, "now": self._now()}
        found = await self._database.run(lambda connection: connection.execute(sql, given).fetchone())
        return None if found is None else Lease(*found)

    async def changed(self, thread: str, seq: int) -> int:
        """Waits until the thread's length is another than `seq`, and gives it."""
        return await self._waiting.changed(thread, seq, lambda: self._watched_length(thread))

    async def _watched_length(self, thread: str) -> int:
        self._watch.start()
        return await self.length(thread)

    def _lengths(self, watched: Sequence[str]) -> Mapping[str, int]:
        return self._database.run_now(lambda connection: search.lengths(connection, watched))

    # Beside the protocol

    async def find(self, wanted: Wanted, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """The threads that fit, the one that was appended to last first."""
        return await self._database.run(lambda connection: search.find(connection, wanted, limit, offset))

    async def prune(self, before: float) -> list[str]:
        """Deletes the threads that nobody appended to since that time and that nobody drives, and gives their ids, sorted."""
        sql = f"""SELECT key, id FROM thread t WHERE id IS NOT NULL AND updated < %(before)s
            AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.thread = t.id AND until > {threads.NOW}) FOR UPDATE"""  # noqa: S608
        given = {"before": before, "now": self._now()}

        def forget(connection: Connection) -> list[str]:
            found = connection.execute(sql, given).fetchall()
            for key, thread in found:
                connection.execute("DELETE FROM lease WHERE thread = %s", (thread,))
                threads.delete(connection, key)
            return sorted(thread for _, thread in found)

        gone = await self._arranged(forget)
        for thread in gone:
            self._waiting.wake(thread, 0)
        return gone

    async def redact(self, thread: str, seq: int, event: Event, reason: str = "") -> int:
        """Puts the event in the place of the one at `seq`, and appends one that says so. The server drops the old row when it vacuums; its
        own log and copies keep it as long as the server is told to."""
        stored = encode(event).decode()
        said = notice(seq, reason)
        now = self._now()

        def replace(connection: Connection) -> int:
            rows = threads.read(connection, thread, seq, seq + 1) if seq >= 0 else []
            if not rows:
                raise ValueError(f"thread {thread!r} has no event at {seq}")
            if (kind := decode(rows[0][2]).kind) != event.kind:
                raise ValueError(
                    f"event {seq} of thread {thread!r} is of the kind {kind!r}; one of the kind {event.kind!r} cannot replace it"
                )
            connection.execute("SELECT 1 FROM thread WHERE id = %s FOR UPDATE", (thread,))
            threads.replace(connection, thread, seq, stored)
            count = threads.length(connection, thread)
            return threads.append(connection, thread, count, [said], [encode(said).decode()], now)

        length = await self._arranged(replace)
        self._waiting.wake(thread, length)
        return length

    async def restore(self, thread: str, entries: Sequence[Entry], origin: tuple[str, int] | None = None) -> int:
        """Begins a thread with entries of another journal, with their times."""
        first = origin[1] if origin else 0
        if not entries or [entry.seq for entry in entries] != list(range(first, first + len(entries))):
            raise ValueError(f"the entries of thread {thread!r} do not count on from {first}")
        rows = [(entry.ts, entry.event.kind, encode(entry.event).decode()) for entry in entries]
        status = status_of([entry.event for entry in entries])
        await self._arranged(lambda connection: threads.begin(connection, thread, first, origin, rows, status))
        self._waiting.wake(thread, first + len(rows))
        return first + len(rows)

    def close(self) -> None:
        """Closes the connections. Nothing may be asked of the journal afterwards."""
        self._watch.stop()
        self._database.close()

    async def _arranged(self, work: Callable[[Connection], T]) -> T:
        """What the work gives, in one transaction during which nobody else changes which threads there are."""

        def locked(connection: Connection) -> T:
            with connection.transaction():
                threads.lock(connection)
                return work(connection)

        return await self._database.run(locked)

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()
