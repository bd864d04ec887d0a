"""The connections to a SQLite file: opened, shared by threads, kept out of child processes; and transactions beside other writers."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from holter.errors import JournalError, JournalUnavailable
from holter.journal import sqlite_schema as schema
from holter.journal.pause import apart, pause, pauses
from holter.journal.sqlite_checkpoint import Checkpoint
from holter.journal.sqlite_fault import Busy, Faults, busy, code, fault, is_busy
from holter.journal.sqlite_flush import Flush

T = TypeVar("T")
Work: TypeAlias = Callable[[sqlite3.Connection], T]
Sync: TypeAlias = Literal["effects", "disk", "off"]

_CANNOT_WRITE = (8, 14)
"""SQLITE_READONLY, SQLITE_CANTOPEN: what a database with a write-ahead log says where nothing can be written beside it."""
_LOG_BYTES = 4_000_000
"""The log is cut to this size when it begins anew."""

_TIDY_S = 2.0
"""How long to wait for others before tidying up is given up."""

_living: weakref.WeakSet[Database] = weakref.WeakSet()
_inherited: list[sqlite3.Connection | None] = []
"""A child process's copies of its parent's connections. To close one would be to tidy up the parent's log, so they live on, unused."""


class Database:
    """One file. A connection for writing and one for reading, each used by one thread at a time."""

    def __init__(self, path: str, sync: Sync, patience_s: float) -> None:
        """Opens the file, and makes it one of this version. `patience_s` is how long to wait for other processes that write."""
        self.path = path
        self._sync = sync
        self._patience_s = patience_s
        self._is_closed = False
        self._is_read_only = False
        self._faults = Faults(path)
        self._start()
        self.read_now(lambda _: None)
        _living.add(self)

    def _start(self) -> None:
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self.flush = Flush(f"{self.path}-wal")
        self._checkpoint = Checkpoint(self.path, self._connect)

    # Transactions

    async def write(self, work: Work[T]) -> T:
        """What the work gives, all that it wrote being committed; nothing is written when it raises. Suspends only while another process
        writes. JournalUnavailable when that takes too long, or when the file cannot be written."""
        return await self._soon(self._write, work)

    def write_now(self, work: Work[T]) -> T:
        """The same for synchronous callers; it blocks while another process writes."""
        return self._now(self._write, work)

    async def read(self, work: Work[T]) -> T:
        """What the work gives, all of it read from one state of the file. It does not suspend, but for moments in which another process
        opens the file after a crash."""
        return await self._soon(self._read, work)

    def read_now(self, work: Work[T]) -> T:
        """The same for synchronous callers."""
        return self._now(self._read, work)

    async def _soon(self, transact: Callable[[Work[T]], T], work: Work[T]) -> T:
        try:
            return transact(work)
        except Busy:
            pass
        for seconds in pauses(self._patience_s):
            await pause(seconds)
            with suppress(Busy):
                return transact(work)
        raise busy(self.path, self._patience_s)

    def _now(self, transact: Callable[[Work[T]], T], work: Work[T]) -> T:
        try:
            return transact(work)
        except Busy:
            pass
        for seconds in pauses(self._patience_s):
            time.sleep(seconds)
            with suppress(Busy):
                return transact(work)
        raise busy(self.path, self._patience_s)

    async def write_apart(self, work: Work[T]) -> T:
        """`write` for work that takes its time: in another thread where an event loop runs in this one."""
        return await apart(lambda: self.write_now(work))

    async def read_apart(self, work: Work[T]) -> T:
        """`read` for work that takes its time."""
        return await apart(lambda: self.read_now(work))

    def _write(self, work: Work[T]) -> T:
        with self._write_lock, self._faults:
            connection = self._writer = self._writer or self._open()
            if self._is_read_only:
                raise JournalUnavailable(f"{self.path}: it is read-only here, and so is its folder")
            made = _transaction(connection, "BEGIN IMMEDIATE", work)
            self._checkpoint.committed()
            return made

    def look_now(self, look: Work[T]) -> T:
        """What one statement reads, for synchronous callers: through the connection for writing, which need not read anew what was written
        through it."""
        return self._now(self._look, look)

    def _look(self, look: Work[T]) -> T:
        with self._write_lock, self._faults:
            connection = self._writer = self._writer or self._open()
            return look(connection)

    def _read(self, work: Work[T]) -> T:
        with self._read_lock, self._faults:
            connection = self._reader = self._reader or self._open()
            return _transaction(connection, "BEGIN", work)

    def others(self) -> int:
        """A number that is another when another process has written since."""
        with self._write_lock, self._faults:
            connection = self._writer = self._writer or self._open()
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    async def tidy(self) -> bool:
        """Gives free pages back to the file system, and empties the log, so that what was deleted is nowhere in the two files. False when
        others read or write all the time."""
        return await apart(self._tidy)

    def _tidy(self) -> bool:
        for seconds in pauses(min(self._patience_s, _TIDY_S)):
            with suppress(Busy), self._write_lock, self._faults:
                connection = self._writer = self._writer or self._open()
                connection.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page: a step for each
                [is_busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not is_busy:
                    return True
            time.sleep(seconds)
        return False

    # Connections

    def close(self) -> None:
        """Closes the connections. Nothing may be asked afterwards."""
        self._is_closed = True
        self._checkpoint.join()
        with self._write_lock, self._read_lock:
            for connection in (self._writer, self._reader):
                if connection is not None:
                    connection.close()
            self._writer = self._reader = None
            self.flush.close()

    def __del__(self) -> None:
        with suppress(Exception):  # half made, or the interpreter is at its end
            self.close()

    def _open(self) -> sqlite3.Connection:
        """A connection to a file of this version."""
        connection = self._connect()
        try:
            if not schema.check(connection, self.path):
                _prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        if self._is_closed:
            raise JournalError(f"{self.path}: the journal was closed")
        _create(self.path)
        connection = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=256)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            if code(error) not in _CANNOT_WRITE or _can_write(self.path) or _has_content(f"{self.path}-wal"):
                raise
            # Nobody can write here, so nobody changes it; without this SQLite wants to lay a file beside it.
            connection = sqlite3.connect(_immutable(self.path), uri=True, timeout=0, isolation_level=None, check_same_thread=False)
            self._is_read_only = True
        connection.execute(f"PRAGMA synchronous = {'OFF' if self._sync == 'off' else 'NORMAL'}")
        connection.execute("PRAGMA wal_autocheckpoint = 0").fetchall()
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}").fetchall()
        connection.execute("PRAGMA secure_delete = ON").fetchall()
        return connection

    def _leave_to_parent(self) -> None:
        """In a child process: lets the parent's connections be, and opens its own when they are needed."""
        _inherited.extend((self._writer, self._reader))
        self._start()


