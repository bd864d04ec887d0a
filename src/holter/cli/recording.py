"""The journal in which the command line keeps the threads of a program, and the options that name a thread."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import click

from holter.cli.choice import Chosen
from holter.cli.journal import DEFAULT, PLACE_VARIABLE, opened
from holter.cli.say import say
from holter.errors import JournalUnavailable

thread_option = click.option("--thread", metavar="ID", help="The thread to go on with, or to begin under this id; a new one without it.")
takeover_option = click.option(
    "--takeover", is_flag=True, help="Take the thread from a worker that has it: it may have died within the last half minute."
)


_PASSWORD = re.compile(r"(://[^/@:]*:|\bpassword=)[^@&\s]+")
"""In the URL of a database, with what stands before it."""


@contextmanager
def recorded(chosen: Chosen, place: str | None) -> Iterator[bool]:
    """Within it, the program's threads are kept at the place, and its long-term memory beside them. A program that has a journal of its own
    keeps it, unless a place is named. Whether another process can go on with them; not where nothing can be written by default."""
    graph = chosen.compiled
    if graph.journal is not None and place is None:
        yield True
        return
    try:
        opening = opened(place, create=True)
        journal = opening.__enter__()
    except (JournalUnavailable, OSError) as error:
        if place is not None:
            raise
        say(f"the thread is not kept: {error}. --journal names another place than {DEFAULT}")
        yield False
        return
    before = graph.journal, graph.store
    try:
        graph.journal = journal
        graph.store = before[1] or (None if journal is None else journal.store)
        yield True
    finally:
        graph.journal, graph.store = before
        opening.__exit__(None, None, None)


def new_thread() -> str:
    """An id that no thread has, short enough to be typed."""
    return uuid4().hex[:12]


def say_how_to_go_on(chosen: Chosen, program: str, thread: str, place: str | None) -> None:
    """Says the command that answers what the thread asks, if it does."""
    asked = chosen.compiled.get_state(thread=thread).interrupts
    if not asked:
        return
    where = ""
    if place is not None and place != os.environ.get(PLACE_VARIABLE):
        where = " --journal " + shlex.quote(_PASSWORD.sub(r"\1…", place))
    keys = " ".join(f"--answer {shlex.quote(one.id)}=…" for one in asked)
    say(f"answer with: holter resume {shlex.quote(program)} {shlex.quote(thread)}{where}; away from a terminal, add {keys}")
