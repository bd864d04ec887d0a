"""Who drives a thread. Leases stand beside the events: they say nothing of what happened, and end by themselves."""

from __future__ import annotations

import msgspec


class Lease(msgspec.Struct, frozen=True):
    """A thread is driven by one holder until a time."""

    thread: str
    holder: str
    """The run's id."""
    until: float
    """Seconds since the epoch."""
