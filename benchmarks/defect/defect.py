"""What a defect is, and where in a run it goes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from holter import formats
from holter.analysis.lint import Linter
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, ToolMessage

Outcome = tuple[list[Finding], int | None]
"""What the linter says of a broken run, and where it has to: a message, or a position in the source's own list; None for the whole."""

MEMORY = "holter.messages"
WITH_IDS = ("openai.chat", "openai.responses", "anthropic.messages", "langchain.json")
EVERYWHERE = (*WITH_IDS, "gemini.contents")


class Defect(msgspec.Struct, frozen=True):
    """One way to break a run."""

    code: str
    """The rule that has to see it."""
    make: Callable[[Conversation, int, str], Outcome]
    """From a clean run, the position of a message with one call, and a format."""
    forms: Sequence[str]
    companions: frozenset[str] = frozenset()
    """Rules that may speak beside it."""
    by_index: bool = False
    """Whether the place is one in the source's own list."""


def spot(messages: Sequence[Message]) -> int | None:
    """The position, in the middle of a run, of a message with one call, its result, an answer in words, and the next user message."""
    places = [
        at
        for at in range(1, len(messages) - 3)
        if isinstance(message := messages[at], AIMessage)
        and len(message.tool_calls) == 1
        and isinstance(messages[at - 1], HumanMessage)
        and isinstance(messages[at + 1], ToolMessage)
        and isinstance(answer := messages[at + 2], AIMessage)
        and not answer.calls
        and isinstance(messages[at + 3], HumanMessage)
    ]
    return places[len(places) // 2] if places else None


def found_in(conversation: Conversation, form: str, target: str | None = None) -> list[Finding]:
    """What is found in the messages as a log of the format, read again; as they are for `MEMORY`."""
    if form == MEMORY:
        return Linter(target).check(msgspec.structs.replace(conversation, format=MEMORY))
    return found_in_document(formats.write(conversation, form).document, target)


def found_in_document(document: Any, target: str | None = None) -> list[Finding]:
    """What is found in a document."""
    linter = Linter(target)
    return [finding for conversation in formats.read(json.dumps(document)) for finding in linter.check(conversation)]


def with_messages(conversation: Conversation, messages: Iterable[Message]) -> Conversation:
    """The run with other messages."""
    return msgspec.structs.replace(conversation, messages=list(messages))


def answer_at(messages: Sequence[Message], at: int) -> AIMessage:
    """The model's message at a position."""
    message = messages[at]
    assert isinstance(message, AIMessage)
    return message


def result_at(messages: Sequence[Message], at: int) -> ToolMessage:
    """The result at a position."""
    message = messages[at]
    assert isinstance(message, ToolMessage)
    return message
