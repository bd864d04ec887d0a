"""Makes a message one that can be stored, before it is journaled. A message is not refused: its call would stay without a result."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import msgspec
from msgspec.structs import replace

from holter.journal.event import Event, MessageAdded, Repaired
from holter.journal.storable import REFUSED, json_of, storable
from holter.messages import surrogate
from holter.messages.calls import as_json_text
from holter.messages.content import text_block
from holter.messages.message import Message, ToolMessage

_AROUND = 20
"""Characters that are shown before and after a repaired place."""
_DEEPEST = 100

_decode = msgspec.json.Decoder(Message).decode


def mended(message: Message) -> tuple[Message, list[Repaired]]:
    """The message as it can be stored, and what was changed; the same object and nothing where it can be as it is.

    Halves of characters become U+FFFD (CONT03), numbers that JSON does not know None, and other values their text (CONT02).
    TypeError when a field holds what it cannot: a number for a name.
    """
    if _is_stored_as_it_is(message):
        return message, []
    mending = _Mending()
    try:
        made = msgspec.convert(mending.of_message(message), type=Message)
    except msgspec.ValidationError as error:
        raise TypeError(f"a {type(message).__name__} holds what it cannot: {error}") from None
    call_id = message.tool_call_id if isinstance(message, ToolMessage) else None
    return made, mending.repairs(call_id if call_id is None else surrogate.repaired(call_id))


def mended_events(events: Sequence[Event]) -> list[Event]:
    """The events, with the repairs of their messages before these; the same objects where nothing could be repaired."""
    made: list[Event] = []
    for event in events:
        if isinstance(event, MessageAdded):
            message, repairs = mended(event.message)
            made += repairs
            event = event if message is event.message else replace(event, message=message)
        made.append(event)
    return made


def _is_stored_as_it_is(message: Message) -> bool:
    try:
        if _decode(json_of(message)) == message:
            return True
    except REFUSED:
        return False
    return storable(message) is None


class _Mending:
    """One message while it is mended: its values in JSON's types, and what had to change."""

    def __init__(self) -> None:
        self._halves: list[str] = []
        self._others: list[str] = []

    def of_message(self, message: Message) -> dict[str, Any]:
        """The message's fields, with its type."""
        fields = {name: getattr(message, name) for name in message.__struct_fields__}
        fields["content"] = _content(message.content)
        return {"type": message.type, **{name: self._of(value, 0) for name, value in fields.items()}}

    def repairs(self, call_id: str | None) -> list[Repaired]:
        """What was changed, one event for each kind of change."""
        made: list[Repaired] = []
        if self._halves:
            text = f"Halves of characters (lone surrogates) in {_texts(len(self._halves))} became U+FFFD; split pairs were joined."
            made.append(Repaired(code="CONT03", text=text, call_id=call_id, raw=self._halves[0]))
        if self._others:
            text = f"{_values(len(self._others))} that JSON does not know became null or text."
            made.append(Repaired(code="CONT02", text=text, call_id=call_id, raw=", ".join(self._others[:5])))
        return made

    def _of(self, value: Any, depth: int) -> Any:
        match value:
            case str():
                return self._text(value)
            case float() if not isfinite(value):
                self._others.append(repr(value))
                return None
            case dict() if depth < _DEEPEST:
                return {self._text(_key(key)): self._of(item, depth + 1) for key, item in value.items()}
            case list() | tuple() if depth < _DEEPEST:
                return [self._of(item, depth + 1) for item in value]
            case _ if storable(value) is None:
                return value
            case _:
                self._others.append(f"{type(value).__name__}")
                return self._of(json.loads(as_json_text([value]))[0], _DEEPEST) if depth < _DEEPEST else "…"

    def _text(self, text: str) -> str:
        if surrogate.is_valid(text):
            return text
        at = surrogate.first(text)
        self._halves.append(surrogate.escaped(text[max(at - _AROUND, 0) : at + _AROUND]))
        return surrogate.repaired(text)


def _content(content: Any) -> Any:
    """LangChain lets a program give a message any value as its content; its text is meant."""
    match content:
        case list() | tuple():
            return [_block(block) for block in content]
        case None:
            return ""
        case _:
            return as_json_text(content)


def _block(block: Any) -> Any:
    """LangChain lets plain text stand among blocks."""
    return text_block(block) if isinstance(block, str) else block


def _key(key: Any) -> str:
    return key if isinstance(key, str) else as_json_text(key)


def _count(noun: str) -> Callable[[int], str]:
    return lambda count: f"{count} {noun}{'s' if count > 1 else ''}"


_texts, _values = _count("text"), _count("value")
