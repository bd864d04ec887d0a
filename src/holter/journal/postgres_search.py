"""Lists of threads in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from holter.journal.postgres_driver import Connection
from holter.journal.search import ESCAPE, NESTED, Term, Wanted, terms
from holter.journal.stored import decode
from holter.journal.thread import ThreadInfo
from holter.journal.thread_row import COLUMNS, info

_AT_ONCE = 200
"""How many candidates are asked for at a time."""
_MATCHES = f"""
    WITH RECURSIVE part (key, origin, first, upto) AS (
        SELECT t.key, t.origin, t.first, t.length
        UNION ALL
        SELECT o.key, o.origin, o.first, least(part.first, part.upto) FROM part JOIN thread o ON o.key = part.origin
    )
    SELECT e.data FROM part JOIN event e ON e.thread = part.key AND e.seq >= part.first AND e.seq < part.upto
    WHERE e.data ILIKE %s ESCAPE '{ESCAPE}'"""  # noqa: S608 - a constant
"""The events of a thread `t`, shared ones included, that fit a pattern."""


def newest(connection: Connection, limit: int, offset: int) -> list[ThreadInfo]:
    """Threads, the one that was appended to last first."""
    sql = f"SELECT {COLUMNS} FROM thread t WHERE id IS NOT NULL ORDER BY newest DESC LIMIT %s OFFSET %s"  # noqa: S608 - a constant
    return [info(row) for row in connection.execute(sql, (limit, offset))]


def find(connection: Connection, wanted: Wanted, limit: int, offset: int) -> list[ThreadInfo]:
    """The threads that fit, the one that was appended to last first."""
    asked = terms(wanted)
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        fitting = (found for found in _candidates(connection, wanted) if all(_holds(connection, found, term) for term in asked))
        return list(islice(fitting, offset, offset + limit))


def _candidates(connection: Connection, wanted: Wanted) -> Iterator[ThreadInfo]:
    """Threads of which each pattern finds something."""
    conditions: list[tuple[str, object]] = [
        (condition, value)
        for condition, value in (
            ("t.status = %s", wanted.status),
            ("t.updated >= %s", wanted.since),
            ("t.updated < %s", wanted.until),
            ("t.id NOT LIKE %s", None if wanted.nested else NESTED),
        )
        if value is not None
    ]
    conditions += [(f"EXISTS ({_MATCHES})", term.pattern) for term in terms(wanted)]
    where = " AND ".join(["t.id IS NOT NULL", *(condition for condition, _ in conditions)])
    sql = f"SELECT {COLUMNS} FROM thread t WHERE {where} ORDER BY t.newest DESC"  # noqa: S608 - conditions are constants, values are bound
    with connection.cursor("candidates") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(sql, [value for _, value in conditions])
        for row in cursor:
            yield info(row)


def _holds(connection: Connection, found: ThreadInfo, term: Term) -> bool:
    """Whether one of the events that the pattern finds is one that matches."""
    sql = f"SELECT data FROM thread t, LATERAL ({_MATCHES}) AS match WHERE t.id = %s"  # noqa: S608 - a constant
    return any(term.matches(decode(text)) for (text,) in connection.execute(sql, (term.pattern, found.id)))


def lengths(connection: Connection, threads: Sequence[str]) -> dict[str, int]:
    """The lengths of those of the threads that exist."""
    return dict(connection.execute("SELECT id, length FROM thread WHERE id = ANY(%s)", (list(threads),)).fetchall())
