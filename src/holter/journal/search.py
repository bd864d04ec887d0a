"""Which threads a list is to show: what a person asks for, and how each event answers.

A back end finds candidates with the pattern, in SQL; `matches` has the last word, because a pattern over JSON also finds what stands in a
key or an id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from holter.journal.event import (
    Answered,
    CacheHit,
    Cancelled,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ToolFailed,
    ToolStarted,
)
from holter.journal.question import INSIDE
from holter.journal.storable import json_of
from holter.journal.thread import Status
from holter.messages.message import AIMessage, Message, ToolMessage

ESCAPE = "!"
"""What stands before a `%` or `_` that means itself, in a pattern for LIKE."""
ANY = "*"
"""Any error at all."""
NESTED = f"%{INSIDE}%"
"""The pattern of a nested run's thread."""
_WORD = re.compile(r'"([^"]+)"|(\S+)')


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What threads have in common that are to be listed. What is not said does not matter."""

    text: str = ""
    """Words that the thread's events say, each of them somewhere, whatever the case; in quotation marks, words in a row."""
    status: Status | None = None
    tool: str | None = None
    """A tool's name that a message calls, or that was started."""
    error: str | None = None
    """A part of an error's text, whatever the case; `*` for any error."""
    since: float | None = None
    """Changed at this time or later; seconds since the epoch."""
    until: float | None = None
    """Changed before this time."""
    nested: bool = True
    """Whether threads of runs inside others are among them."""


class Term(NamedTuple):
    """Something that at least one event of a thread must satisfy."""

    pattern: str
    """For LIKE over the event's JSON, whatever the case: it fits every event that matches, and others."""
    matches: Callable[[Event], bool]


def terms(wanted: Wanted) -> list[Term]:
    """What is asked of the events."""
    words = [folded(phrase or word) for phrase, word in _WORD.findall(wanted.text)]
    found = [Term(_containing(word), _says(word)) for word in words]
    if wanted.tool is not None:
        found.append(Term(_containing(f'"name":{json_of(wanted.tool).decode()}', is_json=True), _uses(wanted.tool)))
    if wanted.error is not None:
        part = "" if wanted.error == ANY else folded(wanted.error)
        found.append(Term(_containing(part), _fails(part)))
    return found


def folded(text: str) -> str:
    """The text without its case, character by character. One that would become several (ß: ss), or a letter of ASCII (the sign of the
    kelvin: k), stays as it is: a database, which compares without the case of ASCII letters only, would not find it."""
    made = text.casefold()
    if len(made) == len(text) and "\u017f" not in text and "\u212a" not in text:
        return made
    return "".join(map(_folded, text))


def _folded(c: str) -> str:
    made = c.casefold()
    return made if len(made) == 1 and made.isascii() == c.isascii() else c


def _containing(part: str, *, is_json: bool = False) -> str:
    """The pattern of JSON that says this somewhere. Only ASCII letters are compared by databases whatever the case, and some characters
    are escaped in JSON: anything may stand in their place."""
    made = (ESCAPE + c if c in (ESCAPE, "%", "_") else c if is_json or _is_plain(c) else "%" for c in part)
    return f"%{''.join(made)}%"


def _is_plain(c: str) -> bool:
    return c.isprintable() and c not in '"\\' and (c.isascii() or c.lower() == c.upper())


def _says(word: str) -> Callable[[Event], bool]:
    return lambda event: any(word in folded(text) for text in texts(event))


def _uses(tool: str) -> Callable[[Event], bool]:
    return lambda event: tool in _tools(event)


def _fails(part: str) -> Callable[[Event], bool]:
    return lambda event: any(part in folded(text) for text in errors(event))


def texts(event: Event) -> Iterator[str]:
    """What an event says: texts and numbers of people, models and tools; no ids and no names of fields."""
    match event:
        case MessageAdded():
            yield from _said(event.message)
        case RunStarted():
            yield from _strings(event.input)
        case NodeEnded():
            yield from _strings(event.writes)
        case Interrupted() | Answered():
            yield from _strings(event.value)
        case Repaired():
            yield event.text
        case Cancelled():
            yield event.reason
        case _:
            yield from errors(event)


def errors(event: Event) -> Iterator[str]:
    """What an event says of something that failed."""
    match event:
        case ToolFailed() | ModelFailed():
            yield event.error
        case RunEnded(status="failed"):
            yield event.error
        case LimitReached():
            yield event.limit
        case MessageAdded(message=ToolMessage(status="error")):
            yield event.message.text
        case _:
            pass


def _said(message: Message) -> Iterator[str]:
    yield message.text
    if isinstance(message, AIMessage):
        yield message.reasoning or ""
        for call in message.calls:
            yield str(call.get("name") or "")
            yield from _strings(call.get("args"))
    elif isinstance(message, ToolMessage):
        yield message.name or ""


def _tools(event: Event) -> list[Any]:
    match event:
        case ToolStarted() | ToolFailed() | CacheHit():
            return [event.name]
        case MessageAdded(message=AIMessage(calls=calls)):
            return [call.get("name") for call in calls]
        case MessageAdded(message=ToolMessage(name=name)):
            return [name]
        case _:
            return []


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bool() | None:
            pass
        case int() | float():
            yield json_of(value).decode()
        case dict():
            for item in value.values():
                yield from _strings(item)
        case list() | tuple():
            for item in value:
                yield from _strings(item)
        case _:
            pass
