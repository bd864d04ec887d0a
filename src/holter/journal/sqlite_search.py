"""Lists of threads in a SQLite file. Functions of one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice

import msgspec

from holter.errors import JournalDamaged
from holter.journal.event import Event
from holter.journal.search import ESCAPE, NESTED, Term, Wanted, terms
from holter.journal.sqlite_thread import parts
from holter.journal.stored import decode
from holter.journal.thread import ThreadInfo
from holter.journal.thread_row import COLUMNS, info

_HOLDS = """EXISTS (
    WITH RECURSIVE part (key, origin, first, upto) AS (
        SELECT t.key, t.origin, t.first, t.length
        UNION ALL
        SELECT o.key, o.origin, o.first, min(part.first, part.upto) FROM part JOIN head o ON o.key = part.origin AND o.first < part.first
    )
    SELECT 1 FROM part JOIN event e ON e.id >= (part.key << 32) + part.first AND e.id < (part.key << 32) + part.upto
    WHERE e.data LIKE ? ESCAPE '!'
)"""
"""Whether an event of the thread `t`, shared ones included, fits a pattern."""


def newest(connection: sqlite3.Connection, limit: int, offset: int) -> list[ThreadInfo]:
    """Threads, the one that was appended to last first."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM thread t WHERE id IS NOT NULL ORDER BY newest DESC LIMIT ? OFFSET ?",  # noqa: S608 - a constant
        (limit, offset),
    )
    return [info(row) for row in found]


def find(connection: sqlite3.Connection, wanted: Wanted, limit: int, offset: int) -> list[ThreadInfo]:
    """The threads that fit, the one that was appended to last first."""
    with closing(_candidates(connection, wanted)) as candidates:
        asked = terms(wanted)
        fitting = (found for found in candidates if all(_holds(connection, found, term) for term in asked))
        return list(islice(fitting, offset, offset + limit))


def _candidates(connection: sqlite3.Connection, wanted: Wanted) -> Generator[ThreadInfo]:
    """Threads of which each pattern finds something."""
    conditions: list[tuple[str, object]] = [(_HOLDS, term.pattern) for term in terms(wanted)]
    conditions += [
        (condition, value)
        for condition, value in (
            ("t.status = ?", wanted.status),
            ("t.updated >= ?", wanted.since),
            ("t.updated < ?", wanted.until),
            ("t.id NOT LIKE ?", None if wanted.nested else NESTED),
        )
        if value is not None
    ]
    where = " AND ".join(["t.id IS NOT NULL", *(condition for condition, _ in reversed(conditions))])
    values = [value for _, value in reversed(conditions)]
    sql = f"SELECT {COLUMNS} FROM thread t WHERE {where} ORDER BY t.newest DESC"  # noqa: S608 - conditions are constants, values are bound
    with closing(connection.execute(sql, values)) as found:
        for row in found:
            yield info(row)


def _holds(connection: sqlite3.Connection, found: ThreadInfo, term: Term) -> bool:
    """Whether one of the events that the pattern finds is one that matches."""
    return any(
        term.matches(_event(text, found.id))
        for part in parts(connection, found.id, 0, None)
        for (text,) in connection.execute(
            f"SELECT data FROM event WHERE id >= ? AND id < ? AND data LIKE ? ESCAPE '{ESCAPE}'",  # noqa: S608 - a constant
            (*part.places, term.pattern),
        )
    )


def _event(text: str, thread: str) -> Event:
    try:
        return decode(text)
    except (msgspec.DecodeError, TypeError) as error:
        raise JournalDamaged(f"thread {thread!r}: an event cannot be read: {error}") from None


def lengths(connection: sqlite3.Connection, threads: Sequence[str]) -> dict[str, int]:
    """The lengths of those of the threads that exist."""
    return {thread: length for thread in threads for (length,) in connection.execute("SELECT length FROM thread WHERE id = ?", (thread,))}
