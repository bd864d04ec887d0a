"""Which tables there are, and the rows that a conversation gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from holter.analysis.failure import is_failure
from holter.analysis.stats.step import NO_TIMES, Times, steps
from holter.messages import AIMessage, CallRef, Conversation, Message, Pairing, ToolMessage


class Column(msgspec.Struct, frozen=True):
    """One column."""

    name: str
    type: str
    """DuckDB's name of it."""
    means: str


_KEY = [
    Column("source", "VARCHAR", "the file"),
    Column("conversation", "BIGINT", "position of the conversation in its file, from 0"),
]

TABLES: dict[str, list[Column]] = {
    "conversations": [
        *_KEY,
        Column("format", "VARCHAR", "the format's name"),
        Column("messages", "BIGINT", "how many messages"),
        Column("steps", "BIGINT", "how many answers of the model"),
        Column("calls", "BIGINT", "how many calls"),
        Column("findings", "BIGINT", "what was found while reading"),
        Column("begun", "TIMESTAMP", "time of the first message, UTC"),
        Column("thread", "VARCHAR", "the thread of a journal"),
        Column("extra", "JSON", "what else the record holds"),
    ],
    "messages": [
        *_KEY,
        Column("message", "BIGINT", "position in the conversation, from 0"),
        Column("type", "VARCHAR", "system, human, ai or tool"),
        Column("name", "VARCHAR", "who speaks, or the tool"),
        Column("text", "VARCHAR", "what is said"),
        Column("reasoning", "VARCHAR", "the model's reasoning"),
        Column("model", "VARCHAR", "the model that answered"),
        Column("finish_reason", "VARCHAR", "why it stopped"),
        Column("id", "VARCHAR", "the message's id"),
        Column("ts", "TIMESTAMP", "when it was made, UTC"),
    ],
    "calls": [
        *_KEY,
        Column("message", "BIGINT", "position of the message that asks for it"),
        Column("call", "BIGINT", "place among that message's calls, from 0"),
        Column("id", "VARCHAR", "the call's id"),
        Column("tool", "VARCHAR", "the tool"),
        Column("args", "JSON", "the arguments; text where they are no object"),
        Column("valid", "BOOLEAN", "whether the arguments are one JSON object"),
        Column("result", "BIGINT", "position of its result; null while there is none"),
    ],
    "results": [
        *_KEY,
        Column("message", "BIGINT", "position of the result"),
        Column("call_message", "BIGINT", "position of the message that asked for it; null when nothing did"),
        Column("call", "BIGINT", "place among that message's calls"),
        Column("tool", "VARCHAR", "the tool"),
        Column("text", "VARCHAR", "what it returned"),
        Column("failed", "BOOLEAN", "whether it says that the call failed"),
        Column("took_s", "DOUBLE", "seconds from call to result"),
    ],
    "usage": [
        *_KEY,
        Column("message", "BIGINT", "position of the answer"),
        Column("step", "BIGINT", "which answer of the conversation, from 0"),
        Column("model", "VARCHAR", "the model"),
        Column("input_tokens", "BIGINT", "all that went in"),
        Column("cached_tokens", "BIGINT", "of those from the cache"),
        Column("output_tokens", "BIGINT", "all that came out"),
        Column("reasoning_tokens", "BIGINT", "of those reasoning"),
        Column("total_tokens", "BIGINT", "in and out"),
        Column("cost_usd", "DOUBLE", "US dollars; null where no price is known"),
        Column("took_s", "DOUBLE", "seconds the answer took"),
    ],
}


def rows(conversation: Conversation, times: Times = NO_TIMES, *, priced: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """(table, row) of everything in a conversation."""
    key = {"source": conversation.source, "conversation": conversation.position}
    pairing = Pairing(conversation.messages)
    messages = conversation.messages
    yield (
        "conversations",
        {
            **key,
            "format": conversation.format,
            "messages": len(messages),
            "steps": sum(isinstance(message, AIMessage) for message in messages),
            "calls": len(pairing.calls),
            "findings": len(conversation.findings),
            "begun": _time(next((message for message in messages if message.ts), None)),
            "thread": conversation.extra.get("thread"),
            "extra": conversation.extra,
        },
    )
    for at, message in enumerate(messages):
        yield "messages", {**key, "message": at, **_message(message)}
        if isinstance(message, ToolMessage):
            yield "results", {**key, "message": at, **_result(at, message, pairing, messages, times)}
    for ref in pairing.calls:
        yield "calls", {**key, **_call(ref)}
    for step in steps(conversation, times, priced=priced):
        if step.has_usage:
            counts = {name: getattr(step, name) for name in _COUNTS}
            yield "usage", {**key, "message": step.message, "step": step.number, "model": step.model, **counts}


_COUNTS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "total_tokens", "cost_usd", "took_s")


def _message(message: Message) -> dict[str, Any]:
    answer = message if isinstance(message, AIMessage) else None
    return {
        "type": message.type,
        "name": message.name,
        "text": message.text,
        "reasoning": (answer.reasoning_text or None) if answer else None,
        "model": answer.model if answer else None,
        "finish_reason": answer.finish_reason if answer else None,
        "id": message.id,
        "ts": _time(message),
    }


def _call(ref: CallRef) -> dict[str, Any]:
    return {
        "message": ref.message,
        "call": ref.position,
        "id": _text(ref.call.get("id")),
        "tool": _text(ref.call.get("name")),
        "args": ref.call.get("args"),
        "valid": ref.call.get("type") != "invalid_tool_call",
        "result": ref.result,
    }


def _result(at: int, message: ToolMessage, pairing: Pairing, messages: list[Message], times: Times) -> dict[str, Any]:
    ref = pairing.answered.get(at)
    took = times.tool_s.get(at)
    asked = messages[ref.message].ts if ref is not None else None
    if took is None and asked is not None and message.ts is not None:
        took = max((message.ts - asked).total_seconds(), 0.0)
    return {
        "call_message": ref.message if ref is not None else None,
        "call": ref.position if ref is not None else None,
        "tool": _text(ref.call.get("name")) if ref is not None else message.name,
        "text": message.text,
        "failed": is_failure(message),
        "took_s": took,
    }


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) or value is None else repr(value)


def _time(message: Message | None) -> str | None:
    return message.ts.strftime("%Y-%m-%d %H:%M:%S.%f") if message is not None and message.ts is not None else None
