"""Threads in PostgreSQL: how they come and go, and where their events lie. One statement wherever one can do it, so that it is one state
that is seen and one way to the server and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holter.errors import JournalConflict, UnknownThread
from holter.journal.event import Event, RunEnded, RunStarted, ThreadCreated
from holter.journal.postgres_driver import Connection
from holter.journal.postgres_schema import LOCK
from holter.journal.stored import encode
from holter.journal.thread import status_after

NOW = "coalesce(%(now)s::float8, extract(epoch FROM clock_timestamp())::float8)"
"""The server's time, unless the journal has a clock of its own: the clocks of several machines differ."""
_LAST = NOW.replace("%(now)s", "%(last)s")

_EVENTS = """INSERT INTO event (thread, seq, ts, kind, data)
    SELECT kept.key, %(seq)s + e.at - 1, kept.updated, e.kind, e.data
    FROM kept, unnest(%(kinds)s::text[], %(data)s::text[]) WITH ORDINALITY AS e (kind, data, at)"""
_BEGIN = f"""WITH kept AS (
    INSERT INTO thread (id, length, created, updated, status, newest)
    SELECT %(thread)s, %(count)s, now, now, coalesce(%(status)s, 'new'), nextval('turn') FROM (SELECT {NOW} AS now) AS clock
    ON CONFLICT (id) DO NOTHING RETURNING key, updated
) {_EVENTS}"""  # noqa: S608 - constants
_GO_ON = f"""WITH kept AS (
    UPDATE thread SET length = length + %(count)s, updated = {NOW}, status = coalesce(%(status)s, status), newest = nextval('turn')
    WHERE id = %(thread)s AND length = %(seq)s RETURNING key, updated
) {_EVENTS}"""  # noqa: S608 - constants

_PARTS = """WITH RECURSIVE part (key, origin, first, upto) AS (
    SELECT key, origin, first, length FROM thread WHERE id = %(thread)s
    UNION ALL
    SELECT o.key, o.origin, o.first, least(part.first, part.upto) FROM part JOIN thread o ON o.key = part.origin
    WHERE part.first > %(start)s
)"""
"""Where the events of a thread lie: its own, and those that it shares with what it was forked from."""
_READ = f"""{_PARTS} SELECT e.seq, e.ts, e.data FROM part
    JOIN event e ON e.thread = part.key AND e.seq >= greatest(part.first, %(start)s) AND e.seq < least(part.upto, %(end)s::bigint)
    ORDER BY e.seq"""  # noqa: S608 - constants
_REPLACE = f"""{_PARTS} UPDATE event SET data = %(data)s FROM part
    WHERE event.thread = part.key AND event.seq = %(start)s AND event.seq >= part.first AND event.seq < part.upto"""  # noqa: S608


def length(connection: Connection, thread: str) -> int:
    """How many events the thread has."""
    found = connection.execute("SELECT length FROM thread WHERE id = %s", (thread,)).fetchone()
    return 0 if found is None else int(found[0])


def append(connection: Connection, thread: str, seq: int, events: Sequence[Event], stored: Sequence[str], now: float | None) -> int:
    """Appends the events in one statement, and gives the `seq` of the next one. JournalConflict when the thread has another length."""
    has_news = any(isinstance(event, RunStarted | RunEnded) for event in events)
    given = {
        "thread": thread,
        "seq": seq,
        "count": len(stored),
        "now": now,
        "status": status_after("new", events) if has_news else None,
        "kinds": [event.kind for event in events],
        "data": list(stored),
    }
    if connection.execute(_GO_ON if seq else _BEGIN, given).rowcount != len(stored):
        raise JournalConflict(thread, seq, length(connection, thread))
    return seq + len(stored)


def appended(connection: Connection, thread: str, seq: int, stored: Sequence[str]) -> bool:
    """Whether these events stand there: asked when the connection was lost before the server had answered."""
    return [text for _, _, text in read(connection, thread, seq, seq + len(stored))] == list(stored)


def read(connection: Connection, thread: str, start: int, end: int | None) -> list[tuple[int, float, str]]:
    """`seq`, time and JSON of the events from `start` up to `end`, oldest first."""
    return connection.execute(_READ, {"thread": thread, "start": start, "end": end}).fetchall()


