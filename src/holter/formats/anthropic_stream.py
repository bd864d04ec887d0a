"""Streamed answers of the Anthropic Messages API.

Source: Anthropic API reference, streaming messages (anthropic-version 2023-06-01), seen 2026-11.

Shape:  `message_start` with an empty message; for each block `content_block_start`, deltas keyed by its index, `content_block_stop`;
        `message_delta` with the stop reason and the final usage; `message_stop`. `ping` may come anywhere, `error` ends the stream.
Lost:   how the text was cut into deltas.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from holter.errors import UnreadFormat
from holter.formats import anthropic_messages
from holter.formats.anthropic_blocks import read_block
from holter.formats.finding import Unknowns, input_cut
from holter.formats.form import StreamForm, inside
from holter.formats.wire import without_nulls
from holter.messages import AIMessageChunk, Conversation, Finding, Place
from holter.messages.calls import as_json_text, decode_arguments
from holter.messages.content import Block
from holter.messages.message import EMPTY

NAME = "anthropic.stream"

_KINDS = frozenset({"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"})

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature", "compaction_delta": "content"}
"""Deltas that lengthen a field of their block: the delta and the block call it the same."""


def sniff(value: Any) -> bool:
    """An event; a bare `ping`; an error in the form that the stream gives it."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return False
    if kind == "error":
        error = value.get("error")
        return isinstance(error, dict) and "type" in error and "sequence_number" not in value
    return kind in _KINDS or (kind == "ping" and len(value) == 1)


def starts(event: dict[str, Any]) -> bool:
    """Whether the event opens an answer."""
    return event.get("type") == "message_start"


class Reader:
    """Puts one answer together: first the response body that the events tell of, then the message in it."""

    def __init__(self) -> None:
        self._body: dict[str, Any] = {}
        self._blocks: dict[Any, Growing] = {}
        self._error: Any = None
        self._came = False
        self._ended = False
        self._unknown = Unknowns()
        self._first: Place | None = None
        self._last = Place()

    def add(self, event: dict[str, Any], place: Place) -> bool:
        """Takes in the next event; True when it was the last one."""
        self._first, self._last = self._first or place, place
        kind = event.get("type")
        self._came = self._came or kind not in ("ping", "error")
        if kind == "message_start":
            message = event.get("message")
            self._body = dict(message) if isinstance(message, dict) else {}
        elif kind == "content_block_start":
            self._blocks[as_json_text(event.get("index"))] = Growing(event.get("content_block"))
        elif kind == "content_block_delta":
            self._delta(event, place)
        elif kind == "message_delta":
            self._update(event)
        elif kind == "error":
            self._error = event.get("error")
        self._ended = self._ended or kind == "message_stop"
        return self._ended or self._error is not None

    def finish(self) -> Conversation:
        """What came. Raises UnreadFormat when that is an error alone."""
        if self._error is not None and not self._came:
            raise UnreadFormat("an Anthropic error", f"it holds no messages: {as_json_text(self._error)}")
        started = self._body.get("content")
        content = [*(started if isinstance(started, list) else []), *(block.value() for block in self._blocks.values())]
        body = {**self._body, "type": "message", "role": "assistant", "content": content}
        if self._error is not None:
            body["error"] = self._error
        conversation = anthropic_messages.read_answer(body, self._first or Place(), NAME)
        return replace(conversation, findings=[*conversation.findings, *self._unknown.findings(), *self._cut()])

    def _delta(self, event: dict[str, Any], place: Place) -> None:
        delta = event.get("delta")
        block = self._blocks.setdefault(as_json_text(event.get("index")), Growing(None))
        if not isinstance(delta, dict) or not block.take(delta):
            block.keep(delta)
            self._unknown.add(f"delta {delta.get('type') if isinstance(delta, dict) else delta!r}", inside(place, "delta"), 0)

    def _update(self, event: dict[str, Any]) -> None:
        delta, said = event.get("delta"), event.get("usage")
        beside = {key: item for key, item in event.items() if key not in ("type", "delta", "usage")}
        self._body |= beside | (delta if isinstance(delta, dict) else {})
        if isinstance(said, dict):
            before = self._body.get("usage")
            self._body["usage"] = {**(before if isinstance(before, dict) else {}), **without_nulls(said)}

    def _cut(self) -> Iterator[Finding]:
        if self._error is not None:
            yield input_cut(f"the stream ended with an error: {as_json_text(self._error)}", self._last, 0)
        elif not self._ended:
            yield input_cut("the stream ends before its message_stop", self._last, 0)


