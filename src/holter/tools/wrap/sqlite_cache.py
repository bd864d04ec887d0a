"""A cache in a file, which outlives the process and may be used by several."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Collection
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value BLOB NOT NULL, ends REAL, made REAL NOT NULL);
CREATE INDEX IF NOT EXISTS entry_made ON entry (made);
CREATE TABLE IF NOT EXISTS label (label TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (label, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS label_key ON label (key);
CREATE TABLE IF NOT EXISTS lease (key TEXT PRIMARY KEY, token TEXT NOT NULL, ends REAL NOT NULL) WITHOUT ROWID;
"""
_SWEEP = 64
"""How many values are written between two looks for what is over."""


class SqliteCache:
    """Keeps results in an SQLite file, which is made for its owner alone; over `max_entries` the oldest go. Safe to use from several
    threads and processes."""

    holds_objects = False
    is_quick = False

    def __init__(self, path: str | os.PathLike[str], *, max_entries: int | None = None) -> None:
        """`max_entries` None: as many as the wrapper that uses it says. Raises sqlite3.Error when the file is none of SQLite's, or cannot
        be written."""
        self.max_entries = max_entries
        file = Path(path)
        file.touch(mode=0o600, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(file, timeout=5, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_SCHEMA)
        self._writes = 0

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    def get(self, key: str) -> bytes | None:
        """The value, or None."""
        with self._lock:
            row = self._connection.execute("SELECT value, ends FROM entry WHERE key = ?", (key,)).fetchone()
        return None if row is None or (row[1] is not None and row[1] <= time.time()) else row[0]

    def set(self, key: str, value: bytes, *, ttl_s: float | None = None, labels: Collection[str] = ()) -> None:
        """Keeps the value for `ttl_s`; None for as long as there is room."""
        now = time.time()
        ends = None if ttl_s is None else now + ttl_s
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", (key, value, ends, now))
            self._connection.execute("DELETE FROM label WHERE key = ?", (key,))
            self._connection.executemany("INSERT OR IGNORE INTO label VALUES (?, ?)", [(label, key) for label in labels])
            self._writes += 1
            if self._writes % _SWEEP == 1 or (self.max_entries is not None and self.max_entries < _SWEEP):
                self._sweep(now)

    def _sweep(self, now: float) -> None:
        """Removes what is over, and the oldest where there are too many."""
        run = self._connection.execute
        run("DELETE FROM entry WHERE ends <= ?", (now,))
        run("DELETE FROM lease WHERE ends <= ?", (now,))
        if self.max_entries is not None:
            over = run("SELECT count(*) FROM entry").fetchone()[0] - self.max_entries
            if over > 0:
                run("DELETE FROM entry WHERE key IN (SELECT key FROM entry ORDER BY made, rowid LIMIT ?)", (over,))
        run("DELETE FROM label WHERE key NOT IN (SELECT key FROM entry)")

    def delete(self, key: str) -> int:
        """Forgets the value; gives how many that were."""
        with self._lock:
            return self._connection.execute("DELETE FROM entry WHERE key = ?", (key,)).rowcount

    def delete_label(self, label: str) -> int:
        """Forgets the values with this label; gives how many that were."""
        with self._lock:
            return self._connection.execute("DELETE FROM entry WHERE key IN (SELECT key FROM label WHERE label = ?)", (label,)).rowcount

    def lease(self, key: str, token: str, seconds: float) -> bool:
        """Whether this one may make the value: nobody else holds the lease, or it has run out."""
        now = time.time()
        with self._lock:
            taken = self._connection.execute(
                "INSERT INTO lease VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET token = excluded.token, ends = excluded.ends "
                "WHERE lease.ends <= ?",
                (key, token, now + seconds, now),
            )
        return taken.rowcount > 0

    def renew(self, key: str, token: str, seconds: float) -> None:
        """Holds on to the lease for so long from now, if it is still this one's."""
        with self._lock:
            self._connection.execute("UPDATE lease SET ends = ? WHERE key = ? AND token = ?", (time.time() + seconds, key, token))

    def release(self, key: str, token: str) -> None:
        """Gives the lease back, if it is still this one's."""
        with self._lock:
            self._connection.execute("DELETE FROM lease WHERE key = ? AND token = ?", (key, token))
