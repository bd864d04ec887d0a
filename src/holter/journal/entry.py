"""An event where it stands in its thread."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from holter.journal.event import Event


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event of a thread."""

    seq: int
    """Position in the thread, 0-based. In a fork, what it shares with its origin counts too."""
    ts: float
    """When it was appended: seconds since the epoch. A number and not a `datetime`, which would take longer to make than to append."""
    event: Event

    @property
    def time(self) -> datetime:
        """When it was appended, in UTC."""
        return datetime.fromtimestamp(self.ts, UTC)
