"""The tables of a SQLite journal, and how a file of an older version becomes one of this version.

Why these tables and indexes: design/journal-files.md.
"""

from __future__ import annotations

import sqlite3

from holter.errors import JournalError

APPLICATION_ID = 0x486C7472
"""`Hltr`: says whose database this is (PRAGMA application_id)."""

_STEPS = (
    # 0 -> 1: threads, events, leases
    """
    CREATE TABLE thread (
        key INTEGER PRIMARY KEY,
        id TEXT UNIQUE,             -- NULL: deleted, and kept for what its forks share with it
        origin INTEGER,             -- key of the thread that it is a fork of
        forked_from TEXT,           -- and that thread's id
        first INTEGER NOT NULL,     -- seq of its first own event
        length INTEGER NOT NULL,
        created REAL NOT NULL,      -- seconds since the epoch, as all times
        updated REAL NOT NULL,
        status TEXT NOT NULL,
        newest INTEGER NOT NULL     -- rowid of its newest event: who was appended to last
    );
    CREATE INDEX thread_newest ON thread(newest);
    CREATE INDEX thread_origin ON thread(origin) WHERE origin IS NOT NULL;
    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        thread INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        ts REAL NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL          -- the event as JSON
    );
    CREATE UNIQUE INDEX event_place ON event(thread, seq);
    CREATE TABLE lease (thread TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL);
    """,
    # 1 -> 2: the store
    """
    CREATE TABLE item (
        id INTEGER PRIMARY KEY,     -- grows with each change
        namespace TEXT NOT NULL,    -- a JSON array of texts
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        created REAL NOT NULL,
        updated REAL NOT NULL
    );
    CREATE UNIQUE INDEX item_place ON item(namespace, name);
    """,
    # 2 -> 3: the events of a thread lie together, and its row is written when the order of the list or its status changes
    """
    CREATE TABLE head (
        key INTEGER PRIMARY KEY,
        id TEXT UNIQUE,             -- NULL: deleted, and kept for what its forks share with it
        origin INTEGER,             -- key of the thread that it is a fork of
        forked_from TEXT,           -- and that thread's id
        first INTEGER NOT NULL,     -- seq of its first own event
        known INTEGER NOT NULL,     -- its length when this row was written
        created REAL NOT NULL,      -- seconds since the epoch, as all times
        status TEXT NOT NULL,
        newest INTEGER NOT NULL     -- grows with each change of the list: who was appended to last
    );
    INSERT INTO head SELECT key, id, origin, forked_from, first, length, created, status, newest FROM thread;
    CREATE TABLE place (
        id INTEGER PRIMARY KEY,     -- (the thread's key << 32) + seq
        seq INTEGER NOT NULL,
        ts REAL NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL          -- the event as JSON
    );
    INSERT INTO place SELECT (thread << 32) + seq, seq, ts, kind, data FROM event ORDER BY thread, seq;
    DROP TABLE event;
    DROP TABLE thread;
    ALTER TABLE place RENAME TO event;
    CREATE INDEX head_newest ON head(newest);
    CREATE INDEX head_origin ON head(origin) WHERE origin IS NOT NULL;
    CREATE VIEW thread AS
        SELECT key, id, origin, forked_from, first, max(known, ifnull((last & 4294967295) + 1, 0)) AS length, created,
            ifnull((SELECT ts FROM event WHERE event.id = last), created) AS updated, status, newest
        FROM (SELECT *, (SELECT max(event.id) FROM event WHERE event.id >= key << 32 AND event.id < (key + 1) << 32) AS last FROM head);
    """,
)

VERSION = len(_STEPS)
"""PRAGMA user_version of a file that this version of Holter writes."""


def version(connection: sqlite3.Connection) -> int:
    """The version that the file says it has; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the file is of this version; false for an empty one and an older one. JournalError for what is no journal, or too new."""
    found = version(connection)
    [owner] = connection.execute("PRAGMA application_id").fetchone()
    if owner != APPLICATION_ID and (found or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()):
        raise JournalError(f"{path} is a database of another program; name another file for the journal")
    if found > VERSION:
        raise JournalError(
            f"{path} was written by a newer Holter (journal version {found}; this one knows up to {VERSION}). Update Holter; the file is "
            "as it was"
        )
    return found == VERSION


def upgrade(connection: sqlite3.Connection, path: str, to: int = VERSION) -> None:
    """Makes the file one of this version, step by step, all or nothing. The caller holds the write lock."""
    if check(connection, path):
        return
    for step in _STEPS[version(connection) : to]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {to}")
