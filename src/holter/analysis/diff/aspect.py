"""A message in the terms in which two logs are compared, whatever format each of them is in."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import msgspec

from holter.analysis.diff.difference import Aspect
from holter.messages import AIMessage, Conversation, Message, Pairing, ToolMessage
from holter.messages.content import MEDIA

_encode = msgspec.json.Encoder(order="deterministic").encode
_GENERATED = frozenset({"id", "index", "position", "extras", "signature"})
"""Fields of a block that a program made or that say where it stands."""


class View(msgspec.Struct, frozen=True):
    """One message."""

    message: Message
    text: str
    """Its text, and after it each block that is none, as JSON."""
    reasoning: str
    calls: list[tuple[str, Any]]
    """(tool, arguments: an object, or the text of invalid ones), in order."""
    answers: str
    """Of a result which call it answers, told without its id: "get_weather, call 0 of the message before"; empty for others."""
    key: bytes
    """Equal for messages that say the same."""
    shape: tuple[str, ...]
    """Equal for messages that do the same: the kind, and the tools that are called."""


def views(conversation: Conversation, *, with_reasoning: bool, with_blocks: bool) -> list[View]:
    """The messages of a conversation, in order; whether reasoning, and a provider's own blocks, are part of what they say."""
    pairing = Pairing(conversation.messages)
    kinds = None if with_blocks else MEDIA
    return [_view(message, at, pairing, with_reasoning, kinds) for at, message in enumerate(conversation.messages)]


def _view(message: Message, at: int, pairing: Pairing, with_reasoning: bool, kinds: Container[str] | None) -> View:
    text = _text(message, kinds)
    calls: list[tuple[str, Any]] = []
    reasoning = answers = ""
    if isinstance(message, AIMessage):
        calls = [(str(call.get("name") or ""), call.get("args")) for call in message.calls]
        reasoning = message.reasoning_text
    elif isinstance(message, ToolMessage):
        answers = _answers(at, pairing)
    said = (message.type, text, calls, answers, reasoning if with_reasoning else "")
    return View(message, text, reasoning, calls, answers, _key(said), (message.type, *(name for name, _ in calls)))


def _answers(at: int, pairing: Pairing) -> str:
    ref = pairing.answered.get(at)
    return f"{ref.call.get('name')} #{ref.position}" if ref is not None else "no call"


def _text(message: Message, kinds: Container[str] | None) -> str:
    """The text, then other blocks as JSON: those of these kinds, or all for None."""
    content = message.content
    if isinstance(content, str):
        return content
    parts = [str(block.get("text") or "") for block in content if block.get("type") == "text"]
    others = [block for block in content if block.get("type") not in ("text", "reasoning", "tool_call")]
    others = [block for block in others if kinds is None or block.get("type") in kinds]
    shown = [_key({name: item for name, item in block.items() if name not in _GENERATED}).decode("utf-8", "replace") for block in others]
    return "".join(parts) + "".join(f"\n{one}" for one in shown)


def _key(value: Any) -> bytes:
    try:
        return _encode(value)
    except (TypeError, ValueError, UnicodeError, msgspec.MsgspecError):
        return repr(value).encode("utf-8", "backslashreplace")


def usage_of(message: Message) -> dict[str, int]:
    """The token counts of a message, by name; empty where it has none."""
    if not isinstance(message, AIMessage) or not message.usage_metadata:
        return {}
    usage = message.usage_metadata
    found = {name: usage.get(name) for name in ("input_tokens", "output_tokens", "total_tokens")}
    found["cached_tokens"] = (usage.get("input_token_details") or {}).get("cache_read")
    found["reasoning_tokens"] = (usage.get("output_token_details") or {}).get("reasoning")
    return {name: count for name, count in found.items() if isinstance(count, int) and count}


def told(conversation: Conversation) -> set[Aspect]:
    """What a log says of some message beside what was said: "usage", "model", …"""
    found: set[Aspect] = set()
    for message in conversation.messages:
        found.update(_told(message))
    return found


def _told(message: Message) -> Iterator[Aspect]:
    if message.ts is not None:
        yield "timing"
    if message.name and not isinstance(message, ToolMessage):
        yield "name"
    if isinstance(message, ToolMessage):
        if message.status == "error":
            yield "status"
    elif isinstance(message, AIMessage):
        if message.usage_metadata:
            yield "usage"
        if message.model:
            yield "model"
        if message.finish_reason:
            yield "finish"
        if message.reasoning_text:
            yield "reasoning"
