"""Moving what the write-ahead log holds into the database file, in a thread: it writes and flushes megabytes, and would block a loop."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress

_LARGE_BYTES = 8_000_000
"""A log of this size is moved: twice the size that it is cut to when it begins anew, and twice SQLite's own default."""
_TOO_LARGE_BYTES = 32_000_000
"""From this size on, writers wait until it begins anew: under steady writing it would never be empty on its own."""
_COMMITS = 64
"""How many commits there are between two looks at the log's size."""
_PATIENCE_MS = 1_000


class Checkpoint:
    """Keeps the write-ahead log of one file small."""

    def __init__(self, path: str, connect: Callable[[], sqlite3.Connection]) -> None:
        self._log = f"{path}-wal"
        self._connect = connect
        self._commits = 0
        self._thread: threading.Thread | None = None

    def committed(self) -> None:
        """Takes in that something was written. The caller holds the lock for writing."""
        self._commits += 1
        if self._commits >= _COMMITS:
            self._commits = 0
            if self._size() >= _LARGE_BYTES and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._move, name="holter-checkpoint")
                self._thread.start()

    def join(self) -> None:
        """Waits until a move that has begun is over."""
        if self._thread is not None:
            self._thread.join()

    def _move(self) -> None:
        # What fails here fails the next append, too, which says so to somebody.
        with suppress(sqlite3.Error), closing(self._connect()) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            if self._size() >= _TOO_LARGE_BYTES:
                connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}").fetchall()
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    def _size(self) -> int:
        try:
            return os.stat(self._log).st_size
        except OSError:
            return 0
