"""Deltas of a stream, merged into one message, whatever order and shape a provider sends them in."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

import msgspec

from holter.messages.calls import as_json_text, split_calls, tool_call
from holter.messages.content import Block, Content, text_block, text_of
from holter.messages.growing import GrowingList, GrowingObject
from holter.messages.message import EMPTY, AIMessage
from holter.messages.usage import UsageMetadata, count

ToolCallChunk: TypeAlias = dict[str, Any]
"""`{"index": int | str | None, "id": str | None, "name": str | None, "args": str | None}`, any of them missing; "extras" is kept."""


class AIMessageChunk(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One delta of an answer."""

    content: Content = ""
    """More text; or blocks with an "index", whose texts are joined per index."""
    reasoning: str | None = None
    tool_call_chunks: list[ToolCallChunk] = []
    usage_metadata: UsageMetadata | None = None
    """Running totals: of each count the highest holds."""
    response_metadata: dict[str, Any] = msgspec.field(default=EMPTY)
    """The latest value of each field holds; `logprobs` are joined."""
    additional_kwargs: dict[str, Any] = msgspec.field(default=EMPTY)
    extra: dict[str, Any] = msgspec.field(default=EMPTY)
    """What no standard field holds; joined as the values of `additional_kwargs` are."""
    id: str | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The visible text of this delta."""
        return text_of(self.content)

    def __add__(self, later: AIMessageChunk) -> AIMessageChunk:
        """Both as one delta. Costs both: where many come, use `merge_chunks`, which makes their message."""
        if not isinstance(later, AIMessageChunk):
            return NotImplemented
        return AIMessageChunk(
            _both(self.content, later.content),
            reasoning=(self.reasoning or "") + (later.reasoning or "") or None,
            tool_call_chunks=[*self.tool_call_chunks, *later.tool_call_chunks],
            usage_metadata=_highest(self.usage_metadata, later.usage_metadata) if later.usage_metadata else self.usage_metadata,
            response_metadata=_newest(self.response_metadata, later.response_metadata),
            additional_kwargs=_grown(self.additional_kwargs, later.additional_kwargs),
            extra=_grown(self.extra, later.extra),
            id=self.id or later.id,
            name=self.name or later.name,
        )


def _both(one: Content, other: Content) -> Content:
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    return [*_blocks(one), *_blocks(other)]


def _blocks(content: Content) -> list[Block]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return content


def _newest(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Response metadata of which the latest value of each field holds."""
    if not one or not other:
        return one or other
    made = {**one, **{key: value for key, value in other.items() if value is not None or key not in one}}
    logprobs = [said["logprobs"] for said in (one, other) if isinstance(said.get("logprobs"), dict)]
    return {**made, "logprobs": _grown(*logprobs)} if len(logprobs) == 2 else made


