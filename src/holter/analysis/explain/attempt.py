"""What a journal knows of attempts, and a message list does not: what was tried before a result or an answer came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holter.analysis.explain.document import Document
from holter.formats.holter_journal import NAME


class Attempts(msgspec.Struct, frozen=True):
    """Of one thread."""

    tools: dict[str, list[str]] = {}
    """Id of a call -> the errors of the attempts at it that were followed by another."""
    models: dict[int, list[str]] = {}
    """Position of an answer -> the errors of the attempts before it."""
    cached: frozenset[str] = frozenset()
    """Ids of the calls whose results came from a cache."""


NO_ATTEMPTS = Attempts()


def attempts(document: Document) -> Attempts:
    """The attempts of a thread that was read from lines of a journal; none of any other document."""
    if document.conversation.format != NAME:
        return NO_ATTEMPTS
    tools: dict[str, list[str]] = {}
    models: dict[int, list[str]] = {}
    cached: set[str] = set()
    waiting: list[str] = []
    for value, messages in zip(document.values, document.messages, strict=True):
        event: Any = value.get("event") if isinstance(value, Mapping) else None
        match event:
            case {"kind": "tool_failed", "call_id": str(call), "wait_s": int() | float()}:
                tools.setdefault(call, []).append(_error(event))
            case {"kind": "cache_hit", "call_id": str(call)}:
                cached.add(call)
            case {"kind": "model_failed"}:
                waiting.append(_error(event))
            case {"kind": "message", "message": {"type": "ai"}} if waiting and messages.at:
                models[next(iter(messages.at.values()))] = waiting
                waiting = []
    return Attempts(tools, models, frozenset(cached))


def _error(event: Mapping[str, Any]) -> str:
    return str(event.get("error") or "?")
