"""`holter lint`: what is wrong in logs, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeAlias

import click
import msgspec

from holter.analysis.lint.baseline import Baseline, written
from holter.analysis.lint.run import Linter
from holter.cli.command import Command, redact_option
from holter.cli.destination import destination
from holter.cli.lint_printer import printer_of
from holter.cli.lint_wish import FAIL_ON, Wish, wish_of
from holter.cli.output import writing
from holter.cli.progress import bar
from holter.cli.say import say, unreadable
from holter.cli.source import STANDARD_INPUT, conversations
from holter.errors import HolterError
from holter.messages import Conversation, Finding, HumanMessage, Place
from holter.render.redact import Level
from holter.render.redact import redact as redacted

_RANK = {"info": 0, "warning": 1, "error": 2, "never": 3}
_WORTH_A_PROCESS = 4_000_000
"""Bytes of files from which on they are read by several processes."""


@click.command(
    cls=Command,
    examples=[
        "holter lint log.json",
        "holter lint log.json --target anthropic-no-prefill --fail-on never",
        "holter lint log.json --select PAIR,ARG --ignore PAIR05",
        "holter lint log.json --format json > findings.json",
        "holter lint - --format sarif < log.json",
        "holter lint log.json --write-baseline known.json && holter lint log.json --baseline known.json",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--target", metavar="NAME", help="Whose rules hold: openai, anthropic, gemini, deepseek-thinking, … (told by the log without it)."
)
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules: codes, beginnings of codes, or names; commas between.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), help="Exit with 1 on findings that are this bad or worse (error).")
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", help="How findings are printed.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings that this file knows.")
@click.option("--write-baseline", metavar="FILE", help="Write the findings to this file, as known ones, and print none.")
@click.option("--window-tokens", type=click.IntRange(min=1), metavar="N", help="The model's context window.")
@redact_option
def command(files: tuple[str, ...], form: str, write_baseline: str | None, redact: Level | None, **options: Any) -> int:
    """What is wrong in FILE..., logs in any format, and what to do about it; `-` is standard input.

    Options may stand in holter.toml, or in pyproject.toml under [tool.holter]. Exit code 1 says that a finding is as bad as
    --fail-on.
    """
    wish = wish_of(options)
    try:
        known = None if wish.baseline is None or write_baseline else Baseline(_text_of(wish.baseline), wish.baseline)
    except OSError as error:
        say(unreadable(wish.baseline or "", error))
        return 2
    kept: list[tuple[str, Finding]] = []
    printer = _Silent() if write_baseline else printer_of(form)
    worst, unread = -1, False
    for file, found in _each(files, wish, redact):
        if found is None:
            unread = True
            continue
        for conversation, finding in _whole(found, file):
            if finding is None or conversation is None:
                unread = True
                continue
            if known is not None and known.knows(file, finding):
                continue
            if write_baseline:
                kept.append((file, finding))
                continue
            worst = max(worst, _RANK[finding.severity])
            with writing():
                printer.finding(file, finding, conversation)
    with writing():
        printer.end()
    if write_baseline:
        with destination(write_baseline) as write:
            write(written(kept).encode())
    return 2 if unread else 1 if worst >= _RANK[wish.fail_on] else 0


def _whole(found: _Found, file: str) -> Iterator[tuple[Conversation, Finding] | tuple[None, None]]:
    """What is found; nothing in the place of the rest where the file cannot be read on, of which it was said why."""
    try:
        yield from found
    except BrokenPipeError:
        raise
    except (HolterError, OSError) as error:
        say(unreadable(file, error))
        yield None, None


class _Silent:
    """Prints nothing."""

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


_Found: TypeAlias = Iterator[tuple[Conversation, Finding]]


def _text_of(name: str) -> str:
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()


def _each(files: tuple[str, ...], wish: Wish, redact: Level | None) -> Iterator[tuple[str, _Found | None]]:
    """Each file with its findings, in the order they were named; None for one that cannot be read, of which it was said why."""
    linter = wish.linter()
    if len(files) > 1 and STANDARD_INPUT not in files and sum(map(_size, files)) >= _WORTH_A_PROCESS and (os.cpu_count() or 1) > 1:
        yield from _side_by_side(files, wish, redact)
        return
    for file in files:
        found: _Found | None = None
        try:
            found = _findings(file, linter, redact)
        except (HolterError, OSError) as error:
            say(unreadable(file, error))
        yield file, found


def _findings(file: str, linter: Linter, redact: Level | None) -> _Found:
    """The findings of one file, as it is read. The first conversation is read at once, so that a file nobody can read fails here."""
    found = _read(file, linter, redact)
    first = next(found, None)
    return iter(()) if first is None else _behind(first, found)


def _behind(first: list[tuple[Conversation, Finding]], rest: Iterator[list[tuple[Conversation, Finding]]]) -> _Found:
    yield from first
    for several in rest:
        yield from several


def _read(file: str, linter: Linter, redact: Level | None) -> Iterator[list[tuple[Conversation, Finding]]]:
    with bar(file) as progress:
        for conversation in conversations(file, progress):
            found = linter.check(conversation)
            if found and progress:
                progress.make_way()
            shown = redacted(conversation, redact) if redact and found else conversation
            yield [(shown, _redacted(finding, redact)) for finding in found]


def _redacted(finding: Finding, level: Level | None) -> Finding:
    """The finding without what a log's own text may put into it."""
    if level is None:
        return finding
    from holter.render.secret import without_secrets

    text = without_secrets(finding.text) if level == "secrets" else finding.name.replace("-", " ")
    return msgspec.structs.replace(finding, text=text, hint=None if level != "secrets" else finding.hint)


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0


def _side_by_side(files: tuple[str, ...], wish: Wish, redact: Level | None) -> Iterator[tuple[str, _Found | None]]:
    """The files, read by as many processes as there are cores. They are begun anew: a fork of a process with threads may wait for ever."""
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(files)), get_context("spawn")) as pool:
        for file, answer in zip(files, pool.map(_in_a_process, files, [wish] * len(files), [redact] * len(files)), strict=True):
            found, error = answer
            if error is not None:
                say(error)
                yield file, None
            else:
                yield file, iter(found)


def _in_a_process(file: str, wish: Wish, redact: Level | None) -> tuple[list[tuple[Conversation, Finding]], str | None]:
    """The findings of a file, or the sentence that says why it cannot be read. Conversations are cut to what is shown of them."""
    try:
        return [(_cut(conversation, finding), finding) for conversation, finding in _findings(file, wish.linter(), redact)], None
    except (HolterError, OSError) as error:
        return [], unreadable(file, error)


_UNSEEN = HumanMessage("")
_NOWHERE = Place()


def _cut(conversation: Conversation, finding: Finding) -> Conversation:
    """The conversation with nothing but the finding's message and its neighbours: nothing else of it is printed."""
    start = 0 if finding.message is None else max(finding.message - 1, 0)
    end = 0 if finding.message is None else finding.message + 2
    return Conversation(
        format=conversation.format,
        messages=[*[_UNSEEN] * start, *conversation.messages[start:end]],
        places=[*[_NOWHERE] * start, *conversation.places[start:end]] if conversation.places else (),
        source=conversation.source,
        position=conversation.position,
    )
