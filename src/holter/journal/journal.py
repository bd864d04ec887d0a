"""Where events live: the protocol that every back end follows. `holter.journal.testing` checks that one does.

Why all methods are asynchronous, and what is left out of the protocol: design/journal.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from holter.journal.entry import Entry
from holter.journal.event import Event
from holter.journal.lease import Lease
from holter.journal.thread import ThreadInfo


class Journal(Protocol):
    """Threads of events, each append-only. All methods may be called from several threads and event loops at once.

    A back end that waits for nothing outside the process does not suspend in them (`changed` apart), so that synchronous callers can
    drive them without a loop. A thread that nobody appended to is an empty one.
    """

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """Appends the events, all or none, and gives the `seq` of the next one.

        `expected_seq` is the thread's length as the caller knows it. JournalConflict when it is another, because somebody else appended
        first: read on from there and decide. NotStorable when an event holds a value that JSON cannot hold. 0 begins a thread.
        """
        ...

    async def read(self, thread: str, start: int = 0, end: int | None = None) -> list[Entry]:
        """The entries from `start` up to `end`, which is not included, oldest first; all there are when `end` is None or beyond them."""
        ...

    async def length(self, thread: str) -> int:
        """How many events the thread has; 0 where there is no such thread."""
        ...

    async def threads(self, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """Threads, the one that was appended to last first."""
        ...

    async def fork(self, thread: str, seq: int, new_thread: str) -> int:
        """Begins a thread that shares the first `seq` events of another, and gives the `seq` of its next event.

        Nothing is copied: its first own event, at `seq`, is a `ThreadCreated` that points there, and reading follows the pointer.
        UnknownThread when there is no such thread, ValueError when it has fewer events, JournalConflict when the new one exists.
        """
        ...

    async def delete(self, thread: str) -> None:
        """Forgets the thread and its lease; nothing happens when there is none. What a living fork shares with it stays readable there."""
        ...

    async def lease(self, thread: str, holder: str, seconds: float, *, takeover: bool = False) -> Lease:
        """Makes `holder` the one who drives the thread for so long from now; renews it for whoever is. LeaseHeld when another one's
        lease is live, unless it is to be taken over."""
        ...

    async def release(self, thread: str, holder: str) -> None:
        """Ends the holder's lease; nothing happens when it has none (any more)."""
        ...

    async def leased(self, thread: str) -> Lease | None:
        """The live lease of the thread, or None."""
        ...

    async def changed(self, thread: str, seq: int) -> int:
        """Waits until the thread's length is another than `seq`, and gives it. Smaller: it was deleted."""
        ...


async def follow(journal: Journal, thread: str, start: int = 0) -> AsyncIterator[Entry]:
    """The entries from `start` on, those to come too, each once and in order. Ends when the thread is deleted, or when it is closed."""
    known = await journal.length(thread)
    while True:
        entries = await journal.read(thread, start)
        for entry in entries:
            yield entry
        start += len(entries)
        known = max(known, start) if entries else known
        length = await journal.changed(thread, known)
        if length < known:
            return
        known = length
