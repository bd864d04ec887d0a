"""Connections to a PostgreSQL server: a few, shared by all threads and event loops; opened when needed, and anew when one was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from holter.errors import JournalDamaged, JournalError, JournalUnavailable
from holter.journal import postgres_schema
from holter.journal.pause import running_loop
from holter.journal.postgres_driver import Connection, conninfo, errors, psycopg, sql

T = TypeVar("T")

_CONNECT_S = 5
"""How long a server may take until it is said to be gone."""
_DAMAGED = (errors.DataCorrupted, errors.IndexCorrupted)
_REFUSED = (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege)


class Gone(Exception):
    """The connection was lost while something was done, and it is not known whether it was."""


class Database:
    """One schema of a server's database."""

    def __init__(self, url: str, schema: str, size: int) -> None:
        """Connects, and makes the tables those of this version. `size` is the largest number of connections."""
        self._url = url
        self._schema = schema
        self._executor = ThreadPoolExecutor(size, "holter-postgres")
        self._room = threading.BoundedSemaphore(size)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._is_closed = False
        try:
            self.run_now(lambda connection: postgres_schema.upgrade(connection, schema))
        except BaseException:
            self.close()
            raise

    async def run(self, work: Callable[[Connection], T], again: Callable[[Connection], T] | None = None) -> T:
        """`run_now`; in another thread where an event loop runs in this one."""
        loop = running_loop()
        if loop is None or self._is_closed:
            return self.run_now(work, again)
        return await loop.run_in_executor(self._executor, self.run_now, work, again)

    def run_now(self, work: Callable[[Connection], T], again: Callable[[Connection], T] | None = None) -> T:
        """What the work gives. Where the connection is lost in the midst of it, `again` is done over a new one: the work itself, unless
        something else is to be done then. JournalUnavailable when there is no server."""
        with self._room:
            try:
                return self._run(work)
            except Gone:
                self._drop_idle()
            try:
                return self._run(again or work)
            except Gone as error:
                raise JournalUnavailable(f"{self.place()}: the connection was lost, and again ({error})") from None

    def place(self) -> str:
        """Which database, without a password."""
        try:
            said = conninfo.conninfo_to_dict(self._url)
        except psycopg.Error:
            return "PostgreSQL"
        return f"PostgreSQL at {said.get('host') or 'localhost'}, database {said.get('dbname') or 'by default'}"

    def close(self) -> None:
        """Closes the connections. Nothing may be asked afterwards."""
        self._is_closed = True
        self._executor.shutdown()
        self._drop_idle()

    def _run(self, work: Callable[[Connection], T]) -> T:
        connection = self._take()
        try:
            return work(connection)
        except psycopg.Error as error:
            if connection.closed or connection.broken:
                raise Gone(str(error).strip()) from error
            raise self._fault(error) from error
        finally:
            self._give_back(connection)

    def _take(self) -> Connection:
        if self._is_closed:
            raise JournalError(f"{self.place()}: the journal was closed")
        with self._lock:
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect()
        except psycopg.Error as error:
            raise JournalUnavailable(f"{self.place()} cannot be reached: {' '.join(str(error).split())}") from error

    def _connect(self) -> Connection:
        connection = psycopg.connect(self._url, autocommit=True, connect_timeout=_CONNECT_S, application_name="holter")
        try:
            connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(self._schema)))
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: Connection) -> None:
        if connection.closed or connection.broken or self._is_closed:
            connection.close()
            return
        with self._lock:
            self._idle.append(connection)

    def _drop_idle(self) -> None:
        """Closes the connections that nobody uses: where one was lost, the others mostly were, too."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _fault(self, error: psycopg.Error) -> JournalError:
        text = f"{self.place()}: {' '.join(str(error).split())}"
        if isinstance(error, _DAMAGED):
            return JournalDamaged(text)
        return JournalUnavailable(text) if isinstance(error, (psycopg.OperationalError, *_REFUSED)) else JournalError(text)
