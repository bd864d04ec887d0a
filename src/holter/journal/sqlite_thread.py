"""Threads in a SQLite file: where their events lie, and how they come and go. Functions of one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from holter.errors import JournalConflict, JournalDamaged, UnknownThread
from holter.journal.event import Event, ThreadCreated
from holter.journal.stored import encode
from holter.journal.thread import Status, status_after


class Row(NamedTuple):
    """What an append has to know of a thread."""

    key: int
    length: int
    status: Status


class Part(NamedTuple):
    """Events that lie together."""

    key: int
    start: int
    end: int


def row(connection: sqlite3.Connection, thread: str) -> Row | None:
    """The thread's row, or None."""
    found = connection.execute("SELECT key, length, status FROM thread WHERE id = ?", (thread,)).fetchone()
    return None if found is None else Row(*found)


def append(
    connection: sqlite3.Connection, thread: str, expected_seq: int, events: Sequence[Event], stored: Sequence[str], now: float
) -> int:
    """Appends the events, and gives the `seq` of the next one. JournalConflict when the thread has another length."""
    kept = row(connection, thread)
    found = 0 if kept is None else kept.length
    if found != expected_seq:
        raise JournalConflict(thread, expected_seq, found)
    if not stored:
        return found
    kept = kept or begin(connection, thread, now)
    newest = write(connection, kept, [(now, event.kind, text) for event, text in zip(events, stored, strict=True)])
    length, status = found + len(stored), status_after(kept.status, events)
    connection.execute(
        "UPDATE thread SET length = ?, updated = ?, status = ?, newest = ? WHERE key = ?", (length, now, status, newest, kept.key)
    )
    return length


def begin(
    connection: sqlite3.Connection, thread: str, now: float, first: int = 0, origin: int | None = None, forked_from: str | None = None
) -> Row:
    """Lays a thread's row, which has no events of its own yet."""
    key = connection.execute(
        """INSERT INTO thread (id, origin, forked_from, first, length, created, updated, status, newest)
            VALUES (?, ?, ?, ?, ?, ?, ?, 'new', 0)""",
        (thread, origin, forked_from, first, first, now, now),
    ).lastrowid
    assert key is not None
    return Row(key, first, "new")


def write(connection: sqlite3.Connection, kept: Row, rows: Sequence[tuple[float, str, str]]) -> int:
    """Writes time, kind and JSON of the thread's next events, and gives the place of the last one among all events."""
    newest: int | None = None
    for seq, (ts, kind, text) in enumerate(rows, kept.length):
        newest = connection.execute(
            "INSERT INTO event (thread, seq, ts, kind, data) VALUES (?, ?, ?, ?, ?)", (kept.key, seq, ts, kind, text)
        ).lastrowid
    assert newest is not None
    return newest


def parts(connection: sqlite3.Connection, thread: str, start: int, end: int | None) -> list[Part]:
    """Where the thread's events from `start` up to `end` lie, oldest first."""
    found: list[Part] = []
    where = connection.execute("SELECT key, origin, first, length FROM thread WHERE id = ?", (thread,)).fetchone()
    while where is not None:
        key, origin, first, length = where
        end = length if end is None else min(end, length)
        if (own := max(start, first)) < end:
            found.append(Part(key, own, end))
        end = min(end, first)
        if start >= end:
            break
        where = connection.execute("SELECT key, origin, first, length FROM thread WHERE key = ?", (origin,)).fetchone()
        if where is None:
            raise JournalDamaged(f"thread {thread!r} lacks the events that it shares with the one that it was forked from")
    return found[::-1]


def read(connection: sqlite3.Connection, thread: str, start: int, end: int | None) -> list[tuple[float, bytes]]:
    """Time and JSON of the events from `start` up to `end`, oldest first. JournalDamaged when one is missing."""
    rows: list[tuple[float, bytes]] = []
    for part in parts(connection, thread, start, end):
        connection.text_factory = bytes  # JSON is decoded from UTF-8, and what is none is found there, too
        try:
            own = connection.execute(
                "SELECT ts, data FROM event WHERE thread = ? AND seq >= ? AND seq < ? ORDER BY seq", (part.key, part.start, part.end)
            ).fetchall()
        finally:
            connection.text_factory = str
        if len(own) != part.end - part.start:
            raise JournalDamaged(f"thread {thread!r} has {len(own)} events from {part.start} on where there were {part.end - part.start}")
        rows += own
    return rows


def fork(connection: sqlite3.Connection, thread: str, seq: int, new_thread: str, now: float) -> int:
    """Begins a thread that shares the first `seq` events of another, and gives the `seq` of its next event."""
    origin, _ = shared(connection, (thread, seq))
    if (taken := row(connection, new_thread)) is not None:
        raise JournalConflict(new_thread, 0, taken.length)
    kept = begin(connection, new_thread, now, seq, origin, thread)
    event = ThreadCreated(forked_from=thread, at=seq)
    newest = write(connection, kept, [(now, event.kind, encode(event).decode())])
    connection.execute("UPDATE thread SET length = ?, newest = ? WHERE key = ?", (seq + 1, newest, kept.key))
    return seq + 1


def shared(connection: sqlite3.Connection, origin: tuple[str, int] | None) -> tuple[int | None, str | None]:
    """The key and the id of what a thread shares so many first events of. UnknownThread and ValueError as in `fork`."""
    if origin is None:
        return None, None
    thread, seq = origin
    found = connection.execute("SELECT key, origin, first, length FROM thread WHERE id = ?", (thread,)).fetchone()
    if found is None:
        raise UnknownThread(thread)
    if not 0 <= seq <= found[3]:
        raise ValueError(f"thread {thread!r} has {found[3]} events; it cannot be forked at {seq}")
    return _owner(connection, found, seq), thread


def _owner(connection: sqlite3.Connection, found: tuple[int, int | None, int, int], seq: int) -> int | None:
    """The thread that a fork at `seq` really shares events with; None where it shares none. A fork of what a fork shares is one of the
    thread where that lies, and keeps no other one from being forgotten."""
    key, origin, first, _ = found
    while seq <= first and origin is not None:
        key, origin, first = connection.execute("SELECT key, origin, first FROM thread WHERE key = ?", (origin,)).fetchone()
    return key if seq else None


def delete(connection: sqlite3.Connection, key: int) -> None:
    """Forgets a thread and all that no fork shares with it; and those without a name that it was the last to read."""
    connection.execute("UPDATE thread SET id = NULL WHERE key = ?", (key,))
    nameless: int | None = key
    while nameless is not None:
        nameless = _forget(connection, nameless)


def _forget(connection: sqlite3.Connection, key: int) -> int | None:
    """Drops what no fork reads of a thread without a name; gives the origin where that is one without a name that lost a reader."""
    [shared] = connection.execute("SELECT max(first) FROM thread WHERE origin = ?", (key,)).fetchone()
    connection.execute("DELETE FROM event WHERE thread = ? AND seq >= ?", (key, shared or 0))
    if shared is not None:
        connection.execute("UPDATE thread SET length = ? WHERE key = ?", (shared, key))
        return None
    [origin] = connection.execute("SELECT origin FROM thread WHERE key = ?", (key,)).fetchone()
    connection.execute("DELETE FROM thread WHERE key = ?", (key,))
    found = connection.execute("SELECT key FROM thread WHERE key = ? AND id IS NULL", (origin,)).fetchone()
    return None if found is None else int(found[0])
