"""A journal in this process's memory; it ends with the process.

It keeps what a file would keep: each event as JSON, or itself where it is text that nobody can change. So it refuses what every journal
refuses, nobody changes the record by changing a value that went in or came out, and values come back as they will from a file
(design/journal.md has the cost).
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Sequence
from heapq import nlargest

from holter.errors import JournalConflict, LeaseHeld, UnknownThread
from holter.journal.entry import Entry
from holter.journal.event import Event, ThreadCreated
from holter.journal.lease import Lease
from holter.journal.saver import Saver
from holter.journal.stored import decode, in_memory
from holter.journal.thread import ENDS, Status, ThreadInfo, status_after
from holter.journal.waiting import Waiting


class _Thread:
    """The events of one thread that are its own."""

    __slots__ = ("created", "first", "id", "origin", "status", "stored", "times", "updated")

    def __init__(self, thread: str, created: float, origin: _Thread | None = None, first: int = 0) -> None:
        self.id = thread
        self.created = self.updated = created
        self.origin = origin
        """What it is a fork of; deleting that thread does not end it."""
        self.first = first
        """`seq` of its first own event."""
        self.times = array("d")
        self.stored: list[bytes | Event] = []
        self.status: Status = "new"

    def __len__(self) -> int:
        return self.first + len(self.stored)

    def append(self, stored: Sequence[bytes | Event], events: Sequence[Event], now: float) -> None:
        self.stored += stored
        for event in events:
            self.times.append(now)
            if event.__class__ in ENDS:
                self.status = status_after(self.status, (event,))
        self.updated = now

    def part(self, start: int, end: int) -> list[tuple[float, bytes | Event]]:
        """Time and form of its events from `start` up to `end`, those of the threads that it is a fork of included."""
        parts: list[list[tuple[float, bytes | Event]]] = []
        thread: _Thread | None = self
        while thread is not None and start < end:
            own = slice(max(start - thread.first, 0), max(end - thread.first, 0))
            parts.append(list(zip(thread.times[own], thread.stored[own], strict=True)))
            end = min(end, thread.first)
            thread = thread.origin
        return [item for part in reversed(parts) for item in part]

    def info(self) -> ThreadInfo:
        return ThreadInfo(
            id=self.id,
            length=len(self),
            created=self.created,
            updated=self.updated,
            status=self.status,
            forked_from=self.origin.id if self.origin else None,
            at=self.first if self.origin else None,
        )


_NONE: dict[str, Lease] = {}
"""Stands for an empty one, and is never written to: a run that nobody else knows has a journal of its own, and no leases."""


class MemoryJournal(Saver):
    """Threads in memory. See `Journal` for what the methods do; none but `changed` suspends."""

    __slots__ = ("__dict__", "__weakref__", "_clock", "_leases", "_lock", "_threads", "_waiting")

    is_remote = False

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives the time in seconds since the epoch, for entries and leases."""
        self._clock = clock
        self._threads: dict[str, _Thread] = {}
        self._leases: dict[str, Lease] = _NONE
        self._waiting = Waiting()
        self._lock = threading.Lock()

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """Appends the events, all or none, and gives the `seq` of the next one."""
        return self.append_here(thread, expected_seq, events)

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """As `append`, for synchronous callers."""
        stored = [in_memory(events[0])] if len(events) == 1 else list(map(in_memory, events))
        with self._lock:
            kept = self._threads.get(thread)
            found = 0 if kept is None else kept.first + len(kept.stored)
            if found != expected_seq:
                raise JournalConflict(thread, expected_seq, found)
            if not stored:
                return found
            now = self._clock()
            if kept is None:
                kept = self._threads[thread] = _Thread(thread, now)
            kept.append(stored, events, now)
            if len(self._waiting):
                self._waiting.wake(thread, len(kept))
            return found + len(stored)

    async def read(self, thread: str, start: int = 0, end: int | None = None) -> list[Entry]:
        """The entries from `start` up to `end`, oldest first."""
        start = max(start, 0)
        with self._lock:
            kept = self._threads.get(thread)
            if kept is None:
                return []
            part = kept.part(start, len(kept) if end is None else min(end, len(kept)))
        return [Entry(seq, ts, decode(kept) if isinstance(kept, bytes) else kept) for seq, (ts, kept) in enumerate(part, start)]

    async def length(self, thread: str) -> int:
        """How many events the thread has."""
        return self.length_here(thread)

    def length_here(self, thread: str) -> int:
        """As `length`, for synchronous callers."""
        with self._lock:
            return self._length(thread)

    async def threads(self, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """Threads, the one that was appended to last first."""
        with self._lock:
            newest = nlargest(offset + limit, reversed(self._threads.values()), key=lambda kept: kept.updated)
            return [kept.info() for kept in newest[offset:]]

    async def fork(self, thread: str, seq: int, new_thread: str) -> int:
        """Begins a thread that shares the first `seq` events of another."""
        event = ThreadCreated(forked_from=thread, at=seq)
        with self._lock:
            origin = self._threads.get(thread)
            if origin is None:
                raise UnknownThread(thread)
            if not 0 <= seq <= len(origin):
                raise ValueError(f"thread {thread!r} has {len(origin)} events; it cannot be forked at {seq}")
            if new_thread in self._threads:
                raise JournalConflict(new_thread, 0, self._length(new_thread))
            now = self._clock()
            kept = self._threads[new_thread] = _Thread(new_thread, now, origin, seq)
            kept.append([in_memory(event)], [event], now)
            self._waiting.wake(new_thread, len(kept))
            return len(kept)

    async def delete(self, thread: str) -> None:
        """Forgets the thread and its lease; its forks keep what they share with it."""
        with self._lock:
            self._leases.pop(thread, None)
            if self._threads.pop(thread, None) is not None:
                self._waiting.wake(thread, 0)

    async def lease(self, thread: str, holder: str, seconds: float, *, takeover: bool = False) -> Lease:
        """Makes `holder` the one who drives the thread, or renews that."""
        with self._lock:
            live = self._live(thread)
            if live is not None and live.holder != holder and not takeover:
                raise LeaseHeld(thread, live.holder, live.until)
            self._leases = self._leases or {}
            made = self._leases[thread] = Lease(thread, holder, self._clock() + seconds)
            return made

    async def release(self, thread: str, holder: str) -> None:
        """Ends the holder's lease."""
        with self._lock:
            lease = self._leases.get(thread)
            if lease is not None and lease.holder == holder:
                del self._leases[thread]

    async def leased(self, thread: str) -> Lease | None:
        """The live lease of the thread, or None."""
        with self._lock:
            return self._live(thread)

    async def changed(self, thread: str, seq: int) -> int:
        """Waits until the thread's length is another than `seq`, and gives it."""
        return await self._waiting.changed(thread, seq, lambda: self.length(thread))

    def _length(self, thread: str) -> int:
        kept = self._threads.get(thread)
        return 0 if kept is None else len(kept)

    def _live(self, thread: str) -> Lease | None:
        lease = self._leases.get(thread)
        return lease if lease is not None and lease.until > self._clock() else None
