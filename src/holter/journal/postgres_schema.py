"""The tables of a PostgreSQL journal, and how those of an older version become those of this version."""

from __future__ import annotations

from holter.errors import JournalError
from holter.journal.postgres_driver import Connection, sql

_STEPS = (
    # 0 -> 1: threads, events, leases
    """
    CREATE SEQUENCE turn;                   -- counts the appends
    CREATE TABLE thread (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE "C" UNIQUE,         -- NULL: deleted, and kept for what its forks share with it
        origin bigint,                      -- key of the thread that it is a fork of
        forked_from text,                   -- and that thread's id
        first bigint NOT NULL DEFAULT 0,    -- seq of its first own event
        length bigint NOT NULL,
        created float8 NOT NULL,            -- seconds since the epoch, as all times
        updated float8 NOT NULL,
        status text NOT NULL,
        newest bigint NOT NULL              -- the turn of its newest append
    );
    CREATE INDEX ON thread (newest);
    CREATE INDEX ON thread (origin) WHERE origin IS NOT NULL;
    CREATE TABLE event (
        thread bigint NOT NULL,
        seq bigint NOT NULL,
        ts float8 NOT NULL,
        kind text NOT NULL,
        data text NOT NULL,                 -- the event as JSON; jsonb would refuse U+0000
        PRIMARY KEY (thread, seq)
    );
    CREATE TABLE lease (thread text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until float8 NOT NULL);
    """,
    # 1 -> 2: the store
    """
    CREATE TABLE item (
        namespace text COLLATE "C" NOT NULL,    -- a JSON array of texts
        name text COLLATE "C" NOT NULL,
        value text NOT NULL,
        created float8 NOT NULL,
        updated float8 NOT NULL,
        turn bigint NOT NULL,
        PRIMARY KEY (namespace, name)
    );
    """,
)

VERSION = len(_STEPS)
"""What the table `version` says of tables that this version of Holter writes."""
LOCK = 0x486C7472
"""The advisory lock of whoever changes tables, or which threads there are."""


def upgrade(connection: Connection, schema: str, to: int = VERSION) -> None:
    """Makes the tables those of this version, step by step, all or nothing. JournalError for those of a newer one."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        if connection.execute("SELECT to_regnamespace(%s)::text", (f'"{schema}"',)).fetchone() == (None,):
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        if connection.execute("SELECT to_regclass(%s)::text", (f'"{schema}".version',)).fetchone() == (None,):
            connection.execute("CREATE TABLE version (number integer NOT NULL)")
            connection.execute("INSERT INTO version VALUES (0)")
        found = connection.execute("SELECT number FROM version").fetchone()
        number = 0 if found is None else int(found[0])
        if number > VERSION:
            raise JournalError(
                f"the journal in the schema {schema!r} was written by a newer Holter (journal version {number}; this one knows up to "
                f"{VERSION}). Update Holter; nothing was changed"
            )
        for step in _STEPS[number:to]:
            connection.execute(sql.SQL(step))
        if number < to:
            connection.execute("UPDATE version SET number = %s", (to,))
