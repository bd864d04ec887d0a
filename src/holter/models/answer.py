"""One answer of a script, in whatever form it is easiest to write down."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from holter.formats.openai_list import ListReading
from holter.formats.openai_message import read_call
from holter.messages import AIMessage, AIMessageChunk, Place
from holter.messages.calls import split_calls, tool_call
from holter.messages.message import EMPTY
from holter.messages.usage import UsageMetadata
from holter.models.delta import PieceSize, check_size

Says: TypeAlias = (
    AIMessage
    | str
    | Mapping[str, Any]
    | Sequence[Mapping[str, Any]]
    | Iterable[AIMessageChunk]
    | AsyncIterable[AIMessageChunk]
    | BaseException
)
"""A message; its text; OpenAI's dict of one (`content`, `tool_calls`, `finish_reason`), or a call alone; a list of calls, each with
`name` and `args`, the `id` where it matters; chunks, played as they are; an exception, raised."""


class _Says(msgspec.Struct, frozen=True):
    says: Says


class Answer(_Says, frozen=True, kw_only=True):
    """An answer and how it comes. What is None is as the model has it."""

    delay_s: float | None = None
    """How long the model thinks before it says anything, in seconds."""
    usage: UsageMetadata | None = None
    chunk: PieceSize | None = None
    """How much text a delta holds, when it is streamed."""
    finish_reason: str | None = None
    cut_after: int | None = None
    """After so many deltas the stream dies (`StreamCut`); a shorter one comes to its end."""


Played: TypeAlias = AIMessage | Iterable[AIMessageChunk] | AsyncIterable[AIMessageChunk] | BaseException
"""What every form of an answer is brought to."""


def read_answer(given: Says | Answer, at: int, model: str) -> Answer:
    """The answer with `says` as `Played`. `at` is its position in the script, from which a call without an id gets one; `model` is named
    in messages that are made here. TypeError or ValueError, when it is none, says why."""
    answer = given if isinstance(given, Answer) else Answer(given)
    if answer.chunk is not None:
        check_size(answer.chunk)
    if answer.cut_after is not None and answer.cut_after < 0:
        raise ValueError(f"cut_after is a number of chunks, found {answer.cut_after!r}")
    says = _read(answer.says, at, model)
    if isinstance(says, AIMessage):
        return replace(answer, says=_with_account(says, answer))
    if isinstance(says, list) and (answer.usage or answer.finish_reason):
        says = [*says, account(answer)]
    return replace(answer, says=says)


def account(answer: Answer) -> AIMessageChunk:
    """The delta that ends a stream of chunks: why it ended, and what it cost."""
    reason = {"finish_reason": answer.finish_reason} if answer.finish_reason else {}
    return AIMessageChunk(usage_metadata=answer.usage, response_metadata=reason)


def _with_account(message: AIMessage, answer: Answer) -> AIMessage:
    if answer.usage is not None:
        message = message.replace(usage_metadata=answer.usage)
    if answer.finish_reason is not None:
        message = message.replace(response_metadata={**message.response_metadata, "finish_reason": answer.finish_reason})
    return message


def _read(says: Any, at: int, model: str) -> Played:
    match says:
        case AIMessage() | BaseException():
            return says
        case str():
            return AIMessage(says, response_metadata=_ended("stop", model))
        case AIMessageChunk():
            return [says]
        case Mapping():
            return _of_dict(dict(says), at, model)
        case list() | tuple() if all(isinstance(item, AIMessageChunk) for item in says):
            return list(says)
        case list() | tuple() if all(isinstance(item, Mapping) for item in says):
            return _of_calls(says, at, model)
        case Iterator() | AsyncIterable():
            return says
    raise TypeError(
        f"answer {at} of the script is no message, text, dict of a message, list of calls, chunks or exception: {says!r}"
        + (" (did the function forget to return it?)" if says is None else "")
    )


def _of_dict(body: dict[str, Any], at: int, model: str) -> AIMessage:
    if "name" in body and ("args" in body or "arguments" in body):
        return _of_calls([body], at, model)
    if body.get("role", "assistant") != "assistant" or body.keys().isdisjoint(_BODIES):
        raise ValueError(f"answer {at} of the script is a dict without `content` or `tool_calls`, or not of the assistant: {body!r}")
    called = _of_calls(body.pop("tool_calls", None) or [], at, model)
    read = ListReading(Place()).message({**body, "role": "assistant"}, Place(), at)
    assert isinstance(read, AIMessage)
    if not called.calls:
        called = called.replace(response_metadata=_ended("stop", model))
    return read.replace(
        tool_calls=called.tool_calls,
        invalid_tool_calls=called.invalid_tool_calls,
        response_metadata=called.response_metadata | read.response_metadata,
        extra={key: value for key, value in read.extra.items() if key != "content"} or EMPTY,
    )


_BODIES = frozenset({"content", "tool_calls", "reasoning_content", "refusal"})


def _of_calls(given: Sequence[Mapping[str, Any]], at: int, model: str) -> AIMessage:
    """A message of these calls, each with an id that no other call of the script has."""
    calls = [_read_call(dict(call), position) for position, call in enumerate(given)]
    named = [{**call, "id": call["id"] or f"call_{at}_{position}"} for position, call in enumerate(calls)]
    valid, invalid = split_calls(named)
    return AIMessage(tool_calls=valid, invalid_tool_calls=invalid, response_metadata=_ended("tool_calls", model))


def _read_call(call: dict[str, Any], position: int) -> dict[str, Any]:
    """A call as OpenAI's wire has it, or with its name and arguments side by side."""
    if "function" in call or "custom" in call:
        return read_call(call, position)
    return tool_call(call.get("name"), call.get("args", call.get("arguments")), call.get("id"), position, call.get("extras"))


def _ended(reason: str, model: str) -> dict[str, Any]:
    return {"model_name": model, "finish_reason": reason}
