"""Events without what they say: what stands in the journal in place of a payload that must be forgotten.

Ids, names of tools, kinds and positions stay, so that the thread folds as before and its calls keep their results.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from holter.journal.event import (
    Answered,
    Cancelled,
    Event,
    Interrupted,
    MessageAdded,
    ModelFailed,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ToolFailed,
)
from holter.messages.message import AIMessage, Message, ToolMessage

BLANK = "[redacted]"
"""What stands in place of a text."""
_STRUCTURE = ("type", "role", "id", "tool_call_id", "name", "status", "__overwrite__")
"""Keys of messages in a state's fields whose values say what a message is, and not what it says."""
_TAGS = ("kind", "type", "role", "status", "ts")
"""Keys whose values are none of anybody's words."""
_CALL = ("name", "id", "type", "index")
"""What stays of a call."""
_KEPT_METADATA = ("model_name", "finish_reason", "stop_reason")


_FIELDS = frozenset(
    name for struct in [*get_args(Event), *get_args(Message)] for name in ("kind", "type", *struct.__struct_fields__, *_CALL, "args")
)
"""What the fields of events, messages and calls are called."""


def blanked(event: Event) -> Event:
    """The event with every payload of people, models and tools blanked."""
    replaced = msgspec.structs.replace
    match event:
        case MessageAdded():
            return replaced(event, message=_blank_message(event.message))
        case RunStarted():
            return replaced(event, input=_blank(event.input))
        case NodeEnded():
            return replaced(event, writes=_blank(event.writes), sends=_blank(event.sends))
        case ToolFailed():
            return replaced(event, error=_text(event.error), traceback=_text(event.traceback))
        case ModelFailed() | RunEnded():
            return replaced(event, error=_text(event.error))
        case Interrupted() | Answered():
            return replaced(event, value=_blank(event.value))
        case Cancelled():
            return replaced(event, reason=_text(event.reason))
        case Repaired():
            return replaced(event, raw=None if event.raw is None else BLANK)
        case _:
            return event


def notice(seq: int, reason: str) -> Repaired:
    """The event that says that another one was redacted."""
    return Repaired(code="REDACTED", text=f"The event at {seq} was redacted{': ' if reason else ''}{reason}.")


def without(event: Event, text: str) -> Event:
    """The event with every occurrence of the text blanked, and all else as it is. ValueError for an empty text."""
    if not text:
        raise ValueError("the text to blank is empty")
    plain = msgspec.to_builtins(event)
    try:
        return _as_event(_without(plain, text, keys=True))
    except msgspec.ValidationError:  # the text is a part of a field's own name
        return _as_event(_without(plain, text, keys=False))


def _as_event(plain: Any) -> Event:
    return msgspec.convert(plain, type=Event)  # type: ignore[no-any-return]


def _blank_message(message: Message) -> Message:
    changes: dict[str, Any] = {
        "content": _text(message.content) if isinstance(message.content, str) else BLANK,
    }
    if message.response_metadata:
        changes["response_metadata"] = _only(message.response_metadata, _KEPT_METADATA)
    changes |= {key: {} for key in ("additional_kwargs", "extra") if getattr(message, key)}
    if isinstance(message, AIMessage):
        changes["tool_calls"] = [{**_only(call, _CALL), "args": {}} for call in message.tool_calls]
        changes["invalid_tool_calls"] = [{**_only(call, _CALL), "args": BLANK, "error": BLANK} for call in message.invalid_tool_calls]
        changes["reasoning"] = None
    if isinstance(message, ToolMessage):
        changes["artifact"] = None
    return message.replace(**changes)


def _only(call: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: call[key] for key in keys if key in call}


def _text(text: str) -> str:
    return BLANK if text else text


def _blank(value: Any) -> Any:
    """The value with its texts blanked and its numbers 0; what tells a message's place stays."""
    match value:
        case str():
            return _text(value)
        case bool() | None:
            return value
        case int() | float():
            return 0
        case dict():
            return {key: item if key in _STRUCTURE and isinstance(item, str) else _blank(item) for key, item in value.items()}
        case list() | tuple():
            return [_blank(item) for item in value]
        case _:
            return BLANK


def _without(value: Any, text: str, *, keys: bool) -> Any:
    match value:
        case str():
            return value.replace(text, BLANK)
        case dict():
            return {
                _key(key, text) if keys else key: item if key in _TAGS else _without(item, text, keys=keys) for key, item in value.items()
            }
        case list():
            return [_without(item, text, keys=keys) for item in value]
        case _:
            return value


def _key(key: str, text: str) -> str:
    """A key of somebody's own; those of events, messages and calls stay."""
    return key if key in _FIELDS else key.replace(text, BLANK)
