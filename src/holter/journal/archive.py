"""What a journal that lasts can do beside the protocol: be searched, cleared up, and moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holter.journal.entry import Entry
from holter.journal.event import Event
from holter.journal.journal import Journal
from holter.journal.search import Wanted
from holter.journal.store import Store
from holter.journal.thread import ThreadInfo


class Archive(Journal, Protocol):
    """A journal in a file or a database."""

    @property
    def store(self) -> Store:
        """The long-term memory in the same file or database."""
        ...

    async def find(self, wanted: Wanted, limit: int = 50, offset: int = 0) -> list[ThreadInfo]:
        """The threads that fit, the one that was appended to last first. What a fork shares with its origin counts."""
        ...

    async def prune(self, before: float) -> list[str]:
        """Deletes the threads that nobody appended to since that time and that nobody drives, and gives their ids, sorted. What a living
        fork shares with one of them stays."""
        ...

    async def redact(self, thread: str, seq: int, event: Event, reason: str = "") -> int:
        """Puts the event in the place of the one at `seq`, which is of the same kind, appends an event that says so, and gives the `seq` of
        the next one. The one before is gone from the store, and from every fork that shares it.

        ValueError where there is no event at `seq`, or one of another kind.
        """
        ...

    async def restore(self, thread: str, entries: Sequence[Entry], origin: tuple[str, int] | None = None) -> int:
        """Begins a thread with entries of another journal, with their times, and gives the `seq` of the next one. With an origin, it shares
        so many first events of that thread, and the entries are what follows them.

        JournalConflict when the thread exists, UnknownThread when the origin does not, ValueError when the entries do not follow on one
        another.
        """
        ...

    def close(self) -> None:
        """Lets go of the file or the connections. Nothing may be asked of the journal afterwards."""
        ...