def replace(connection: Connection, thread: str, seq: int, text: str) -> None:
    """Puts JSON in the place of the event at `seq`, wherever it lies."""
    connection.execute(_REPLACE, {"thread": thread, "start": seq, "data": text})


def fork(connection: Connection, thread: str, seq: int, new_thread: str, now: float | None) -> int:
    """Begins a thread that shares the first `seq` events of another, and gives the `seq` of its next event."""
    event = ThreadCreated(forked_from=thread, at=seq)
    begin(connection, new_thread, seq, (thread, seq), [(now, event.kind, encode(event).decode())], "new")
    return seq + 1


def begin(
    connection: Connection,
    thread: str,
    first: int,
    origin: tuple[str, int] | None,
    rows: Sequence[tuple[float | None, str, str]],
    status: str,
) -> None:
    """Lays a thread with time, kind and JSON of its own events; a time that is None is now."""
    key, forked_from = shared(connection, origin)
    sql = f"""INSERT INTO thread (id, origin, forked_from, first, length, created, updated, status, newest)
        SELECT %(thread)s, %(origin)s, %(forked_from)s, %(first)s, %(length)s, {NOW}, {_LAST}, %(status)s, nextval('turn')
        ON CONFLICT (id) DO NOTHING RETURNING key, created"""
    given = {"thread": thread, "origin": key, "forked_from": forked_from, "first": first, "length": first + len(rows), "status": status}
    found = connection.execute(sql, given | {"now": rows[0][0], "last": rows[-1][0]}).fetchone()
    if found is None:
        raise JournalConflict(thread, 0, length(connection, thread))
    connection.execute(
        """INSERT INTO event (thread, seq, ts, kind, data) SELECT %s, %s + at - 1, coalesce(ts, %s), kind, data
            FROM unnest(%s::float8[], %s::text[], %s::text[]) WITH ORDINALITY AS e (ts, kind, data, at)""",
        (found[0], first, found[1], *(list(column) for column in zip(*rows, strict=True))),
    )


def shared(connection: Connection, origin: tuple[str, int] | None) -> tuple[int | None, str | None]:
    """The key and the id of what a thread shares so many first events of: the thread where they lie, which may be one that the named one
    is itself a fork of. UnknownThread and ValueError as in `fork`."""
    if origin is None:
        return None, None
    thread, seq = origin
    found = connection.execute("SELECT key, origin, first, length FROM thread WHERE id = %s", (thread,)).fetchone()
    if found is None:
        raise UnknownThread(thread)
    key, above, first, count = found
    if not 0 <= seq <= count:
        raise ValueError(f"thread {thread!r} has {count} events; it cannot be forked at {seq}")
    while seq <= first and above is not None:
        key, above, first = _row(connection, above)
    return (key if seq else None), thread


def _row(connection: Connection, key: int) -> tuple[Any, ...]:
    [found] = connection.execute("SELECT key, origin, first FROM thread WHERE key = %s", (key,)).fetchall()
    return tuple(found)


def lock(connection: Connection) -> None:
    """Keeps others from changing which threads there are, until the transaction ends. Appending goes on."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))


def delete(connection: Connection, key: int) -> None:
    """Forgets a thread and all that no fork shares with it; and those without a name that it was the last to read."""
    connection.execute("UPDATE thread SET id = NULL WHERE key = %s", (key,))
    nameless: int | None = key
    while nameless is not None:
        nameless = _forget(connection, nameless)


def _forget(connection: Connection, key: int) -> int | None:
    """Drops what no fork reads of a thread without a name; gives the origin where that is one without a name that lost a reader."""
    [(kept,)] = connection.execute("SELECT max(first) FROM thread WHERE origin = %s", (key,)).fetchall()
    connection.execute("DELETE FROM event WHERE thread = %s AND seq >= %s", (key, kept or 0))
    if kept is not None:
        connection.execute("UPDATE thread SET length = %s WHERE key = %s", (kept, key))
        return None
    [(origin,)] = connection.execute("DELETE FROM thread WHERE key = %s RETURNING origin", (key,)).fetchall()
    found = connection.execute("SELECT key FROM thread WHERE key = %s AND id IS NULL", (origin,)).fetchone()
    return None if found is None else int(found[0])
