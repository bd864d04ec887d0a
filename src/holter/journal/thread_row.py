"""The rows of a database, as values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from holter.errors import JournalDamaged
from holter.journal.entry import Entry
from holter.journal.stored import decode
from holter.journal.thread import ThreadInfo

COLUMNS = "t.id, t.length, t.created, t.updated, t.status, t.forked_from, t.first"
"""Of a thread `t`, in the order that `info` takes them."""


def info(found: Sequence[Any]) -> ThreadInfo:
    """A row of `COLUMNS` as a value."""
    thread, length, created, updated, status, forked_from, first = found
    at = None if forked_from is None else first
    return ThreadInfo(id=thread, length=length, created=created, updated=updated, status=status, forked_from=forked_from, at=at)


def entries(rows: Sequence[tuple[float, str | bytes]], start: int, whose: str) -> list[Entry]:
    """Times and JSON of events from `start` on, as entries. JournalDamaged, which says whose, for one that is no event."""
    try:
        return [Entry(seq, ts, decode(text)) for seq, (ts, text) in enumerate(rows, start)]
    except (msgspec.DecodeError, TypeError):
        seq, error = next(_unreadable(rows, start))
        raise JournalDamaged(f"{whose}: the event at {seq} cannot be read: {error}") from None


def _unreadable(rows: Sequence[tuple[float, str | bytes]], start: int) -> Iterator[tuple[int, Exception]]:
    """The events that are none; in a damaged file one may be no text at all."""
    for seq, (_, text) in enumerate(rows, start):
        try:
            decode(text)
        except (msgspec.DecodeError, TypeError) as error:
            yield seq, error
