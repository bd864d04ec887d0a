"""The documents of a log as they stand: the JSON values that its conversations were read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import msgspec

from holter import formats
from holter.analysis.explain.walk import Messages, messages_at
from holter.formats.decode import loose_json, strict_json
from holter.formats.encoding import to_text
from holter.formats.holter_journal import NAME
from holter.formats.langchain_message import kind_of as kind_of_message
from holter.formats.langchain_message import write_message
from holter.formats.literal import Literals, parse
from holter.formats.notation import Call, plain
from holter.formats.openai_message import write_call
from holter.messages import AIMessage, Conversation, Message, Place

_MESSAGE = {
    "openai.chat": "openai_chat.message",
    "openai.response": "openai_chat.message",
    "openai.stream": "openai_chat.message",
    "openai.responses": "openai_responses.item",
    "openai.responses.stream": "openai_responses.item",
    "anthropic.messages": "anthropic.message",
    "anthropic.stream": "anthropic.message",
    "gemini.contents": "gemini.content",
    "gemini.stream": "gemini.content",
    "gemini.interactions": "gemini.step",
    "holter.journal": "langchain.message",
}
"""Format -> the kind of its messages; LangChain's for all others."""
_RECORD = {
    "openai.responses.stream": "openai_responses.event",
    "anthropic.stream": "anthropic.event",
    "gemini.interactions": "gemini.interaction",
    "holter.journal": "journal.record",
}
"""Format -> the kind of what stands around its messages, where that is not "record"."""
_ANSWER = frozenset({"stop_reason", "usage", "model"})
_STEP = re.compile(r"\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]|\.?([^.\[\]]+)")


class Document(msgspec.Struct, frozen=True):
    """One conversation, with the values that it was read from."""

    conversation: Conversation
    values: list[Any]
    """Mostly one; of a stream each event, of messages on lines of their own each message."""
    kinds: list[str]
    """Of each value the full name of its kind: "openai_chat.record"."""
    messages: list[Messages]
    """Where in each value messages stand."""
    as_it_stands: bool = True
    """Whether these are the log's own values. Printed transcripts and damaged texts have none: there they are the messages as they were
    read, under LangChain's names."""


def documents(data: bytes, name: str | None) -> list[Document]:
    """The conversations of a log with the values that they were read from. Raises ReadError as `formats.read` does."""
    conversations = list(formats.iter_stream(BytesIO(data), name))
    text, _ = to_text(data)
    whole = _whole(data, text)
    ends = [found.place.line or 0 for found in conversations[1:]]
    return [
        _document(conversation, _values(conversation, whole, text, end))
        for conversation, end in zip(conversations, [*ends, 0], strict=True)
    ]


def _document(conversation: Conversation, values: list[tuple[Any, dict[str, int]]] | None) -> Document:
    if values is None or not _holds(conversation, values):
        return normalised(conversation)
    kinds = [kind_of(conversation.format, value, at) for value, at in values]
    message = _MESSAGE.get(conversation.format, "langchain.message")
    _fill(conversation, values)
    return Document(conversation, [value for value, _ in values], kinds, [messages_at(message, at) for _, at in values])


def _fill(conversation: Conversation, values: list[tuple[Any, dict[str, int]]]) -> None:
    """Puts the calls that a document leaves out (`"tool_calls": [...]`), and that an earlier part of it shows, where they were left out."""
    left_out = {finding.message for finding in conversation.findings if finding.code == "READ03"}
    write = write_call if _MESSAGE.get(conversation.format) == "openai_chat.message" else dict
    for value, at in values:
        for path, position in at.items():
            message = conversation.messages[position]
            if position in left_out and isinstance(message, AIMessage) and message.calls:
                held = follow(value, path)
                if isinstance(held, dict) and (fields := envelope(held)).get("tool_calls") == []:
                    fields["tool_calls"] = [write(call) for call in message.calls]


def normalised(conversation: Conversation) -> Document:
    """The conversation's messages as they were read, under LangChain's names."""
    value = {"messages": [_written(message) for message in conversation.messages]}
    at = {f"messages[{position}]": position for position in range(len(conversation.messages))}
    return Document(conversation, [value], ["langchain.state"], [messages_at("langchain.message", at)], as_it_stands=False)


def _written(message: Message) -> dict[str, Any]:
    """The message's fields, without those that a transcript cannot show."""
    return {key: value for key, value in write_message(message).items() if value is not None or key == "content"}


def kind_of(format_: str, value: Any, at: dict[str, int]) -> str:
    """The full name of the kind of a value of this format, in which messages stand at these paths."""
    message = _MESSAGE.get(format_, "langchain.message")
    book = message.partition(".")[0]
    if isinstance(value, list):
        return message
    if "" in at and not (book == "anthropic" and not _ANSWER.isdisjoint(value)):
        return message if not format_.endswith(".stream") else _RECORD.get(format_, f"{book}.record")
    return _RECORD.get(format_, "langchain.state" if book == "langchain" else f"{book}.record")


