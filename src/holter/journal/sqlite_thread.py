"""Threads in a SQLite file: where their events lie, and how they come and go. Functions of one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
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
    is_newest: bool
    """Whether no other thread was appended to since."""


class Part(NamedTuple):
    """Events that lie together."""

    key: int
    start: int
    end: int

    @property
    def places(self) -> tuple[int, int]:
        """The place of the first one among all events, and the one behind the last."""
        return place(self.key, self.start), place(self.key, self.end)


def place(key: int, seq: int) -> int:
    """Where an event of the thread lies."""
    return (key << 32) + seq


def row(connection: sqlite3.Connection, thread: str) -> Row | None:
    """The thread's row, or None."""
    found = connection.execute(
        "SELECT key, length, status, newest = (SELECT max(newest) FROM head) FROM thread WHERE id = ?", (thread,)
    ).fetchone()
    return None if found is None else Row(*found)


def length(connection: sqlite3.Connection, thread: str) -> int:
    """How many events the thread has; one statement."""
    found = connection.execute("SELECT length FROM thread WHERE id = ?", (thread,)).fetchone()
    many: int = 0 if found is None else found[0]
    return many


def append(
    connection: sqlite3.Connection, thread: str, expected_seq: int, events: Sequence[Event], stored: Sequence[str], now: float
) -> int:
    """Appends the events, and gives the `seq` of the next one. JournalConflict when the thread has another length."""
    kept = row(connection, thread)
    found = 0 if kept is None else kept.length
    if found != expected_seq:
        raise JournalConflict(thread, expected_seq, found)
    length = found + len(stored)
    if kept is None:
        key = begin(connection, thread, now, length, status_after("new", events))
    else:
        key = kept.key
        _note(connection, kept, length, status_after(kept.status, events))
    write(connection, key, found, [(now, event.kind, text) for event, text in zip(events, stored, strict=True)])
    return length


def _note(connection: sqlite3.Connection, kept: Row, length: int, status: Status) -> None:
    """Writes the thread's row where the list or its status changes, and not for each append: that is a third of what one costs."""
    if kept.is_newest and status == kept.status:
        return
    connection.execute(
        "UPDATE head SET known = ?, status = ?, newest = (SELECT max(newest) + 1 FROM head) WHERE key = ?", (length, status, kept.key)
    )


def begin(
    connection: sqlite3.Connection,
    thread: str,
    now: float,
    length: int,
    status: Status,
    first: int = 0,
    origin: int | None = None,
    forked_from: str | None = None,
) -> int:
    """Lays the row of a thread that will have so many events, and gives its key."""
    key = connection.execute(
        """INSERT INTO head (id, origin, forked_from, first, known, created, status, newest)
            VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(newest), 0) + 1 FROM head))""",
        (thread, origin, forked_from, first, length, now, status),
    ).lastrowid
    assert key is not None
    return key


def write(connection: sqlite3.Connection, key: int, start: int, rows: Iterable[tuple[float, str, str]]) -> None:
    """Writes time, kind and JSON of the thread's events from `start` on."""
    connection.executemany(
        "INSERT INTO event (id, seq, ts, kind, data) VALUES (?, ?, ?, ?, ?)",
        [(place(key, seq), seq, *row) for seq, row in enumerate(rows, start)],
    )


def parts(connection: sqlite3.Connection, thread: str, start: int, end: int | None) -> list[Part]:
    """Where the thread's events from `start` up to `end` lie, oldest first."""
    found: list[Part] = []
    where = connection.execute("SELECT key, origin, first, length FROM thread WHERE id = ?", (thread,)).fetchone()
    before: int | None = None
    while where is not None:
        key, origin, first, length = where
        if not (isinstance(first, int) and isinstance(length, int)) or (before is not None and first >= before):
            raise _broken(thread)
        before = first
        end = length if end is None else min(end, length)
        if (own := max(start, first)) < end:
            found.append(Part(key, own, end))
        end = min(end, first)
        if start >= end:
            break
        where = connection.execute("SELECT key, origin, first, length FROM thread WHERE key = ?", (origin,)).fetchone()
        if where is None:
            raise _broken(thread)
    return found[::-1]


def _broken(thread: str) -> JournalDamaged:
    return JournalDamaged(f"thread {thread!r} lacks the events that it shares with the one that it was forked from")


def read(connection: sqlite3.Connection, thread: str, start: int, end: int | None) -> list[tuple[float, bytes]]:
    """Time and JSON of the events from `start` up to `end`, oldest first. JournalDamaged when one is missing."""
    rows: list[tuple[float, bytes]] = []
    for part in parts(connection, thread, start, end):
        connection.text_factory = bytes  # JSON is decoded from UTF-8, and what is none is found there, too
        try:
            own = connection.execute("SELECT ts, data FROM event WHERE id >= ? AND id < ? ORDER BY id", part.places).fetchall()
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
    key = begin(connection, new_thread, now, seq + 1, "new", seq, origin, thread)
    event = ThreadCreated(forked_from=thread, at=seq)
    write(connection, key, seq, [(now, event.kind, encode(event).decode())])
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
    return _owner(connection, thread, found, seq), thread


def _owner(connection: sqlite3.Connection, thread: str, found: tuple[int, int | None, int, int], seq: int) -> int | None:
    """The thread that a fork at `seq` really shares events with; None where it shares none. A fork of what a fork shares is one of the
    thread where that lies, and keeps no other one from being forgotten."""
    key, origin, first, _ = found
    while seq <= first and origin is not None:
        before, where = first, connection.execute("SELECT key, origin, first FROM head WHERE key = ?", (origin,)).fetchone()
        if where is None or not where[2] < before:
            raise _broken(thread)
        key, origin, first = where
    return key if seq else None


def delete(connection: sqlite3.Connection, key: int) -> None:
    """Forgets a thread and all that no fork shares with it; and those without a name that it was the last to read."""
    connection.execute("UPDATE head SET id = NULL WHERE key = ?", (key,))
    nameless: int | None = key
    while nameless is not None:
        nameless = _forget(connection, nameless)


def _forget(connection: sqlite3.Connection, key: int) -> int | None:
    """Drops what no fork reads of a thread without a name; gives the origin where that is one without a name that lost a reader."""
    [shared] = connection.execute("SELECT max(first) FROM head WHERE origin = ?", (key,)).fetchone()
    connection.execute("DELETE FROM event WHERE id >= ? AND id < ?", (place(key, shared or 0), place(key + 1, 0)))
    if shared is not None:
        connection.execute("UPDATE head SET known = ? WHERE key = ?", (shared, key))
        return None
    origin = next(iter(connection.execute("SELECT origin FROM head WHERE key = ?", (key,)).fetchone() or ()), None)
    connection.execute("DELETE FROM head WHERE key = ?", (key,))
    found = connection.execute("SELECT key FROM head WHERE key = ? AND id IS NULL", (origin,)).fetchone()
    return None if found is None else int(found[0])
