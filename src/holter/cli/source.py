"""The conversations of a file named on the command line."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator

import click

from holter import formats
from holter.cli.journal import DEFAULT, named_place, opened
from holter.errors import ReadError
from holter.formats.holter_journal import conversation_of
from holter.journal.here import here
from holter.journal.place import is_url
from holter.messages import Conversation
from holter.render.quantity import plural

STANDARD_INPUT = "-"


class Absent(click.ClickException):
    """What a position asks for is not there; the text says what is."""


def conversations(name: str, progress: Callable[[int, int], None] | None = None, journal: str | None = None) -> Iterator[Conversation]:
    """One after another; the bytes read and the bytes in all are told to `progress`. Where there is no such file, that of the thread of
    this name in the journal. Raises ReadError, JournalError and OSError."""
    if name == STANDARD_INPUT and sys.stdin is None:
        raise ReadError("standard input is closed")
    if name == STANDARD_INPUT:
        yield from formats.iter_stream(sys.stdin.buffer)
    elif (found := None if os.path.exists(name) else _thread(name, named_place(journal))) is not None:
        yield found
    else:
        yield from formats.iter_file(name, progress=progress)


def _thread(name: str, place: str | None) -> Conversation | None:
    """What the thread of this name says; None where there is no journal. ReadError where the journal holds none."""
    where = place or DEFAULT
    if not is_url(where) and not os.path.exists(where):
        return None
    with opened(place) as journal:
        entries = [] if journal is None else here(journal, lambda journal: journal.read(name))
    if not entries:
        raise ReadError(f"{name}: there is no such file, and no such thread; `holter threads` lists the threads")
    return conversation_of(name, entries)


def only(found: Iterable[Conversation], position: int | None, name: str) -> Iterator[Conversation]:
    """The conversation at this position, read no further than there; all of them for None. Raises Absent."""
    if position is None:
        yield from found
        return
    count = 0
    for conversation in found:
        if conversation.position == position:
            yield conversation
            return
        count += 1
    held = "one conversation, at 0" if count == 1 else f"{plural(count, 'conversation')}, 0 to {count - 1}"
    raise Absent(f"{name}: there is no conversation at {position}; it holds {held}")
