"""The logs that a command's arguments name: files, the files of folders, threads, and journals with all their threads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from holter.analysis.recorded import Recorded, origin_of, recorded, recorded_lines
from holter.cli.journal import DEFAULT, opened
from holter.cli.progress import bar
from holter.cli.say import say, unreadable
from holter.cli.source import STANDARD_INPUT, conversations
from holter.errors import HolterError
from holter.journal.archive import Archive
from holter.journal.here import here
from holter.journal.place import is_url
from holter.messages import Conversation
from holter.render.quantity import plural

Gathered: TypeAlias = Conversation | Recorded
"""What a log says, or a thread of a journal."""

_DATABASE = b"SQLite format 3\0"
_AT_ONCE = 500
"""Threads that are listed at a time."""


class Gathering:
    """Goes through the conversations of all that was named, and keeps in mind what could not be read."""

    def __init__(self, names: Sequence[str], journal: str | None = None) -> None:
        """`journal` is where threads are looked for; without names, all its threads are meant."""
        self._names = names
        self._journal = journal
        self.unread = False
        """Whether something that was named could not be read."""
        self.sources = 0
        """Files and threads that were read."""

    def conversations(self) -> Iterator[Gathered]:
        """One after another. What cannot be read is said, and passed over; in a folder, files that are no logs are only counted."""
        for name in self._names or [self._journal or DEFAULT]:
            try:
                yield from self._one(name)
            except BrokenPipeError:
                raise
            except (HolterError, OSError) as error:
                self.unread = True
                say(unreadable(name, error))

    def _one(self, name: str) -> Iterator[Gathered]:
        if is_url(name) or _is_database(name):
            yield from self._threads(name)
        elif os.path.isdir(name):
            yield from self._folder(name)
        elif name == STANDARD_INPUT or os.path.exists(name):
            with bar(name) as progress:
                yield from map(recorded_lines, conversations(name, progress))
            self.sources += 1
        elif (thread := self._thread(name)) is not None:
            self.sources += 1
            yield thread
        else:
            yield from conversations(name, journal=self._journal)

    def _thread(self, name: str) -> Recorded | None:
        """The thread of this name; None where the journal has none, or where there is no journal."""
        with opened(self._journal) as journal:
            return None if journal is None else _recorded(journal, name)

    def _threads(self, place: str) -> Iterator[Recorded]:
        """Every thread of a journal."""
        with opened(place) as journal:
            assert journal is not None
            offset = 0
            while infos := here(journal, lambda journal, at=offset: journal.threads(_AT_ONCE, at)):  # type: ignore[misc]
                for info in infos:
                    if (thread := _recorded(journal, info.id, is_apart=False)) is not None:
                        self.sources += 1
                        yield thread
                offset += len(infos)

    def _folder(self, name: str) -> Iterator[Gathered]:
        passed, before = 0, self.sources
        for path in _files(Path(name)):
            try:
                yield from self._threads(str(path)) if _is_database(str(path)) else map(recorded_lines, conversations(str(path)))
                self.sources += 1
            except BrokenPipeError:
                raise
            except (HolterError, OSError):
                passed += 1
        if passed:
            say(f"{name}: {plural(passed, 'file')} without a log passed over")
        elif self.sources == before:
            say(f"{name}: there are no files in this folder (hidden ones are left out)")


def _recorded(journal: Archive, thread: str, *, is_apart: bool = True) -> Recorded | None:
    """The thread of this name. Where it is not looked at apart, a fork counts from where it goes on: its origin is there, too."""
    entries = here(journal, lambda journal: journal.read(thread))
    if not entries:
        return None
    origin = None if is_apart else origin_of(entries)
    has_origin = origin is not None and here(journal, lambda journal: journal.length(origin)) > 0
    return recorded(thread, entries, is_apart=not has_origin)


def _is_database(name: str) -> bool:
    """Whether a file is a database of SQLite, as journals are."""
    try:
        with open(name, "rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, by name; hidden ones are left out, and so are links to folders, which may lead back."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (path.is_symlink() and path.is_dir()):
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
