"""`holter show`: the timelines of logs, a list of what they hold, or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import click
import msgspec

from holter.cli.command import Command, redact_option
from holter.cli.journal import journal_option
from holter.cli.output import writing
from holter.cli.progress import Bar, bar
from holter.cli.say import say, unreadable
from holter.cli.source import Absent, conversations, only
from holter.errors import HolterError
from holter.messages import Conversation
from holter.render.quantity import plural
from holter.render.redact import Level
from holter.render.redact import redact as redacted

Printer: TypeAlias = Callable[[Conversation], None]


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a file is to be seen."""

    conversation: int | None
    message: int | None
    snapshot: int | None
    redact: Level | None
    journal: str | None = None
    """Where the journal lies whose threads may be named; None for the usual place."""


@click.command(
    cls=Command,
    examples=[
        "holter show log.json",
        "holter show log.json --list",
        "holter show log.json --conversation 0 --message 2",
        "holter show log.json --snapshot 3 --redact",
        "holter show log.json --decisions",
        "holter show log.json --json > log.jsonl",
        "holter show - < log.json",
        "holter show trip",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--list", "as_list", is_flag=True, help="One line for each conversation.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each conversation (or message, or line of the list).")
@click.option("--conversation", type=click.IntRange(min=0), metavar="N", help="Only the conversation at position N.")
@click.option("--message", type=click.IntRange(min=0), metavar="N", help="Only the message at position N, whole and with all its fields.")
@click.option("--snapshot", type=click.IntRange(min=0), metavar="N", help="Only the first N messages.")
@click.option("--decisions", is_flag=True, help="Where the model decided: each snapshot that it was asked with, and what was new there.")
@click.option("--full", is_flag=True, help="Long texts whole.")
@journal_option
@redact_option
def command(
    files: tuple[str, ...],
    as_list: bool,
    as_json: bool,
    conversation: int | None,
    message: int | None,
    snapshot: int | None,
    decisions: bool,
    full: bool,
    journal: str | None,
    redact: Level | None,
) -> int:
    """The timeline of each conversation in FILE..., a log in any format; `-` is standard input. Where there is no such file, it is a thread
    of the journal.

    Rounds begin with a line, results stand at their calls, and what was found while reading comes last. --message and --snapshot pass over
    conversations that are too short. Exit code 1 says that one of the findings is an error.
    """
    wish = Wish(conversation=conversation, message=message, snapshot=snapshot, redact=redact, journal=journal)
    if decisions and (as_list or message is not None):
        raise click.UsageError("--decisions shows a whole conversation; it does not go with --list or --message")
    if decisions:
        printer = _decision_printer(as_json)
    elif as_json:
        printer = _json_printer(as_list, message)
    else:
        printer = _text_printer(as_list, message, full, several=len(files) > 1)
    return max([_show_readable(name, wish, printer) for name in files])


def _json_printer(as_list: bool, message: int | None) -> Printer:
    from holter.cli import json_printer

    if as_list:
        return json_printer.summaries()
    return json_printer.conversations() if message is None else json_printer.messages(message)


def _decision_printer(as_json: bool) -> Printer:
    if as_json:
        from holter.cli import json_printer

        return json_printer.decisions()
    from holter.cli import text_printer

    return text_printer.Decisions(whole=False)


def _text_printer(as_list: bool, message: int | None, whole: bool, several: bool) -> Printer:
    from holter.cli import text_printer

    if as_list:
        return text_printer.List(named=several)
    return text_printer.Timelines(whole=whole) if message is None else text_printer.Messages(message)


def _show_readable(name: str, wish: Wish, printer: Printer) -> int:
    """The file's exit code; a file that cannot be read is a sentence and 2, and does not stop the others."""
    try:
        return _show(name, wish, printer)
    except BrokenPipeError:
        raise
    except (HolterError, OSError) as error:
        say(unreadable(name, error))
    except Absent as error:
        say(error.message)
    return 2


def _show(name: str, wish: Wish, printer: Printer) -> int:
    damaged = False
    with bar(name) as progress:
        for conversation in _wished(name, wish, progress):
            damaged = damaged or any(finding.severity == "error" for finding in conversation.findings)
            if progress:
                progress.make_way()
            with writing():
                printer(conversation)
    return 1 if damaged else 0


def _wished(name: str, wish: Wish, progress: Bar | None) -> Iterator[Conversation]:
    """The conversations to show, cut and redacted. Raises Absent when none of them is as long as was asked for."""
    needed = max(wish.snapshot or 0, 0 if wish.message is None else wish.message + 1)
    longest, found = 0, False
    for conversation in only(conversations(name, progress, wish.journal), wish.conversation, name):
        longest = max(longest, len(conversation.messages))
        cut = conversation if wish.snapshot is None else conversation.head(wish.snapshot)
        if len(conversation.messages) >= needed and (wish.message is None or wish.message < len(cut.messages)):
            found = True
            yield redacted(cut, wish.redact) if wish.redact else cut
    if not found:
        raise Absent(f"{name}: {_missing(wish)}; the longest conversation has {plural(longest, 'message')}, 0 to {longest - 1}")


def _missing(wish: Wish) -> str:
    if wish.message is None:
        return f"there are no {wish.snapshot} messages"
    return f"there is no message at {wish.message}" + (f" of the first {wish.snapshot}" if wish.snapshot is not None else "")
