"""The logs that a command's arguments name: files, and the files of folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from holter.cli.progress import bar
from holter.cli.say import say, unreadable
from holter.cli.source import conversations
from holter.errors import HolterError
from holter.messages import Conversation
from holter.render.quantity import plural


class Gathering:
    """Goes through the conversations of all that was named, and keeps in mind what could not be read."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.unread = False
        """Whether something that was named could not be read."""
        self.files = 0
        """Files that were read."""

    def conversations(self) -> Iterator[Conversation]:
        """One after another. What cannot be read is said, and passed over; in a folder, files that are no logs are only counted."""
        for name in self._names:
            if os.path.isdir(name):
                yield from self._folder(name)
            else:
                yield from self._file(name)

    def _file(self, name: str) -> Iterator[Conversation]:
        try:
            with bar(name) as progress:
                yield from conversations(name, progress)
            self.files += 1
        except BrokenPipeError:
            raise
        except (HolterError, OSError) as error:
            self.unread = True
            say(unreadable(name, error))

    def _folder(self, name: str) -> Iterator[Conversation]:
        passed = 0
        for path in _files(Path(name)):
            try:
                yield from conversations(str(path))
                self.files += 1
            except BrokenPipeError:
                raise
            except (HolterError, OSError):
                passed += 1
        if passed:
            say(f"{name}: {plural(passed, 'file')} without a log passed over")


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, by name; hidden ones are left out."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
