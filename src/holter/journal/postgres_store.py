"""Long-term memory in the database of a PostgreSQL journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from holter.journal import stored_item as stored
from holter.journal.postgres_database import Database
from holter.journal.postgres_thread import NOW
from holter.journal.store import Item, Namespace, Store, checked, fits

_COLUMNS = "namespace, name, value, created, updated"
_BELOW = "(namespace = %s OR (namespace >= %s AND namespace < %s))"


class PostgresStore(Store):
    """Keeps values in a database. See `Store` for what the methods do."""

    def __init__(self, database: Database, clock: Callable[[], float] | None) -> None:
        self._database = database
        self._clock = clock

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> None:
        """Keeps the value, in place of one that stands there. NotStorable for one that JSON cannot hold."""
        given = {
            "namespace": stored.place_of(checked(namespace, key, value)),
            "name": key,
            "value": stored.encode(value),
            "now": self._clock() if self._clock else None,
        }
        sql = f"""INSERT INTO item (namespace, name, value, created, updated, turn)
            SELECT %(namespace)s, %(name)s, %(value)s, now, now, nextval('turn') FROM (SELECT {NOW} AS now) AS clock
            ON CONFLICT (namespace, name) DO UPDATE SET value = excluded.value, updated = excluded.updated, turn = excluded.turn"""  # noqa: S608
        self._database.run_now(lambda connection: connection.execute(sql, given))

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """The value that stands there, or None."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE namespace = %s AND name = %s"  # noqa: S608 - a constant
        place = stored.place_of(namespace)
        found = self._database.run_now(lambda connection: connection.execute(sql, (place, key)).fetchone())
        return None if found is None else stored.item(*found)

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Forgets the value; nothing happens when there is none."""
        place = stored.place_of(namespace)
        sql = "DELETE FROM item WHERE namespace = %s AND name = %s"
        self._database.run_now(lambda connection: connection.execute(sql, (place, key)))

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
        sql = f"SELECT {_COLUMNS} FROM item WHERE {_BELOW} ORDER BY turn DESC"  # noqa: S608 - constants
        rows = self._database.run_now(lambda connection: connection.execute(sql, stored.below(namespace_prefix)).fetchall())
        fitting = (item for row in rows if fits(item := stored.item(*row), query, filter))
        return list(islice(fitting, offset, offset + limit))

    def list_namespaces(
        self, *, prefix: Sequence[str] = (), max_depth: int | None = None, limit: int = 100, offset: int = 0
    ) -> list[Namespace]:
        """The namespaces that hold something, sorted, cut to `max_depth` parts."""
        sql = f"SELECT DISTINCT namespace FROM item WHERE {_BELOW}"  # noqa: S608 - a constant
        rows = self._database.run_now(lambda connection: connection.execute(sql, stored.below(prefix)).fetchall())
        return sorted({stored.namespace_of(place)[:max_depth] for (place,) in rows})[offset : offset + limit]
