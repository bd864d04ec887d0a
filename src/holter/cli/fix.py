"""`holter fix`: a log with what can safely be put right put right."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator

import click

from holter import formats
from holter.analysis.lint.catalogue import selected
from holter.analysis.repair import Repair, repair
from holter.cli.command import Command
from holter.cli.destination import destination
from holter.cli.lint_wish import configured
from holter.cli.output import writing
from holter.cli.say import say, unreadable
from holter.cli.source import STANDARD_INPUT
from holter.errors import ReadError, WriteError
from holter.formats.target import names, target_named
from holter.messages import Conversation
from holter.render import json
from holter.render.quantity import plural


@click.command(
    cls=Command,
    examples=[
        "holter fix log.json",
        "holter fix log.json --target anthropic -o fixed.json",
        "holter fix log.json --to openai --select PAIR",
        "holter fix - < log.json",
        "holter fix log.json --write",
    ],
)
@click.argument("file", metavar="FILE")
@click.option("--target", metavar="NAME", help="Whose rules are to hold (told by the log without it).")
@click.option("--to", "to", metavar="FORMAT", help="Write this format; needed where FILE's own cannot be written.")
@click.option("-o", "out", metavar="OUT", help="Write to this file; standard output without it.")
@click.option("--write", "in_place", is_flag=True, help="Write FILE itself.")
@click.option("--select", multiple=True, metavar="CODES", help="Only repairs of these rules.")
@click.option("--ignore", multiple=True, metavar="CODES", help="No repairs of these rules.")
def command(
    file: str, target: str | None, to: str | None, out: str | None, in_place: bool, select: tuple[str, ...], ignore: tuple[str, ...]
) -> int:
    """FILE, a log in any format, with every safe repair made; `-` is standard input.

    A log with nothing to put right comes out byte for byte. What was done is told on standard error; what is left, `holter lint` says.
    """
    if in_place and (out is not None or file == STANDARD_INPUT):
        raise click.UsageError("--write writes FILE itself: it goes with neither -o nor standard input")
    target = target or configured().get("target")
    if target is not None and target_named(target) is None:
        raise click.UsageError(f"{target!r} is no target; there are {', '.join(names())}")
    try:
        chosen = selected(_codes(select)) if select else None
        left_out = selected(_codes(ignore))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        data = _bytes_of(file)
        found = formats.read(data)
        made = [_repaired(conversation, to, target, chosen, left_out) for conversation in found]
    except (ReadError, OSError) as error:
        say(unreadable(file, error))
        return 2
    written = data if not to and not any(one.done for one in made) else b"".join(_documents(found, made, data, to))
    if not in_place or written != data:
        with destination(file if in_place else out) as write, writing(out or "standard output"):
            write(written)
    _tell(made)
    return 0


def _repaired(
    conversation: Conversation, to: str | None, target: str | None, select: Collection[str] | None, ignore: Collection[str]
) -> Repair:
    """The repaired conversation; where it is written in another format, what that asks for is put right as well."""
    made = repair(conversation, target, select=select, ignore=ignore)
    if to is None or target is not None:
        return made
    fitted = [repair(one, select=select, ignore=ignore) for one in formats.read(json.line(_document(conversation, made.conversation, to)))]
    if len(fitted) != 1 or not fitted[0].done:
        return made
    return Repair(fitted[0].conversation, [*made.done, *fitted[0].done])


def _is_written(form: str) -> bool:
    """Whether there is such a format, and it can be written."""
    return formats.SHORT_NAMES.get(form, form) in formats.WRITERS


def _codes(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.strip() for pattern in patterns for code in pattern.split(",") if code.strip())


def _bytes_of(file: str) -> bytes:
    if file == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    with open(file, "rb") as source:
        return source.read()


def _documents(found: list[Conversation], made: list[Repair], data: bytes, to: str | None) -> Iterator[bytes]:
    """The documents: one indented, several a line each. A line that nothing was done to stays as it stands."""
    if len(made) == 1:
        yield json.pages(_document(found[0], made[0].conversation, to))
        return
    lines = data.split(b"\n")
    own_lines = len({one.conversation.place.line for one in made}) == len(made)
    for before, one in zip(found, made, strict=True):
        number = one.conversation.place.line
        if not to and not one.done and own_lines and number is not None:
            yield lines[number - 1].rstrip(b"\r") + b"\n"
        else:
            yield json.line(_document(before, one.conversation, to))


def _document(before: Conversation, conversation: Conversation, to: str | None) -> object:
    """The repaired conversation in its own format, a bare list where it was one; or in that of `to`."""
    form = to or conversation.format
    if not _is_written(form):
        if to is not None:
            raise click.UsageError(f"{to!r} is no format that can be written; there are {', '.join(formats.SHORT_NAMES)}")
        raise click.UsageError(f"{conversation.format} cannot be written; name a format with --to: {', '.join(formats.SHORT_NAMES)}")
    try:
        document = formats.write(conversation, form).document
        return document["messages"] if not to and _is_list(before) and document.keys() == {"messages"} else document
    except WriteError as error:
        raise WriteError(f"conversation {conversation.position}: {error}") from None


def _is_list(conversation: Conversation) -> bool:
    """Whether the source is a bare list of messages."""
    first = conversation.places[0].path if conversation.places else ""
    return first.removeprefix(conversation.place.path).startswith("[")


def _tell(made: list[Repair]) -> None:
    """What was done, a line for each rule."""
    done = [finding for one in made for finding in one.done]
    for (code, name), count in sorted(Counter((f.code, f.name) for f in done).items()):
        first = next(f for f in done if f.code == code)
        more = f" and {plural(count - 1, 'more')}" if count > 1 else ""
        say(f"fixed {code} {name}: {first.text}{more}")
    if not done:
        say("nothing to fix")
