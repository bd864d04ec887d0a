"""Journals as JSON lines: to move threads from one store to another, and to keep a copy that any program can read.

The first line says `{"holter": "journal", "version": 1}`. Every other one is an entry, `{"thread", "seq", "ts", "event"}`, those of a
thread together and in order; or, before the entries of a fork, `{"thread", "shares": {"thread", "events"}}`: its first events are those
of that thread, which came before. Leases and the store's values are not part of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

import msgspec

from holter.errors import JournalConflict, ReadError, UnknownThread
from holter.journal.archive import Archive
from holter.journal.entry import Entry
from holter.journal.event import Event, Redacting
from holter.journal.journal import Journal
from holter.journal.redaction import NOTHING, Redaction
from holter.journal.thread import ThreadInfo

VERSION = 1
"""Of the lines that `export` writes."""
_AT_ONCE = 1_000
"""How many entries or threads are read at a time."""


class _Shares(msgspec.Struct, frozen=True):
    thread: str
    events: int


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    thread: str | None = None
    seq: int | None = None
    ts: float | None = None
    event: Event | None = None
    shares: _Shares | None = None
    holter: str | None = None
    version: int | None = None


_decode = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder().encode


async def export(journal: Journal, threads: Sequence[str] | None = None, *, whole: bool = False) -> AsyncIterator[bytes]:
    """The lines of these threads, or of all; each ends with a newline. UnknownThread where one is not there.

    What a thread says is not to be shown of it is replaced, unless the copy is to be the `whole` thread, with which a run can go on.
    """
    infos = {info.id: info async for info in _all(journal)}
    for thread in threads or ():
        if thread not in infos:
            raise UnknownThread(thread)
    chosen = infos if threads is None else {thread: infos[thread] for thread in threads}
    yield _line(_Line(holter="journal", version=VERSION))
    written: set[str] = set()
    for info in _origins_first(chosen):
        start = await _shared(journal, info, written)
        if start:
            yield _line(_Line(thread=info.id, shares=_Shares(info.forked_from or "", start)))
        redaction = NOTHING if whole else await _redaction(journal, info.id)
        async for entry in _entries(journal, info.id, start):
            yield _line(_Line(thread=info.id, seq=entry.seq, ts=entry.ts, event=redaction.struct(entry.event)))
        written.add(info.id)


class Restored(NamedTuple):
    """What became of the threads of an export, by their ids, in order."""

    begun: list[str]
    known: list[str]
    """They were there already, with the same entries."""


async def restore(journal: Archive, lines: Iterable[bytes]) -> Restored:
    """Begins the threads of the lines. One that is there already with the same entries is passed over.

    ReadError for lines that `export` did not write, JournalConflict for a thread that is there with other entries. The threads before
    it are there then, and the same lines may be given again when the fault is gone.
    """
    made = Restored([], [])
    thread: _Thread | None = None
    for number, line in enumerate(_read(lines), 1):
        if number == 1:
            _check(line)
        elif line.thread is None or (line.event is None) == (line.shares is None):
            raise ReadError(f"line {number} is no entry of a journal")
        else:
            if thread is None or line.thread != thread.id:
                await _finish(journal, thread, made)
                thread = _Thread(line.thread)
            thread.add(line)
    await _finish(journal, thread, made)
    return made


class _Thread:
    """What was read of one thread."""

    def __init__(self, thread: str) -> None:
        self.id = thread
        self.origin: tuple[str, int] | None = None
        self.entries: list[Entry] = []

    def add(self, line: _Line) -> None:
        if line.shares is not None:
            self.origin = (line.shares.thread, line.shares.events)
        elif line.event is not None:
            self.entries.append(Entry(-1 if line.seq is None else line.seq, line.ts or 0.0, line.event))


async def _finish(journal: Archive, thread: _Thread | None, made: Restored) -> None:
    if thread is None:
        return
    try:
        await journal.restore(thread.id, thread.entries, thread.origin)
    except JournalConflict:
        first = thread.origin[1] if thread.origin else 0
        if await journal.read(thread.id, first) != thread.entries:
            raise
        made.known.append(thread.id)
    except ValueError as error:
        raise ReadError(str(error)) from None
    else:
        made.begun.append(thread.id)


def _read(lines: Iterable[bytes]) -> Iterable[_Line]:
    for number, line in enumerate(lines, 1):
        try:
            yield _decode(line)
        except msgspec.DecodeError as error:
            raise ReadError(f"line {number} is no line of an exported journal, or a cut one: {error}") from None


def _check(line: _Line) -> None:
    if line.holter != "journal" or line.version is None:
        raise ReadError('this is no exported journal: its first line is not {"holter": "journal", "version": …}')
    if line.version > VERSION:
        raise ReadError(f"this journal was exported by a newer Holter (version {line.version}; this one knows {VERSION}). Update Holter")


def _line(line: _Line) -> bytes:
    return _encode(line) + b"\n"


async def _all(journal: Journal) -> AsyncIterator[ThreadInfo]:
    """Every thread; one that is appended to meanwhile may come twice."""
    offset = 0
    while infos := await journal.threads(_AT_ONCE, offset):
        for info in infos:
            yield info
        offset += len(infos)


def _origins_first(chosen: dict[str, ThreadInfo]) -> Iterable[ThreadInfo]:
    """The threads, by when they were begun; what one was forked from before it."""
    yielded: set[str] = set()
    for begun in sorted(chosen.values(), key=lambda info: info.created):
        line: list[ThreadInfo] = []
        info: ThreadInfo | None = begun
        while info is not None and info.id not in yielded:
            yielded.add(info.id)
            line.append(info)
            info = chosen.get(info.forked_from) if info.forked_from is not None else None
        yield from reversed(line)


async def _shared(journal: Journal, info: ThreadInfo, written: set[str]) -> int:
    """How many of the thread's first events need not be written, since they were with what it was forked from. 0 when that was deleted,
    though another one of its name may be there."""
    if info.forked_from not in written or not info.at:
        return 0
    own = [entry async for entry in _entries(journal, info.id, 0, info.at)]
    others = [entry async for entry in _entries(journal, info.forked_from, 0, info.at)]
    return info.at if own == others else 0


async def _redaction(journal: Journal, thread: str) -> Redaction:
    """What the thread says is not to be shown, anywhere in it."""
    return Redaction.of([entry.event async for entry in _entries(journal, thread, 0) if isinstance(entry.event, Redacting)])


async def _entries(journal: Journal, thread: str, start: int, end: int | None = None) -> AsyncIterator[Entry]:
    while entries := await journal.read(thread, start, start + _AT_ONCE if end is None else min(start + _AT_ONCE, end)):
        for entry in entries:
            yield entry
        start += len(entries)
