"""One answer of a model with the calls it asked for, in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from holter.analysis.failure import is_failure
from holter.analysis.latency import took_s
from holter.messages import AIMessage, Conversation, Message, ToolMessage
from holter.models.cost import cost_of_many


class CallMade(msgspec.Struct, frozen=True, gc=False):
    """One call."""

    tool: str
    is_repeated: bool
    """Whether the conversation holds an earlier call of the same tool with the same arguments."""
    answered: bool = False
    failed: bool = False
    characters: int = 0
    """Length of its result's text."""
    took_s: float | None = None


class Step(msgspec.Struct, frozen=True):
    """One answer."""

    source: str | None
    conversation: int
    message: int
    """Position of the AI message."""
    number: int
    """Which step of its conversation, from 0."""
    model: str | None
    day: str | None
    """The day of the answer in UTC, where its time is known."""
    thread: str
    """The thread of a journal, or which conversation of which file."""
    has_usage: bool
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    total_tokens: int
    cost_usd: float | None
    took_s: float | None
    characters: int
    """Length of the answer's text."""
    calls: list[CallMade]


class Times(msgspec.Struct, frozen=True):
    """How long answers and calls took, where something better is known than the messages' own times."""

    model_s: dict[int, float] = {}
    tool_s: dict[int, float] = {}


NO_TIMES = Times()
_encode = msgspec.json.Encoder(order="deterministic").encode


def steps(conversation: Conversation, times: Times = NO_TIMES, *, priced: bool = False, start: int = 0) -> Iterator[Step]:
    """The steps of a conversation, in order; those before the message at `start` are left out."""
    messages = conversation.messages
    results = _results(messages)
    seen: set[tuple[Any, Any]] = set()
    thread = str(conversation.extra.get("thread") or f"{conversation.source or '-'}#{conversation.position}")
    number = 0
    for at, message in enumerate(messages):
        if message.__class__ is not AIMessage:
            continue
        if at >= start:
            yield _step(conversation, at, number, message, thread, _calls(message, at, results, seen, times), times, priced)
        else:
            seen.update(map(_key, message.tool_calls))
        number += 1


def _step(
    conversation: Conversation,
    at: int,
    number: int,
    message: AIMessage,
    thread: str,
    calls: list[CallMade],
    times: Times,
    priced: bool,
) -> Step:
    usage = message.usage_metadata or {}
    details_in, details_out = usage.get("input_token_details") or {}, usage.get("output_token_details") or {}
    model = message.model
    return Step(
        conversation.source,
        conversation.position,
        at,
        number,
        model,
        message.ts.date().isoformat() if message.ts is not None else None,
        thread,
        bool(usage),
        _count(usage.get("input_tokens")),
        _count(details_in.get("cache_read")),
        _count(usage.get("output_tokens")),
        _count(details_out.get("reasoning")),
        _count(usage.get("total_tokens")),
        cost_of_many(model, usage) if priced and usage else None,
        times.model_s[at] if at in times.model_s else took_s(conversation.messages, at),
        len(message.text) if message.content else 0,
        calls,
    )


def _results(messages: list[Message]) -> dict[Any, list[tuple[int, ToolMessage]]]:
    """Call id -> its results, the last one first, so that they are taken in order."""
    found: dict[Any, list[tuple[int, ToolMessage]]] = {}
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message.__class__ is ToolMessage:
            found.setdefault(message.tool_call_id or message.name, []).append((at, message))
    return found


def _calls(
    message: AIMessage, at: int, results: dict[Any, list[tuple[int, ToolMessage]]], seen: set[tuple[Any, Any]], times: Times
) -> list[CallMade]:
    made = []
    for call in message.calls if message.invalid_tool_calls else message.tool_calls:
        key = _key(call)
        is_repeated = key in seen
        seen.add(key)
        waiting = results.get(call.get("id") or call.get("name"))
        while waiting and waiting[-1][0] < at:
            waiting.pop()
        name = str(call.get("name") or "?")
        if not waiting:
            made.append(CallMade(name, is_repeated))
            continue
        position, result = waiting.pop()
        took = times.tool_s.get(position)
        if took is None and result.ts is not None and message.ts is not None:
            took = max((result.ts - message.ts).total_seconds(), 0.0)
        made.append(CallMade(name, is_repeated, True, is_failure(result), len(result.text), took))
    return made


def _key(call: dict[str, Any]) -> tuple[Any, Any]:
    args = call.get("args")
    try:
        return call.get("name"), _encode(args)
    except (TypeError, ValueError, msgspec.MsgspecError):
        return call.get("name"), repr(args)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
