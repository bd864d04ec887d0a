"""The form in which events are kept: one JSON object each. Every journal writes and reads it with these two functions, so that what one
takes, each takes, and that it comes back the same from each."""

from __future__ import annotations

import msgspec

from holter.errors import NotStorable
from holter.journal.event import Event, MessageAdded, ModelStarted, NodeEnded, ToolStarted
from holter.journal.storable import REFUSED, Problem, json_of, non_finite, storable
from holter.messages.message import EMPTY, AIMessage, Message, ToolMessage

_decode = msgspec.json.Decoder(Event).decode


def decode(stored: bytes | str) -> Event:
    """The event that was kept. Raises msgspec.DecodeError for what `encode` did not make."""
    return _decode(stored)


def encode(event: Event) -> bytes:
    """The event as it is kept: one that can be read again, which is tried where its fields do not plainly say so. Raises NotStorable for
    one that cannot be kept as it is."""
    try:
        stored = json_of(event)
        has_null = b"null" in stored
        is_right = _decode(stored) == event if has_null or not _is_plain(event) else True
    except REFUSED as error:
        raise _refused(event, error) from None
    # Another value may be right, too: a tuple comes back as a list. A number that is none comes back as null.
    if not is_right and has_null and non_finite(event):
        raise _refused(event)
    return stored


def _is_plain(event: Event) -> bool:
    """Whether the fields of a usual event have the types that reading asks for: all the others hold any JSON. Costs a tenth of reading."""
    match event:
        case MessageAdded():
            return (event.task is None or event.task.__class__ is str) and event.node.__class__ is str and _is_plain_message(event.message)
        case ToolStarted():
            return event.call_id.__class__ is str and event.name.__class__ is str and event.attempt.__class__ is int
        case ModelStarted():
            return event.model.__class__ is str and event.attempt.__class__ is int
        case _:
            return False


def _is_plain_message(message: Message) -> bool:
    if message.content.__class__ is not str or message.id.__class__ is not str or message.ts is not None:
        return False
    if message.name is not None and message.name.__class__ is not str:
        return False
    for mapping in (message.additional_kwargs, message.response_metadata, message.extra):
        if mapping is not EMPTY and mapping.__class__ is not dict:
            return False
    if message.__class__ is ToolMessage:
        return message.tool_call_id.__class__ is str and message.status in ("success", "error")
    return message.__class__ is not AIMessage or _is_plain_answer(message)


def _is_plain_answer(answer: AIMessage) -> bool:
    calls, usage = answer.tool_calls, answer.usage_metadata
    if calls.__class__ is not list or answer.invalid_tool_calls or not (usage is None or usage.__class__ is dict):
        return False
    for call in calls:
        if call.__class__ is not dict:
            return False
    return answer.reasoning is None or answer.reasoning.__class__ is str


def _refused(event: Event, error: Exception | None = None) -> NotStorable:
    node = event.node if isinstance(event, NodeEnded | MessageAdded) else None
    for key, value in event.writes.items() if isinstance(event, NodeEnded) else ():
        if (problem := storable(value)) is not None:
            return NotStorable(event.kind, node, str(key), problem.path, problem.text)
    problem = storable(event) or _ill_typed(error)
    return NotStorable(event.kind, node, None, problem.path, problem.text)


def _ill_typed(error: Exception | None) -> Problem:
    """Of a field that holds JSON, but not what belongs there: a number for a message's name."""
    text, _, path = str(error).partition(" - at ")
    return Problem(path.strip("`").removeprefix("$").lstrip("."), text[:1].lower() + text[1:])