class Growing:
    """A content block that is being put together."""

    def __init__(self, start: Any) -> None:
        self._fields: dict[str, Any] = dict(start) if isinstance(start, dict) else {}
        self._texts: dict[str, list[str]] = {}
        self._json: list[str] = []
        self._kept: list[Any] = []

    def take(self, delta: dict[str, Any]) -> bool:
        """Takes in a delta; False when it is of no known kind."""
        match delta:
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                self._json.append(piece)
            case {"type": "citations_delta", "citation": citation}:
                before = self._fields.get("citations")
                self._fields["citations"] = [*(before if isinstance(before, list) else []), citation]
            case {"type": str(kind)} if isinstance(text := delta.get(_TEXTS.get(kind, "")), str):
                self._texts.setdefault(_TEXTS[kind], []).append(text)
            case _:
                return False
        return True

    def keep(self, delta: Any) -> None:
        """Keeps a delta that nobody knows."""
        self._kept.append(delta)

    def value(self) -> Block:
        """The block so far. Arguments that are not whole stay text."""
        block = {**self._fields, **({"deltas": self._kept} if self._kept else {})}
        for field, pieces in self._texts.items():
            start = block.get(field)
            block[field] = (start if isinstance(start, str) else "") + "".join(pieces)
        text = "".join(self._json)
        if text:
            try:
                block["input"] = decode_arguments(text)
            except ValueError:
                block["input"] = text
        return block if "type" in block else {"type": self._guessed_kind(), **block}

    def _guessed_kind(self) -> str:
        """What a block whose start is missing must be."""
        return "tool_use" if self._json else next((field for field in ("text", "thinking") if field in self._texts), "unknown")


# For whoever shows an answer while it comes


def chunk(event: dict[str, Any]) -> AIMessageChunk | None:
    """What the event adds to the answer; None when it adds nothing. Blocks carry their index, and each call leaves its mark among them.

    A call without arguments has none here either: only the `Reader` knows at the end that none came.
    """
    match event:
        case {"type": "message_start", "message": dict(message)}:
            return _account(message, message.get("usage"))
        case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
            return _opened(block, index)
        case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
            return _lengthened(delta, index)
        case {"type": "message_delta", "delta": dict(delta)}:
            return _account(delta, event.get("usage"))
        case _:
            return None


def _account(said: dict[str, Any], usage: Any) -> AIMessageChunk:
    names = {"model": "model_name"}
    metadata = {names.get(key, key): item for key, item in without_nulls(said).items() if key not in ("content", "type", "role", "usage")}
    if isinstance(usage, dict):
        metadata["usage"] = usage
    own_id = said.get("id")
    return AIMessageChunk(
        id=own_id if isinstance(own_id, str) else None,
        usage_metadata=anthropic_messages.read_usage(usage),
        response_metadata=metadata or EMPTY,
    )


def _opened(block: Block, index: int) -> AIMessageChunk:
    if block.get("type") != "tool_use":
        return AIMessageChunk([{**read_block(block), "index": index}])
    extras = {key: item for key, item in without_nulls(block).items() if key not in ("type", "id", "name", "input")}
    args = as_json_text(block["input"]) if block.get("input") else ""
    call = {"index": index, "id": block.get("id"), "name": block.get("name"), "args": args, "extras": extras}
    return AIMessageChunk([{"type": "tool_call", "id": block.get("id"), "index": index}], tool_call_chunks=[call])


def _lengthened(delta: dict[str, Any], index: int) -> AIMessageChunk | None:
    match delta:
        case {"type": "text_delta", "text": str(text)}:
            return AIMessageChunk([{"type": "text", "text": text, "index": index}])
        case {"type": "thinking_delta", "thinking": str(text)}:
            return AIMessageChunk([{"type": "reasoning", "reasoning": text, "index": index}])
        case {"type": "signature_delta", "signature": str(signature)}:
            return AIMessageChunk([{"type": "reasoning", "extras": {"signature": signature}, "index": index}])
        case {"type": "input_json_delta", "partial_json": str(piece)}:
            return AIMessageChunk(tool_call_chunks=[{"index": index, "args": piece}])
        case _:
            return None


STREAM = StreamForm(name=NAME, title="an Anthropic stream", sniff=sniff, key=lambda _: None, starts=starts, open=Reader)