def _grown(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two deltas of an object as one."""
    if not one or not other:
        return one or other
    growing = GrowingObject()
    growing.take(one)
    growing.take(other)
    return growing.value()


class ChunkMerger:
    """Puts an answer together from its deltas; `message()` may be asked at any time. Adding costs the delta, not what came before."""

    def __init__(self) -> None:
        self._texts = _Pieces()
        self._reasoning = _Pieces()
        self._blocks: GrowingList | None = None
        self._calls = _Calls()
        self._usage: UsageMetadata | None = None
        self._response_metadata: dict[str, Any] = {}
        self._logprobs = GrowingObject()
        self._additional_kwargs = GrowingObject()
        self._extra = GrowingObject()
        self._id: str | None = None
        self._name: str | None = None

    def add(self, chunk: AIMessageChunk) -> None:
        """Takes in the next delta."""
        content = chunk.content
        if content.__class__ is str and self._blocks is None:
            if content:
                self._texts.add(content)
        elif content:
            self._add_content(content)
        if chunk.reasoning:
            self._reasoning.add(chunk.reasoning)
        for call_chunk in chunk.tool_call_chunks:
            self._calls.take(call_chunk)
        if chunk.usage_metadata:
            self._usage = _highest(self._usage, chunk.usage_metadata)
        if chunk.response_metadata:
            self._add_metadata(chunk.response_metadata)
        if chunk.additional_kwargs:
            self._additional_kwargs.take(chunk.additional_kwargs)
        if chunk.extra:
            self._extra.take(chunk.extra)
        self._id = self._id or chunk.id
        self._name = self._name or chunk.name

    def message(self) -> AIMessage:
        """The message so far. Calls whose arguments are not whole are invalid calls with the reason."""
        calls, invalid = split_calls(self._calls.made())
        logprobs = self._logprobs.value()
        return AIMessage(
            self._content(),
            id=self._id,
            name=self._name,
            reasoning=self._reasoning.text or None,
            tool_calls=calls,
            invalid_tool_calls=invalid,
            usage_metadata=self._usage,
            response_metadata={**self._response_metadata, **({"logprobs": logprobs} if logprobs else {})} or EMPTY,
            additional_kwargs=self._additional_kwargs.value() or EMPTY,
            extra=self._extra.value() or EMPTY,
        )

    def _add_content(self, content: Content) -> None:
        if self._blocks is None:
            if isinstance(content, str):
                self._texts.add(content)
                return
            self._blocks = GrowingList()
            if self._texts:
                self._blocks.add(text_block(self._texts.text))
        for block in [content] if isinstance(content, str) else content:
            self._blocks.add(block if isinstance(block, dict) else text_block(as_json_text(block)))

    def _content(self) -> Content:
        if self._blocks is None:
            return self._texts.text
        return [_without_index(block) for block in self._blocks.value()]

    def _add_metadata(self, metadata: dict[str, Any]) -> None:
        known = self._response_metadata
        for key, value in metadata.items():
            if key == "logprobs" and isinstance(value, dict):
                self._logprobs.take(value)
            elif value is not None or key not in known:
                known[key] = value


def merge_chunks(chunks: list[AIMessageChunk]) -> AIMessage:
    """The message that these deltas make together, in their order."""
    merger = ChunkMerger()
    for chunk in chunks:
        merger.add(chunk)
    return merger.message()


# Calls


class _Calls:
    """The calls of an answer, in the order they begin."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int | str, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def take(self, chunk: ToolCallChunk) -> None:
        """Takes in one delta of one call."""
        index, call_id, name = chunk.get("index"), _text(chunk.get("id")), _text(chunk.get("name"))
        if isinstance(index, int | str):
            call = self._with_index(index, call_id, name)
        else:
            call, index = self._without_index(call_id, name), None
        if call is None:
            call = _Call()
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        call.take(call_id, name, _text(chunk.get("args")), chunk.get("extras"))
        if call.id:
            self._by_id[call.id] = call

    def made(self) -> list[dict[str, Any]]:
        """The calls so far, valid and invalid."""
        return [tool_call(c.name or None, c.arguments, c.id or None, i, c.extras) for i, c in enumerate(self._calls)]

    def _with_index(self, index: int | str, call_id: str, name: str) -> _Call | None:
        """The call under this index, unless the index is used again for another one; a delta with a known id alone goes to that call."""
        call = self._by_index.get(index)
        if call is None:
            return None if name else self._by_id.get(call_id)
        if call_id and call.id and call_id != call.id:
            # Some gateways make a new id for every delta: without a name, and while arguments are open, it is the same call.
            return self._by_id.get(call_id) or (None if name or call.is_whole else call)
        is_same = bool(call_id) and call_id == call.id
        return call if is_same or not call.has_other_name(name) else None

    def _without_index(self, call_id: str, name: str) -> _Call | None:
        """The call of this id, else the one that is open; a new id or a new name opens another."""
        newest = self._calls[-1] if self._calls else None
        if call_id:
            late = newest is not None and not newest.id and not name
            return self._by_id.get(call_id) or (newest if late else None)
        if newest is None or not (name and newest.name and newest.has_arguments):
            return newest
        return None if name != newest.name or newest.is_whole else newest


class _Call:
    """A call that is being put together."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self._pieces: list[str] = []
        self._extras = GrowingObject()

    def take(self, call_id: str, name: str, args: str, extras: Any) -> None:
        """Takes in what one delta says; empty texts say nothing."""
        self.id = self.id or call_id
        if name:
            self.name = self.name if self._pieces and self.name else _grown_name(self.name, name)
        if args:
            self._pieces.append(args)
        if isinstance(extras, dict):
            self._extras.take(extras)

    @property
    def extras(self) -> dict[str, Any] | None:
        """What the provider said besides."""
        return self._extras.value() or None

    @property
    def arguments(self) -> Any:
        """The argument text, the last piece alone where it says all of it again; `{"input": text}` for a custom tool's free text."""
        text = "".join(self._pieces)
        if (self.extras or {}).get("type") == "custom":
            return {"input": text}
        return self._pieces[-1] if self._repeats_whole(text) else text

    @property
    def has_arguments(self) -> bool:
        """Whether any argument text has come."""
        return bool(self._pieces)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are JSON."""
        return bool(self._pieces) and self._pieces[-1].rstrip().endswith("}") and _is_json("".join(self._pieces))

    def has_other_name(self, name: str) -> bool:
        """Whether the name can no longer be more of this call's."""
        return bool(name and self.name and self._pieces and name != self.name)

    def _repeats_whole(self, joined: str) -> bool:
        """Joined pieces that are no JSON, while the last one alone is, and holds what came before (whole values sent as deltas)."""
        pieces = self._pieces
        if len(pieces) < 2 or not (_grow(pieces) or joined == pieces[-1] * 2):
            return False
        return not _is_json(joined) and _is_json(pieces[-1])


def _grown_name(name: str, piece: str) -> str:
    """The name after one more piece of it: providers send it once, in pieces, or again in every delta."""
    return piece if piece.startswith(name) else name + piece


def _without_index(block: Block) -> Block:
    return {key: value for key, value in block.items() if key != "index"} if "index" in block else block


_PACKED = 4_096


class _Pieces:
    """A text that comes in pieces. Many small ones are joined on the way: a million of them would take twenty times their text's memory."""

    def __init__(self) -> None:
        self._packed: list[str] = []
        self._pieces: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, piece: str) -> None:
        """Takes in the next piece."""
        self._pieces.append(piece)
        if len(self._pieces) >= _PACKED:
            if not self._packed and _is_growing(self._pieces):
                self._pieces = self._pieces[-3:]
            else:
                self._packed.append("".join(self._pieces[:-1]))
                self._pieces = self._pieces[-1:]

    @property
    def text(self) -> str:
        """The pieces joined; the last alone where each of three or more is longer than the one before and starts with it (whole values sent
        as deltas)."""
        if not self._packed and len(self._pieces) >= 3 and _is_growing(self._pieces):
            return self._pieces[-1]
        return "".join((*self._packed, *self._pieces))