def _transaction(connection: sqlite3.Connection, begin: str, work: Work[T]) -> T:
    connection.execute(begin)
    try:
        made = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # some faults have ended the transaction
            connection.execute("ROLLBACK")
        raise
    return made


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Lays out an empty file, or upgrades an older one."""
    is_older = schema.version(connection) > 0
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        _transaction(connection, "BEGIN IMMEDIATE", lambda connection: schema.upgrade(connection, path))
    except sqlite3.Error as error:
        if not is_older or is_busy(error):
            raise
        made = fault(error, path)
        raise type(made)(
            f"{made}. The file was written by an earlier Holter and has to be upgraded, which takes the right to write it, and twice its "
            "room on the disk; it is as it was"
        ) from error
    if is_older:
        with suppress(sqlite3.Error):  # another process is at work; what was freed is used again
            connection.executescript("PRAGMA incremental_vacuum")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _create(path: str) -> None:
    """Makes an empty file that only its owner may read, unless there is one. SQLite gives its log the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise JournalUnavailable(f"{path} cannot be created: {(error.strerror or str(error)).lower()}") from error


def _can_write(path: str) -> bool:
    """Whether the file may be written, and files may be laid beside it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(os.path.abspath(path)), os.W_OK)


def _has_content(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


def _immutable(path: str) -> str:
    return f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"


def _after_fork() -> None:
    for database in _living:
        database._leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
