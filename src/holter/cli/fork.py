"""`holter fork`: a thread that begins as another one did."""

from __future__ import annotations

import asyncio

import click

from holter.cli.command import Command
from holter.cli.journal import existing, journal_option
from holter.errors import JournalConflict, JournalError
from holter.graph.past import fork


@click.command(cls=Command, examples=["holter fork trip", "holter fork trip 4", "holter fork trip 4 trip-by-train"])
@click.argument("thread", metavar="THREAD")
@click.argument("seq", required=False, type=click.IntRange(min=0), metavar="[SEQ]")
@click.argument("new_thread", required=False, metavar="[NEW]")
@journal_option
def command(thread: str, seq: int | None, new_thread: str | None, journal: str | None) -> int:
    """Begins a thread that shares the first SEQ events of THREAD, all of them without SEQ, and prints its id: NEW, or THREAD@SEQ.

    Nothing is copied, and THREAD stays as it is. `holter resume PROGRAM NEW` goes on with it.
    """
    with existing(journal, thread) as found:
        try:
            made = asyncio.run(fork(found, thread, seq, new_thread))
        except JournalConflict:
            raise JournalError(f"there is a thread {new_thread!r} already; give the fork another name") from None
        except ValueError as error:
            raise JournalError(str(error)) from None
    click.echo(made)
    return 0
