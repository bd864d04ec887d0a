"""Streamed answers of OpenAI chat completions and of what copies them.

Source: OpenAI API reference, chat completion chunks, seen 2026-11; and what Azure, DeepSeek, Alibaba, Groq, xAI, Mistral, Moonshot,
OpenRouter, vLLM and Gemini's OpenAI endpoint make of them.

Shape:  events `{"object": "chat.completion.chunk", "id": …, "choices": [{"index": 0, "delta": {…}, "finish_reason": null}]}`. A call's
        deltas are keyed by their `index`; its id and name stand in the first. The usage comes last, in an event without choices; with
        some providers under `x_groq`, in the choice, or in every event as a running total. An `{"error": {…}}` ends the stream.
Lost:   how the text was cut into deltas; `obfuscation`, which is padding; a `message` beside a delta, which repeats what has come.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from holter.formats.finding import Unknowns, input_cut, unknown_kept
from holter.formats.form import StreamForm, inside
from holter.formats.openai_blocks import read_content
from holter.formats.openai_message import OWN_EXTRA, read_usage, response_metadata
from holter.formats.stream_note import StreamNotes
from holter.messages import AIMessage, AIMessageChunk, ChunkMerger, Conversation, Finding, Place
from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content, text_block
from holter.messages.message import EMPTY

NAME = "openai.stream"


# Recognising


def sniff(value: Any) -> bool:
    """A chunk; by its `object` or its deltas, or without choices by the usage or the prompt's filter results."""
    if not isinstance(value, dict):
        return False
    if value.get("object") == "chat.completion.chunk":
        return True
    choices = value.get("choices")
    if not isinstance(choices, list):
        return False
    if not choices:
        return isinstance(value.get("usage"), dict) or "prompt_filter_results" in value
    return isinstance(choices[0], dict) and isinstance(choices[0].get("delta"), dict)


def key(event: dict[str, Any]) -> str | None:
    """The id that all chunks of a stream share; None where there is none."""
    own_id = event.get("id")
    return own_id if own_id and isinstance(own_id, str) else None


# Reading one chunk


def chunk(event: dict[str, Any]) -> AIMessageChunk:
    """What one event adds to the answer: its first choice's delta, and its account of the answer."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return _chunk(event, choice if isinstance(choice, dict) else {})


def _chunk(event: dict[str, Any], choice: dict[str, Any]) -> AIMessageChunk:
    delta = choice.get("delta")
    metadata = _metadata(event, choice)
    counted = read_usage(event.get("usage") or choice.get("usage") or _groq_usage(event))
    if not isinstance(delta, dict):
        return AIMessageChunk(usage_metadata=counted, response_metadata=metadata)
    reasoning, extra = _rest(delta)
    name = delta.get("name")
    return AIMessageChunk(
        _content(delta.get("content")),
        reasoning=reasoning,
        tool_call_chunks=_calls(delta),
        usage_metadata=counted,
        response_metadata=metadata,
        additional_kwargs=EMPTY if delta.keys() <= _COMMON else {key: delta[key] for key in _BESIDE if delta.get(key)} or EMPTY,
        extra=extra,
        name=name if isinstance(name, str) else None,
    )


_COMMON = frozenset({"role", "content", "reasoning_content", "tool_calls"})
_BESIDE = ("refusal", "annotations", "audio")
_DELTA = _COMMON | {"name", "function_call", "reasoning", *_BESIDE}
"""Fields of a delta that are read; any other is kept in `extra`."""


def _metadata(event: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    """The event's own fields under the names of a whole response; a finish reason only where there is one."""
    beside = {name: value for name, value in choice.items() if name not in _NOT_BESIDE and value}
    metadata = response_metadata(event, beside)
    metadata.pop("obfuscation", None)
    metadata.pop("error", None)
    return metadata


_NOT_BESIDE = frozenset({"index", "delta", "message", "usage"})


def _groq_usage(event: dict[str, Any]) -> Any:
    own = event.get("x_groq")
    return own.get("usage") if isinstance(own, dict) else None


def _content(content: Any) -> Content:
    """The content in standard blocks, which keep the index that joins them to earlier ones."""
    if content.__class__ is not list and content.__class__ is not dict:
        return read_content(content)
    return [_block(block) for block in _listed(content)]


def _listed(value: list[Any] | dict[str, Any]) -> list[Any]:
    """The items of a list, without nulls; a single object as the only item."""
    return [value] if isinstance(value, dict) else [item for item in value if item is not None]


def _block(block: Any) -> Block:
    if not isinstance(block, dict):
        return text_block(as_json_text(block))
    blocks = read_content({key: value for key, value in block.items() if key != "index"})
    assert isinstance(blocks, list)
    return {**blocks[0], "index": block["index"]} if "index" in block else blocks[0]


