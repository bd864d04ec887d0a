"""Moving what the write-ahead log holds into the database file, in a thread: it writes and flushes megabytes, and would block a loop."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress

from holter.errors import JournalError

_LARGE_BYTES = 8_000_000
"""A log that has grown by so much is moved: twice the size that it is cut to when it begins anew, and twice SQLite's own default. Not after
each few commits from there on, since whoever writes all the time keeps it from beginning anew, and each move flushes twice."""
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
        self._moved_bytes = 0
        """The log's size when it was moved last."""
        self._thread: threading.Thread | None = None

    def committed(self) -> None:
        """Takes in that something was written. The caller holds the lock for writing."""
        self._commits += 1
        if self._commits >= _COMMITS:
            self._commits = 0
            if self._is_large() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._move, name="holter-checkpoint")
                self._thread.start()

    def _is_large(self) -> bool:
        """Whether it is time to move the log."""
        size = self._size()
        if size < self._moved_bytes:
            self._moved_bytes = 0  # it began anew
        if size - self._moved_bytes < _LARGE_BYTES and size < _TOO_LARGE_BYTES:
            return False
        self._moved_bytes = size
        return True

    def join(self) -> None:
        """Waits until a move that has begun is over."""
        if self._thread is not None:
            self._thread.join()

    def _move(self) -> None:
        # What fails here fails the next append, too, which says so to somebody.
        with suppress(sqlite3.Error, JournalError), closing(self._connect()) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            if self._size() >= _TOO_LARGE_BYTES:
                connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}").fetchall()
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    def _size(self) -> int:
        try:
            return os.stat(self._log).st_size
        except OSError:
            return 0
