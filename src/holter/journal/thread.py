"""What a list of threads says of each, without reading its events."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec

from holter.journal.event import Event, RunEnded, RunStarted, ThreadCreated

Status: TypeAlias = Literal["new", "running", "done", "interrupted", "limit", "cancelled", "failed"]
"""How the newest run stands: "new" before the first, "running" until its end is in the journal. Whether somebody drives it still is what
the lease says."""


class ThreadInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One thread of a list."""

    id: str
    length: int
    """How many events it has, those that a fork shares with its origin included; the `seq` of the next one."""
    created: float
    """Seconds since the epoch, as `Entry.ts`."""
    updated: float
    """When the newest event was appended."""
    status: Status = "new"
    forked_from: str | None = None
    at: int | None = None
    """How many events it shares with the thread that it is a fork of."""

    @property
    def updated_at(self) -> datetime:
        """When the newest event was appended, in UTC."""
        return datetime.fromtimestamp(self.updated, UTC)


ENDS = frozenset((RunStarted, RunEnded))
"""The kinds of events that change a thread's status."""


def status_after(status: Status, events: Iterable[Event]) -> Status:
    """The status of a thread when these events have been appended. A fork begins with "new", whatever it shares."""
    for event in events:
        kind = type(event)
        if kind is RunStarted:
            status = "running"
        elif kind is RunEnded:
            status = event.status  # type: ignore[union-attr]  # `isinstance` twice per event costs more than the append
    return status


def status_of(events: Iterable[Event]) -> Status:
    """The status of a thread of which these are all events, those that it shares as a fork included."""
    status: Status = "new"
    for event in events:
        status = "new" if isinstance(event, ThreadCreated) else status_after(status, [event])
    return status