def _rest(delta: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """(reasoning, what is kept in `extra`). vLLM sends the reasoning under both of its names."""
    reasoning, made = delta.get("reasoning_content"), delta.get("tool_calls")
    is_reasoning, is_made = reasoning is None or isinstance(reasoning, str), made is None or isinstance(made, list | dict)
    if is_reasoning and is_made and delta.keys() <= _COMMON:
        return reasoning, EMPTY
    extra = {key: value for key, value in delta.items() if key not in _DELTA and value is not None}
    if not is_made:
        extra["tool_calls"] = made
    if not is_reasoning:
        extra["reasoning_content"], reasoning = reasoning, None
    other = delta.get("reasoning")
    if reasoning is None and isinstance(other, str):
        return other, {**extra, "reasoning_field": "reasoning"}
    if other is not None and other != reasoning:
        extra["reasoning"] = other
    return reasoning, extra or EMPTY


def _calls(delta: dict[str, Any]) -> list[dict[str, Any]]:
    made = delta.get("tool_calls")
    chunks = [_call(call) for call in _listed(made)] if isinstance(made, list | dict) else []
    legacy = delta.get("function_call")
    if isinstance(legacy, dict):
        extras = {"type": "function_call"}
        chunks.append({"index": "function_call", "name": legacy.get("name"), "args": _arguments(legacy.get("arguments")), "extras": extras})
    return chunks


def _call(call: Any) -> dict[str, Any]:
    """One delta of a call; `index` is None where the provider left it out."""
    if not isinstance(call, dict):
        return {"index": None, "args": as_json_text(call)}
    function, custom = call.get("function"), call.get("custom")
    body, field = (custom, "input") if isinstance(custom, dict) else (function if isinstance(function, dict) else call, "arguments")
    index = call.get("index")
    made = {
        "index": index if isinstance(index, int | str) else None,
        "id": call.get("id"),
        "name": body.get("name"),
        "args": _arguments(body.get(field)),
    }
    extras = _call_extras(call, body if body is function else {})
    return {**made, "extras": extras} if extras else made


def _call_extras(call: dict[str, Any], function: dict[str, Any]) -> dict[str, Any]:
    """What a delta says besides, as a whole call's "extras" hold it."""
    extras = {key: value for key, value in call.items() if key not in _CALL}
    if call.get("type") not in (None, "", "function"):
        extras["type"] = call["type"]
    rest = {key: value for key, value in function.items() if key not in _FUNCTION}
    return {**extras, "function": rest} if rest else extras


_CALL = frozenset({"index", "id", "type", "function", "custom", "name", "arguments"})
_FUNCTION = frozenset({"name", "arguments"})


def _arguments(value: Any) -> str | None:
    return None if value is None else as_json_text(value)


# Reading a stream


class Reader:
    """Puts one answer together. The message is the first choice; further ones are kept in the conversation's `extra`."""

    def __init__(self) -> None:
        self._choices: dict[int, ChunkMerger] = {}
        self._first = Place()
        self._last = Place()
        self._count = 0
        self._finished = False
        self._error: Any = None
        self._unknown = Unknowns()
        self._notes = StreamNotes()

    def add(self, event: dict[str, Any], place: Place) -> bool:
        """Takes in the next event; True when it was the last one: an error, or the usage that follows the finish reason."""
        self._last = place
        if self._count == 0:
            self._first = place
        self._count += 1
        given = event.get("choices")
        choices = [(at, choice) for at, choice in enumerate(given) if isinstance(choice, dict)] if isinstance(given, list) else []
        for at, choice in choices:
            self._take(event, choice, at)
        self._error = event.get("error") or (event if event.get("object") == "error" else None) or self._error
        if not choices and self._error is None:
            self._merger(min(self._choices, default=0)).add(_chunk(event, {}))
        return self._error is not None or (self._finished and not choices and isinstance(event.get("usage"), dict))

    def finish(self) -> Conversation:
        """What came. Without a finish reason it carries a READ01, and further choices a READ06."""
        messages = {index: self._choices[index].message() for index in sorted(self._choices)} or {0: AIMessage()}
        first, *others = messages
        extra: dict[str, Any] = {} if self._error is None else {"error": self._error}
        findings = [*self._notes.findings, *self._cut(), *self._unknown.findings()]
        if others:
            extra["choices"] = [{"index": index, "message": msgspec.to_builtins(messages[index])} for index in others]
            text = f"the stream holds {len(messages)} choices; the first is the message, the others were kept in `extra`"
            findings.append(unknown_kept(text, inside(self._first, "choices"), 0))
        return Conversation(
            format=NAME,
            messages=[messages[first]],
            places=[replace(self._first, index=0)],
            findings=findings,
            place=self._first,
            extra=extra,
        )

    def _take(self, event: dict[str, Any], choice: dict[str, Any], at: int) -> None:
        index = choice.get("index")
        added = _chunk(event, choice)
        self._merger(index if isinstance(index, int) else 0).add(added)
        if not index:
            self._notes.add(choice.get("delta"), inside(self._last, "choices", at, "delta", index=self._count - 1))
        if choice.get("finish_reason"):
            self._finished = True
        for name in added.extra:
            if name not in OWN_EXTRA:
                self._unknown.add(f"field {name!r}", inside(self._last, "choices", at, "delta", name, index=self._count - 1), 0)

    def _merger(self, index: int) -> ChunkMerger:
        merger = self._choices.get(index)
        if merger is None:
            merger = self._choices[index] = ChunkMerger()
        return merger

    def _cut(self) -> list[Finding]:
        at = replace(self._last, index=max(self._count - 1, 0))
        after = f"after {self._count} chunk{'' if self._count == 1 else 's'}"
        if self._error is not None:
            return [input_cut(f"the stream ends with an error {after}: {as_json_text(self._error)}", at, 0)]
        if self._finished:
            return []
        hint = "what came may be cut; a call that looks whole may not be the last one"
        return [input_cut(f"the stream ends without a finish_reason {after}", at, 0, hint)]


STREAM = StreamForm(name=NAME, title="an OpenAI chat stream", sniff=sniff, key=key, starts=lambda _: False, open=Reader)
