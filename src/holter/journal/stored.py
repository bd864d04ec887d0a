"""The form in which events are kept: one JSON object each. Every journal writes and reads it with these two functions, so that what one
takes, each takes, and that it comes back the same from each."""

from __future__ import annotations

from typing import Any

import msgspec

from holter.errors import NotStorable
from holter.journal.event import Event, MessageAdded, ModelStarted, NodeEnded, RunEnded, RunStarted, ToolStarted
from holter.journal.storable import REFUSED, Problem, json_of, non_finite, storable
from holter.messages.message import EMPTY, AIMessage, ToolMessage

decode = msgspec.json.Decoder(Event).decode
"""The event that was kept. Raises msgspec.DecodeError for what `encode` did not make."""

_ENDS = frozenset(("done", "interrupted", "limit", "cancelled", "failed"))
"""How a run may end."""

_NOTHING: tuple[Event | None, bytes] = (None, b"")
_tried = [_NOTHING]
"""The event that was tried last, and what it is kept as: most are appended next."""


def encode(event: Event) -> bytes:
    """The event as it is kept: one that can be read again, which is tried where its fields do not plainly say so. Raises NotStorable for
    one that cannot be kept as it is."""
    tried, stored = _tried[0]
    if tried is event:
        _tried[0] = _NOTHING
        return stored
    try:
        stored = json_of(event)
        has_null = b"null" in stored
        is_right = (not has_null and _is_plain(event)) or decode(stored) == event
    except REFUSED as error:
        raise _refused(event, error) from None
    # Another value may be right, too: a tuple comes back as a list. A number that is none comes back as null.
    if not is_right and has_null and non_finite(event):
        raise _refused(event)
    return stored


def is_kept(event: Event) -> bool:
    """Whether the event is kept as it is: `encode` refuses it not, and gives what was made here when it is asked for the event next."""
    try:
        _tried[0] = (event, encode(event))
    except NotStorable:
        return False
    return True


def in_memory(event: Event) -> bytes | Event:
    """As `encode`; the event itself where nobody can change it, and it is what `decode` would give: a third of the memory."""
    if not _is_text(event):
        return encode(event)
    try:
        json_of(event)  # half a character is text, too
    except REFUSED as error:
        raise _refused(event, error) from None
    return event


def _is_plain(event: Any) -> bool:
    """Whether the fields of a usual event plainly have the types that reading asks for. Costs a tenth of reading."""
    kind = event.__class__
    if kind is MessageAdded and event.message.__class__ is AIMessage:
        return _is_plain_answer(event, event.message)
    if kind is RunStarted:
        return event.run.__class__ is event.program.__class__ is str and (event.input is None or _is_empty(event.input))
    return _is_text(event)


def _is_empty(value: Any) -> bool:
    return value.__class__ is dict and not value


def _is_text(event: Any) -> bool:
    """Whether an event holds text and numbers only, of the types that reading asks for."""
    kind = event.__class__
    if kind is MessageAdded:
        kind = event.message.__class__
        return kind is not AIMessage and _is_text_message(event, event.message, is_result=kind is ToolMessage)
    if kind is ToolStarted:
        return event.call_id.__class__ is event.name.__class__ is str and event.attempt.__class__ is int
    if kind is RunEnded:
        return event.run.__class__ is event.error.__class__ is event.status.__class__ is str and event.status in _ENDS
    return kind is ModelStarted and event.model.__class__ is str and event.attempt.__class__ is int


def _is_text_message(event: MessageAdded, message: Any, *, is_result: bool) -> bool:
    return (
        message.content.__class__ is message.id.__class__ is event.node.__class__ is str
        and message.additional_kwargs is message.response_metadata is message.extra is EMPTY
        and (message.name is None or message.name.__class__ is str)
        and (event.task is None or event.task.__class__ is str)
        and message.ts is None
        and (
            not is_result or (message.artifact is None and message.tool_call_id.__class__ is str and message.status in ("success", "error"))
        )
    )


def _is_plain_answer(event: MessageAdded, answer: Any) -> bool:
    calls, usage = answer.tool_calls, answer.usage_metadata
    if calls.__class__ is not list or answer.invalid_tool_calls != [] or answer.ts is not None:
        return False
    for call in calls:
        if call.__class__ is not dict:
            return False
    for name in (event.node, event.task, answer.name, answer.reasoning):
        if name is not None and name.__class__ is not str:
            return False
    for mapping in (answer.additional_kwargs, answer.response_metadata, answer.extra):
        if mapping is not EMPTY and mapping.__class__ is not dict:
            return False
    return answer.content.__class__ is answer.id.__class__ is str and (usage is None or usage.__class__ is dict)


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
