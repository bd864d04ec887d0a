"""One at a time makes a value; the others wait for it, in whatever thread or loop they are."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from enum import Enum
from typing import TypeAlias

from holter.tools.wrap.kept import Frozen


class Landing(Enum):
    """How a flight ends that brings no value to share."""

    AGAIN = "again"
    """Whoever made it was cancelled or has a question: another one may try."""
    ALONE = "alone"
    """It failed, or the value is nobody else's: each makes its own."""


Landed: TypeAlias = "Frozen | Landing"


class Flights:
    """The values that are being made now, by key."""

    def __init__(self) -> None:
        self._futures: dict[str, Future[Landed]] = {}
        self._lock = threading.Lock()

    def join(self, key: str) -> Future[Landed] | None:
        """What to wait for; None for the one who is to make the value, and who has to `land` it."""
        with self._lock:
            future = self._futures.get(key)
            if future is None:
                made: Future[Landed] = Future()
                made.set_running_or_notify_cancel()
                self._futures[key] = made
            return future

    def land(self, key: str, landed: Landed) -> None:
        """Lets go who waits."""
        with self._lock:
            future = self._futures.pop(key)
        future.set_result(landed)