def _is_growing(pieces: list[str]) -> bool:
    return all(len(a) < len(b) for a, b in pairwise(pieces)) and _grow(pieces)


def _grow(pieces: list[str]) -> bool:
    """Whether each piece starts with the one before."""
    return all(b.startswith(a) for a, b in pairwise(pieces))


def _text(value: Any) -> str:
    """The text of an id, a name or arguments; "" for none."""
    return "" if value is None else as_json_text(value)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True


# Counts


def _highest(a: UsageMetadata | None, b: UsageMetadata) -> UsageMetadata:
    """Of each count the highest; the total is at least input and output together."""
    if a is None:
        return b
    merged: UsageMetadata = {}
    for key in a | b:
        left, right = a.get(key), b.get(key)
        if isinstance(left, dict) or isinstance(right, dict):
            merged[key] = _highest_of_counts(left if isinstance(left, dict) else {}, right if isinstance(right, dict) else {})
        else:
            merged[key] = _higher(left, right)
    merged["total_tokens"] = max(merged.get("total_tokens", 0), merged.get("input_tokens", 0) + merged.get("output_tokens", 0))
    return merged


def _highest_of_counts(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    return {key: _higher(a.get(key), b.get(key)) for key in a | b}


def _higher(a: Any, b: Any) -> int:
    return max(count(a) or 0, count(b) or 0)
