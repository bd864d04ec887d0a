"""Long-term memory in the file of a SQLite journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from holter.journal import stored_item as stored
from holter.journal.sqlite_database import Database
from holter.journal.store import Item, Namespace, Store, checked, fits

_COLUMNS = "namespace, name, value, created, updated"


class SQLiteStore(Store):
    """Keeps values in a file. See `Store` for what the methods do; one that other processes keep from writing waits."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> None:
        """Keeps the value, in place of one that stands there. NotStorable for one that JSON cannot hold."""
        place, text = stored.place_of(checked(namespace, key, value)), stored.encode(value)
        now = self._clock()

        def keep(connection: sqlite3.Connection) -> None:
            old = connection.execute("SELECT created FROM item WHERE namespace = ? AND name = ?", (place, key)).fetchone()
            connection.execute("DELETE FROM item WHERE namespace = ? AND name = ?", (place, key))
            # Laid anew and not updated: its row number says who was changed last.
            connection.execute(f"INSERT INTO item ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", (place, key, text, old[0] if old else now, now))  # noqa: S608 - a constant

        self._database.write_now(keep)

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """The value that stands there, or None."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE namespace = ? AND name = ?"  # noqa: S608 - a constant
        place = stored.place_of(namespace)
        found = self._database.read_now(lambda connection: connection.execute(sql, (place, key)).fetchone())
        return None if found is None else stored.item(*found)

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Forgets the value; nothing happens when there is none."""
        place = stored.place_of(namespace)
        self._database.write_now(
            lambda connection: connection.execute("DELETE FROM item WHERE namespace = ? AND name = ?", (place, key)).close()
        )

    def search(
        self,
        namespace_prefix: Sequence[str],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Item]:
        """Items whose namespace begins like this, newest change first. See `Store.search`."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE namespace = ? OR (namespace >= ? AND namespace < ?) ORDER BY id DESC"  # noqa: S608 - a constant

        def found(connection: sqlite3.Connection) -> list[Item]:
            with closing(connection.execute(sql, stored.below(namespace_prefix))) as rows:
                fitting = (item for row in rows if fits(item := stored.item(*row), query, filter))
                return list(islice(fitting, offset, offset + limit))

        return self._database.read_now(found)

    def list_namespaces(
        self, *, prefix: Sequence[str] = (), max_depth: int | None = None, limit: int = 100, offset: int = 0
    ) -> list[Namespace]:
        """The namespaces that hold something, sorted, cut to `max_depth` parts."""
        sql = "SELECT DISTINCT namespace FROM item WHERE namespace = ? OR (namespace >= ? AND namespace < ?)"
        rows = self._database.read_now(lambda connection: connection.execute(sql, stored.below(prefix)).fetchall())
        return sorted({stored.namespace_of(place)[:max_depth] for (place,) in rows})[offset : offset + limit]
