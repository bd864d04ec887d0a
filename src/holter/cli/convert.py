"""`holter convert`: a log in another format."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import click

from holter import formats
from holter.cli.command import Command, redact_option
from holter.cli.destination import destination
from holter.cli.output import writing
from holter.cli.progress import bar
from holter.cli.report import Report
from holter.cli.say import say, unreadable
from holter.cli.source import conversations, only
from holter.errors import ReadError, WriteError
from holter.messages import Conversation
from holter.render import json
from holter.render.redact import Level
from holter.render.redact import redact as redacted
from holter.render.secret import without_secrets

TARGETS = [short for short, name in formats.SHORT_NAMES.items() if name in formats.WRITERS]
"""What is offered for --to; full names are taken as well."""


def _known(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001 - click's signature
    if value not in TARGETS and value not in formats.WRITERS:
        raise click.BadParameter(f"{value!r} is no format that can be written; there are {', '.join(TARGETS)}")
    return value


@click.command(
    cls=Command,
    examples=[
        "holter convert log.json --to anthropic",
        "holter convert log.json --to langchain -o messages.json",
        "holter convert - --to openai --conversation 0 < log.json",
    ],
)
@click.argument("file", metavar="FILE")
@click.option("--to", "target", required=True, metavar="FORMAT", callback=_known, help=f"One of {', '.join(TARGETS)}.")
@click.option("-o", "out", metavar="OUT", help="Write to this file, whole or not at all; standard output without it.")
@click.option("--conversation", type=click.IntRange(min=0), metavar="N", help="Only the conversation at position N.")
@redact_option
def command(file: str, target: str, out: str | None, conversation: int | None, redact: Level | None) -> int:
    """FILE, a log in any format, in another one; `-` is standard input.

    One conversation becomes an indented JSON document, several become one JSON document a line. What the other format cannot say is told on
    standard error. Exit code 1 says that a part of FILE is damaged.
    """
    report = Report(without_secrets(file) if redact else file)
    try:
        with bar(file) as progress:
            found = only(conversations(file, progress), conversation, file)
            chosen = (redacted(each, redact) for each in found) if redact else found
            with destination(out) as write:
                for page in _pages(_written(chosen, target, report)):
                    if progress and out is None:
                        progress.make_way()
                    with writing(out or "standard output"):
                        write(page)
    except (ReadError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        say(unreadable(file, error))
        return 2
    report.tell()
    return 1 if report.damaged else 0


def _written(found: Iterator[Conversation], target: str, report: Report) -> Iterator[Any]:
    """The documents, one for each conversation."""
    for conversation in found:
        try:
            written = formats.write(conversation, target)
        except WriteError as error:
            raise WriteError(f"conversation {conversation.position}: {error}") from None
        report.add(conversation, written.losses)
        yield written.document


def _pages(documents: Iterator[Any]) -> Iterator[bytes]:
    """One document indented, several as lines."""
    first = list(itertools.islice(documents, 2))
    if len(first) == 1:
        yield json.pages(first[0])
    else:
        for document in itertools.chain(first, documents):
            yield json.line(document)
