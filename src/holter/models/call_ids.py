"""The ids of calls on the wire: what a provider does not take is sent as another one, on both sides of the pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from holter.messages import AIMessage, Message, ToolMessage
from holter.messages.message import NO_CALLS
from holter.models.alias import digest, fitted
from holter.models.provider import Quirks


def with_ids(messages: Sequence[Message], quirks: Quirks) -> list[Message]:
    """The messages of a sendable history with ids that the provider takes; those that it takes are left."""
    fit = _fit(quirks)
    numbers = iter(range(1_000_000_000))
    sent: list[Message] = []
    waiting: dict[str, str] = {}
    for message in messages:
        if isinstance(message, AIMessage) and message.calls:
            waiting = dict(_pairs(message, quirks, fit, numbers))
            sent.append(_renamed(message, waiting))
        elif isinstance(message, ToolMessage):
            new_id = waiting.get(message.tool_call_id or "", message.tool_call_id)
            sent.append(message if new_id == message.tool_call_id else message.replace(tool_call_id=new_id))
        else:
            sent.append(message)
    return sent


def _pairs(message: AIMessage, quirks: Quirks, fit: re.Pattern[str] | None, numbers: Iterator[int]) -> Iterator[tuple[str, str]]:
    """(own id, id on the wire) of each call that is sent under another id."""
    for call in message.calls:
        own = str(call["id"])
        if quirks.id_form:
            sent = quirks.id_form.format(name=call["name"] or "unknown", number=next(numbers))
        elif len(own) <= quirks.id_longest and (fit is None or fit.fullmatch(own)):
            continue
        elif quirks.id_longest < _READABLE:
            sent = digest(own, quirks.id_longest)
        else:
            sent = fitted(own, quirks.id_longest)
        yield own, sent


_READABLE = 20
"""Below so many characters an id has no room for a part that can be read."""


def _fit(quirks: Quirks) -> re.Pattern[str] | None:
    return re.compile(quirks.id_pattern) if quirks.id_pattern else None


def _renamed(message: AIMessage, new_ids: dict[str, str]) -> AIMessage:
    if not new_ids:
        return message
    return message.replace(
        content=message.content if isinstance(message.content, str) else [_remarked(block, new_ids) for block in message.content],
        tool_calls=[_with_id(call, new_ids) for call in message.tool_calls],
        invalid_tool_calls=[_with_id(call, new_ids) for call in message.invalid_tool_calls] or NO_CALLS,
    )


def _with_id(call: dict[str, Any], new_ids: dict[str, str]) -> dict[str, Any]:
    return {**call, "id": new_ids.get(str(call["id"]), call["id"])}


def _remarked(block: Any, new_ids: dict[str, str]) -> Any:
    is_mark = isinstance(block, dict) and block.get("type") == "tool_call"
    return {**block, "id": new_ids.get(str(block.get("id")), block.get("id"))} if is_mark else block
