"""The deltas of an Anthropic stream that merge into the message which the same answer gives in one piece.

`anthropic_stream.chunk` says what one event shows; here the events are seen in their order, and nothing of the answer is lost: inputs of
hosted tools, citations, where calls stood among text, a call without arguments. Blocks that are no text come whole, when they end.
"""

from __future__ import annotations

from typing import Any

from holter.formats.anthropic_blocks import read_block
from holter.formats.anthropic_messages import read_usage
from holter.formats.anthropic_stream import Growing
from holter.formats.wire import without_nulls
from holter.messages import AIMessageChunk
from holter.messages.calls import as_json_text
from holter.messages.content import Block
from holter.messages.message import EMPTY

_LIVE = {"text": "text", "thinking": "reasoning"}
"""Kinds of block that are shown while they grow, and the field that grows in their standard form."""

_TEXTS = {"text_delta": ("text", "text"), "thinking_delta": ("reasoning", "thinking"), "signature_delta": ("reasoning", "signature")}
"""Deltas of text: the type of their block, and the field that they lengthen."""


class Deltas:
    """Takes the events of one answer in their order."""

    def __init__(self) -> None:
        self._open: dict[int, str | Growing] = {}
        """The kind of a block that is shown while it grows, or what has come of another one."""
        self._plain: int | None = None
        """The block that is the answer's only text so far, and comes as text."""
        self._is_first = True
        self._calls: list[Any] = []
        """The ids of the calls that have begun."""
        self._marked = 0
        """How many of them have a mark among the blocks."""
        self._has_arguments: set[int] = set()
        self._usage: dict[str, Any] = {}

    def take(self, event: dict[str, Any]) -> AIMessageChunk | None:
        """What the event adds; None when it adds nothing."""
        match event:
            case {"type": "message_start", "message": dict(message)}:
                return self._account(message, message.get("usage"), {})
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                return self._begin(block, index)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                return self._lengthen(delta, index)
            case {"type": "content_block_stop", "index": int(index)}:
                return self._end(index)
            case {"type": "message_delta", "delta": dict(delta)}:
                beside = {key: item for key, item in event.items() if key not in ("type", "delta", "usage")}
                return self._account(delta, event.get("usage"), beside)
            case _:
                return None

    def _account(self, said: dict[str, Any], usage: Any, beside: dict[str, Any]) -> AIMessageChunk:
        metadata = {"model_name" if key == "model" else key: item for key, item in without_nulls({**said, **beside}).items()}
        for key in ("content", "type", "role", "usage"):
            metadata.pop(key, None)
        if isinstance(usage, dict):
            self._usage |= without_nulls(usage)
            metadata["usage"] = dict(self._usage)
        own_id = said.get("id")
        return AIMessageChunk(
            self._marks() if self._marked else "",
            id=own_id if isinstance(own_id, str) else None,
            usage_metadata=read_usage(self._usage or None),
            response_metadata=metadata or EMPTY,
        )

    def _begin(self, block: Block, index: int) -> AIMessageChunk | None:
        kind = block.get("type")
        is_first, self._is_first = self._is_first, False
        if kind == "tool_use":
            return self._begin_call(block, index)
        if kind == "text" and is_first and without_nulls(block).keys() == {"type", "text"}:
            self._plain = index
            self._open[index] = "text"
            return AIMessageChunk(block["text"]) if block["text"] else None
        if kind not in _LIVE or kind not in block:
            self._open[index] = Growing(block)
            return None
        self._open[index] = str(kind)
        return AIMessageChunk([*self._marks(), {**read_block(block), "index": index}])

    def _begin_call(self, block: Block, index: int) -> AIMessageChunk:
        extras = {key: item for key, item in without_nulls(block).items() if key not in ("type", "id", "name", "input")}
        call = {"index": index, "id": block.get("id"), "name": block.get("name"), **({"extras": extras} if extras else {})}
        self._open[index] = "call"
        self._calls.append(block.get("id"))
        if block.get("input"):
            call["args"] = as_json_text(block["input"])
            self._has_arguments.add(index)
        return AIMessageChunk(tool_call_chunks=[call])

    def _marks(self) -> list[Block]:
        """A mark for each call that stands before a block, so that it is known where."""
        unmarked = range(self._marked, len(self._calls))
        self._marked = len(self._calls)
        return [{"type": "tool_call", "id": self._calls[position], "position": position} for position in unmarked]

    def _lengthen(self, delta: dict[str, Any], index: int) -> AIMessageChunk | None:
        opened = self._open.get(index)
        if isinstance(opened, Growing):
            if not opened.take(delta):
                opened.keep(delta)
            return None
        match delta:
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                if not piece:
                    return None
                self._has_arguments.add(index)
                return AIMessageChunk(tool_call_chunks=[{"index": index, "args": piece}])
            case {"type": "citations_delta", "citation": citation}:
                return self._block({"type": "text", "extras": {"citations": [citation]}}, index)
            case {"type": "text_delta", "text": str(text)} if index == self._plain:
                return AIMessageChunk(text)
            case {"type": str(kind)} if kind in _TEXTS and isinstance(delta.get(_TEXTS[kind][1]), str):
                block_kind, field = _TEXTS[kind]
                grown = {"extras": {field: delta[field]}} if field == "signature" else {block_kind: delta[field]}
                return self._block({"type": block_kind, **grown}, index)
            case _:
                return self._block({"type": _LIVE.get(str(opened), "text"), "extras": {"deltas": [delta]}}, index)

    def _block(self, block: Block, index: int) -> AIMessageChunk:
        if index == self._plain:
            self._plain = None
        return AIMessageChunk([{**block, "index": index}])

    def _end(self, index: int) -> AIMessageChunk | None:
        opened = self._open.pop(index, None)
        if isinstance(opened, Growing):
            return AIMessageChunk([*self._marks(), {**read_block(opened.value()), "index": index}])
        if opened == "call" and index not in self._has_arguments:
            return AIMessageChunk(tool_call_chunks=[{"index": index, "args": "{}"}])
        return None