def _whole(data: bytes, text: str) -> Any:
    """The value of a log that is one JSON document; None where it is none."""
    try:
        return strict_json(data)
    except ValueError:
        try:
            return loose_json(text, lambda _: Place())[0]
        except ValueError:
            return None


def _values(conversation: Conversation, whole: Any, text: str, end: int) -> list[tuple[Any, dict[str, int]]] | None:
    """The values of a conversation, each with the paths of its messages; `end` is the line that the next conversation begins in."""
    if isinstance(whole, dict | list):
        return [_cut(whole, conversation)]
    lines = text.split("\n")
    if conversation.format == NAME:
        return _entries(conversation, lines)
    if conversation.format.endswith(".stream"):
        first = (conversation.place.line or 1) - 1
        events = [value for line in lines[first : end - 1 if end > first else None] for value in _of_line(line)]
        return [(event, {"": 0}) for event in events]
    return [(value, at) for place, at in _starts(conversation) for value in _at(lines, place)]


def _entries(conversation: Conversation, lines: Sequence[str]) -> list[tuple[Any, dict[str, int]]]:
    """The lines of a journal that are this thread's."""
    positions = {place.line: position for position, place in enumerate(conversation.places)}
    thread = conversation.extra.get("thread")
    found: list[tuple[Any, dict[str, int]]] = []
    for number, line in enumerate(lines, 1):
        for value in _of_line(line):
            if isinstance(value, dict) and value.get("thread") in (None, thread):
                at = positions.get(number)
                found.append((value, {} if at is None else {"event.message" if "event" in value else "message": at}))
    return found


def _cut(whole: Any, conversation: Conversation) -> tuple[Any, dict[str, int]]:
    """The part of a document that is this conversation's: an item of an array of records, else all of it."""
    head = re.match(r"(?:\[\d+\])+", conversation.place.path)
    prefix = head.group() if head else ""
    at = {place.path.removeprefix(prefix).removeprefix("."): position for position, place in enumerate(conversation.places)}
    return (follow(whole, prefix), at) if prefix else (whole, at)


def _starts(conversation: Conversation) -> Iterator[tuple[Place, dict[str, int]]]:
    """Where each value of a conversation begins, with the paths of its messages."""
    places = conversation.places
    apart = [place for place in places if not place.path]
    if len(places) > 1 and len(apart) == len(places):
        yield from ((place, {"": position}) for position, place in enumerate(places))
    else:
        yield conversation.place, {place.path: position for position, place in enumerate(places)}


def _at(lines: Sequence[str], place: Place) -> Iterator[Any]:
    """The value that begins at a place of the text."""
    if place.line is None or place.line > len(lines):
        return
    if place.column is None:
        yield from _of_line(lines[place.line - 1])
        return
    value = Literals("\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])).read(0).value
    if isinstance(value, dict | list):
        yield plain(_with_types(value))


def _with_types(value: Any) -> Any:
    """The value with the class of each printed message as its `type`, as in LangChain's JSON."""
    match value:
        case Call() if kind_of_message(value) is not None or "content" in value:
            said = {"content": value.positional[0]} if value.positional else {}
            return {"type": value.name, **said, **{key: _with_types(item) for key, item in value.items()}}
        case dict():
            return {key: _with_types(item) for key, item in value.items()}
        case list() if type(value) is list:
            return [_with_types(item) for item in value]
        case _:
            return value


def _of_line(line: str) -> Iterator[Any]:
    data = line.strip().removeprefix("data:").strip()
    if data.startswith(("{", "[")):
        try:
            yield strict_json(data.encode("utf-8", "surrogatepass"))
        except ValueError:
            value = parse(data, 0).value
            if isinstance(value, dict | list):
                yield value


def _holds(conversation: Conversation, values: list[tuple[Any, dict[str, int]]]) -> bool:
    """Whether every message stands where it is said to, and whole."""
    if any("elided" in message.extra for message in conversation.messages):
        return False
    if conversation.format.endswith(".stream") or conversation.format == NAME:
        return bool(values)
    found: set[int] = set()
    for value, at in values:
        for path, position in at.items():
            try:
                message = follow(value, path)
            except (LookupError, TypeError):
                return False
            if (
                not path
                and isinstance(message, dict)
                and conversation.format.startswith("langchain")
                and "content" not in envelope(message)
            ):
                return False
            found.add(position)
    return len(found) >= len({(place.line, place.path) for place in conversation.places})


def envelope(message: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message of LangChain's, whatever stands around them."""
    inner = message.get("kwargs", message.get("data"))
    return inner if isinstance(inner, dict) else message


def follow(value: Any, path: str) -> Any:
    """What stands at a JSON path. LookupError or TypeError where nothing does."""
    for match in _STEP.finditer(path):
        position, quoted, key = match.groups()
        value = value[int(position)] if position is not None else value[msgspec.json.decode(quoted) if quoted is not None else key]
    return value
