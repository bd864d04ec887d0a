"""`holter explain`: what a log says, and what its fields mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TypeAlias

import click
import msgspec

from holter.analysis.explain import Explained, annotated, dictionary, explain, near
from holter.analysis.explain.dictionary import has
from holter.analysis.explain.document import Document, documents
from holter.analysis.explain.entry import Language
from holter.cli.command import Command, redact_option
from holter.cli.destination import destination
from holter.cli.journal import journal_option, opened
from holter.cli.language import language_of, language_option
from holter.cli.output import text_console, width, write_bytes, writing
from holter.cli.say import say, unreadable
from holter.cli.source import STANDARD_INPUT, Absent
from holter.errors import HolterError
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.journal.transfer import export
from holter.render import json
from holter.render.quantity import plural
from holter.render.redact import Level, redact_record
from holter.render.redact import redact as redacted

_ENDINGS = (".json", ".jsonl", ".jsonc", ".txt", ".log", ".md", ".html", ".db")
"""What ends in one of these is meant to be a file."""
_Printer: TypeAlias = Callable[[Explained], object]


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be explained, and how."""

    language: Language
    message: int | None
    field: str | None
    as_json: bool


@click.command(
    cls=Command,
    examples=[
        "holter explain log.json",
        "holter explain log.json --message 1 --lang zh",
        "holter explain log.json --field tool_calls",
        "holter explain log.json --annotate > annotated.jsonc",
        "holter explain tool_call_id",
        "holter explain response_metadata.token_usage --lang zh",
        "holter explain - < log.json",
        "holter explain trip",
    ],
)
@click.argument("what", metavar="LOG|THREAD|FIELD")
@language_option
@click.option("--conversation", type=click.IntRange(min=0), metavar="N", help="Only the conversation at position N.")
@click.option("--message", type=click.IntRange(min=0), metavar="N", help="Only the message at position N.")
@click.option("--field", metavar="PATH", help="Only this field, with all that is known of it.")
@click.option("--annotate", is_flag=True, help="The log as JSON with comments.")
@click.option("-o", "out", metavar="OUT", help="With --annotate: write to this file, whole or not at all.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each conversation (or each meaning of a field).")
@journal_option
@redact_option
def command(
    what: str,
    lang: str | None,
    conversation: int | None,
    message: int | None,
    field: str | None,
    annotate: bool,
    out: str | None,
    as_json: bool,
    journal: str | None,
    redact: Level | None,
) -> int:
    """What happened in LOG, a log in any format or a thread, and what each of its fields means; or what FIELD means, in every format that
    has it.

    The account is computed from the log: what the user asked, which calls the model made and where their arguments come from, what
    failed and what it did about it. Fields that nothing is known of are listed as unknown.
    """
    if annotate and (message is not None or field is not None or as_json):
        raise click.UsageError("--annotate writes the whole log; it does not go with --message, --field or --json")
    if out is not None and not annotate:
        raise click.UsageError("-o goes with --annotate")
    wish = Wish(language=language_of(lang), message=message, field=field, as_json=as_json)
    try:
        data = _bytes(what, journal)
        if data is None:
            return _look_up(what, wish, is_of_logs=annotate or any(part is not None for part in (conversation, message, field)))
        found = _documents(data, what, conversation, redact)
        return _annotate(found, wish.language, out) if annotate else _explain(found, wish, what)
    except (HolterError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        say(unreadable(what, error))
    return 2


def _documents(data: bytes, name: str, conversation: int | None, level: Level | None) -> list[Document]:
    found = documents(data, None if name == STANDARD_INPUT else name)
    if conversation is not None:
        if conversation >= len(found):
            held = "one conversation, at 0" if len(found) == 1 else f"{plural(len(found), 'conversation')}, 0 to {len(found) - 1}"
            raise Absent(f"{name}: there is no conversation at {conversation}; it holds {held}")
        found = [found[conversation]]
    return [_redacted(document, level) for document in found] if level else found


def _bytes(name: str, journal: str | None) -> bytes | None:
    """What the file holds, or the thread of this name, as lines of a journal; None where there is neither."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    if os.path.exists(name):
        with open(name, "rb") as file:
            return file.read()
    with opened(journal) as found:
        return None if found is None else here(found, lambda found: _exported(found, name))


async def _exported(journal: Journal, thread: str) -> bytes | None:
    if not await journal.length(thread):
        return None
    return b"".join([line async for line in export(journal, [thread])])


def _redacted(document: Document, level: Level) -> Document:
    """The document without secrets, or without all that was said."""
    return msgspec.structs.replace(
        document,
        conversation=redacted(document.conversation, level),
        values=[redact_record(value, level) for value in document.values],
    )


def _annotate(found: list[Document], language: Language, out: str | None) -> int:
    with destination(out) as write:
        written: set[int] = set()
        for document in found:
            if id(document.values[0]) not in written:
                write((annotated(explain(document, language)) + "\n").encode())
            written.add(id(document.values[0]))
    return 0


def _explain(found: list[Document], wish: Wish, name: str) -> int:
    print_ = _json_printer() if wish.as_json else _text_printer(wish)
    longest = max(len(document.conversation.messages) for document in found)
    if wish.message is not None and wish.message >= longest:
        raise Absent(f"{name}: there is no message at {wish.message}; the longest conversation has {plural(longest, 'message')}")
    shown = 0
    for document in found:
        explained = _part(explain(document, wish.language), wish)
        if (wish.message is not None and wish.message >= len(document.conversation.messages)) or (wish.field and not explained.lines):
            continue
        with writing():
            print_(explained)
        shown += 1
    if not shown:
        raise Absent(f"{name}: no field is called {wish.field!r}; `holter explain {name}` shows all there are")
    return 0


def _part(explained: Explained, wish: Wish) -> Explained:
    """What was asked for: the fields of one message, or the fields of one name."""
    lines = explained.lines
    if wish.message is not None and (wish.as_json or wish.field):
        lines = [line for line in lines if line.field.message == wish.message]
    if wish.field is not None:
        lines = [line for line in lines if has(line.field.path, wish.field)]
    return msgspec.structs.replace(explained, lines=lines)


def _look_up(field: str, wish: Wish, *, is_of_logs: bool) -> int:
    """Prints what a field means in each format; options that choose a part of a log have nothing to choose from."""
    found = dictionary(field)
    if not found:
        say(_nothing(field))
        return 2
    if is_of_logs:
        raise click.UsageError(
            f"there is no file or thread {field!r}, only a field; --annotate, --field, --message and --conversation go with a log"
        )
    with writing():
        if wish.as_json:
            from holter.render.explanation_json import meaning_json

            for meaning in found:
                write_bytes(json.line(meaning_json(meaning, wish.language)))
        else:
            from holter.render.explanation import meanings
            from holter.render.view import View

            console = text_console()
            for piece in meanings(found, wish.language, View(width=width())):
                console.print(piece)
    return 0


def _json_printer() -> _Printer:
    from holter.render.explanation_json import explained_json

    return lambda explained: write_bytes(json.line(explained_json(explained)))


def _text_printer(wish: Wish) -> _Printer:
    from holter.render.explanation import explanation, one_field
    from holter.render.view import View

    console, view = text_console(), View(width=width())
    printed: list[bool] = []

    def print_(explained: Explained) -> None:
        if printed:
            console.print()
        printed.append(True)
        for piece in one_field(explained, view) if wish.field else explanation(explained, view, wish.message):
            console.print(piece)

    return print_


def _nothing(field: str) -> str:
    if "/" in field or os.path.splitext(field)[1] in _ENDINGS:
        return f"{field}: there is no such file"
    alike = near(field)
    more = f"; {'alike is' if len(alike) == 1 else 'alike are'} {', '.join(alike)}" if alike else ""
    return f"{field!r}: there is no such file or thread, and no field of this name is known{more}"
