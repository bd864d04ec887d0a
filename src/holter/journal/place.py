"""Journals by the place where they lie: a path, or the URL of a PostgreSQL database."""

from __future__ import annotations

from typing import Any

from holter.journal.archive import Archive

_SCHEMES = ("postgresql://", "postgres://")


def is_url(place: str) -> bool:
    """Whether the place is a database on a server, and no file."""
    return place.startswith(_SCHEMES)


def open_at(place: str, **options: Any) -> Archive:
    """The journal that lies there; a file or tables are made where there are none. `options` are those of its class. JournalError when it
    cannot be opened, ImportError when it needs an extra that is not installed."""
    if is_url(place):
        from holter.journal.postgres import PostgresJournal

        return PostgresJournal(place, **options)
    from holter.journal.sqlite import SQLiteJournal

    return SQLiteJournal(place, **options)
