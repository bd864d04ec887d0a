"""Which journal a command means, and opening it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from holter.errors import JournalError
from holter.journal.archive import Archive
from holter.journal.here import here
from holter.journal.place import is_url, open_at

DEFAULT = ".holter/journal.db"
"""In the working folder; kept out of Git by a file beside it."""

PLACE_VARIABLE = "HOLTER_JOURNAL"
"""Says in the environment where the journal lies."""

journal_option = click.option(
    "--journal",
    envvar=PLACE_VARIABLE,
    metavar="PLACE",
    help=f"A file, or the URL of a PostgreSQL database; {DEFAULT} without it. Also {PLACE_VARIABLE}.",
)


@contextmanager
def opened(place: str | None, *, create: bool = False) -> Iterator[Archive | None]:
    """The journal at the place, closed at the end; None where there is none at the default place and none is to be made. JournalError when
    one that was named is not there."""
    where = place or DEFAULT
    if not is_url(where) and not create and not os.path.exists(where):
        if place is not None:
            raise JournalError(f"{where}: there is no such file; name the journal of a run that was recorded")
        yield None
        return
    if place is None:
        _make_folder()
    try:
        journal = open_at(where)
    except ImportError as error:
        raise click.ClickException(str(error)) from None
    try:
        yield journal
    finally:
        journal.close()


@contextmanager
def existing(place: str | None, thread: str) -> Iterator[Archive]:
    """The journal that holds the thread. JournalError where none does."""
    with opened(place) as journal:
        if journal is None or not here(journal, lambda journal: journal.length(thread)):
            raise JournalError(f"there is no thread {thread!r}; `holter threads` lists them")
        yield journal


def _make_folder() -> None:
    folder = Path(DEFAULT).parent
    folder.mkdir(mode=0o700, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
