"""`holter diff`: where two logs part."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import click

from holter.analysis.diff import compare
from holter.cli.command import Command, redact_option
from holter.cli.journal import journal_option
from holter.cli.output import text_console, width, write_bytes, writing
from holter.cli.say import say, unreadable
from holter.cli.snapshot import Named, named, snapshots
from holter.errors import HolterError
from holter.messages import Conversation
from holter.render import json
from holter.render.redact import Level
from holter.render.redact import redact as redacted


@click.command(
    cls=Command,
    examples=[
        "holter convert log.json --to anthropic -o other.json && holter diff log.json other.json",
        "holter diff log.json@2 log.json@4 || echo they differ",
        "holter diff trip@1 trip || echo they differ",
        "holter diff many.jsonl#0 many.jsonl#2@1 --json || echo they differ",
    ],
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--ids", is_flag=True, help="Compare generated ids, too.")
@click.option("--full", is_flag=True, help="Every difference, and texts whole.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each pair of conversations.")
@journal_option
@redact_option
def command(a: str, b: str, ids: bool, full: bool, as_json: bool, journal: str | None, redact: Level | None) -> int:
    """Where A and B part, logs in any formats or threads: the first difference in a sentence, then messages, calls, arguments, texts,
    tokens, times.

    A@N is the first N messages of A, A#N its conversation at N. Several conversations are compared one by one, in their order. Exit code
    1 says that A and B are different; times alone do not count.
    """
    found: list[list[Conversation]] = []
    for wanted in (named(a, journal), named(b, journal)):
        try:
            found.append(_read(wanted, journal, redact))
        except (HolterError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            say(unreadable(wanted.argument, error))
            return 2
    print_ = _json_printer(ids) if as_json else _text_printer(ids, full)
    differs = False
    for one, other in zip_longest(*found):
        with writing():
            differs |= print_(one, other)
    return 1 if differs else 0


def _read(wanted: Named, journal: str | None, level: Level | None) -> list[Conversation]:
    conversations = snapshots(wanted, journal)
    return [redacted(each, level) for each in conversations] if level else conversations


_Printer = Callable[[Conversation | None, Conversation | None], bool]
"""Prints the comparison of two conversations, and says whether they are different; None for one that is not there."""


def _json_printer(ids: bool) -> _Printer:
    from holter.render.parting import difference_json

    def print_(a: Conversation | None, b: Conversation | None) -> bool:
        if a is None or b is None:
            only = a or b
            assert only is not None
            write_bytes(json.line({"equal": False, "only_in": "a" if b is None else "b", "conversation": only.position}))
            return True
        found = compare(a, b, ids=ids)
        write_bytes(json.line(difference_json(found, a, b)))
        return not found.is_empty

    return print_


def _text_printer(ids: bool, whole: bool) -> _Printer:
    from holter.render.difference import difference
    from holter.render.view import View

    console, view = text_console(), View(width=width(), whole=whole)
    printed: list[bool] = []

    def print_(a: Conversation | None, b: Conversation | None) -> bool:
        if printed:
            console.print()
        printed.append(True)
        if a is None or b is None:
            only = a or b
            assert only is not None
            console.print(f"Conversation {only.position} is only in {'A' if b is None else 'B'}.")
            return True
        found = compare(a, b, ids=ids)
        for piece in difference(found, a, b, view):
            console.print(piece)
        return not found.is_empty

    return print_
