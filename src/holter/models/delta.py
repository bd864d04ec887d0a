"""A finished answer as the deltas that a stream would have brought: merged, they are the answer again.

Not carried: `ts`; that the content is an empty list of blocks and not the empty text; and of an invalid call the reason, which merging
finds again from the raw text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from holter.messages import AIMessage, AIMessageChunk
from holter.messages.calls import as_json_text
from holter.messages.content import Block, text_block
from holter.messages.message import EMPTY

PieceSize: TypeAlias = Literal["word", "character", "whole"] | int
"""How much text a delta holds: a word (in scripts without spaces a character), a character, all of it, or so many characters."""

_UNSPACED = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]\s*|[^\s{_UNSPACED}]+\s*|\s+")


def whole(message: AIMessage) -> AIMessageChunk:
    """The message as one delta."""
    return AIMessageChunk(
        message.content if isinstance(message.content, str) else [_at(block, index) for index, block in enumerate(message.content)],
        reasoning=message.reasoning,
        tool_call_chunks=[_call_delta(call, index, _argument_text(call)) for index, call in enumerate(message.calls)],
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
        additional_kwargs=message.additional_kwargs,
        extra=message.extra,
        id=message.id,
        name=message.name,
    )


def deltas(message: AIMessage, size: PieceSize = "word") -> Iterator[AIMessageChunk]:
    """The message in deltas: reasoning, content, calls, then counts and metadata. The first one has the message's id and name."""
    if size == "whole":
        yield whole(message)
        return
    id, name = message.id, message.name
    for fields in _parts(message, size):
        yield AIMessageChunk(**fields, id=id, name=name)
        id = name = None


def check_size(size: Any) -> PieceSize:
    """The size; ValueError when it is none."""
    if size in ("word", "character", "whole") or (isinstance(size, int) and not isinstance(size, bool) and size > 0):
        return size  # type: ignore[no-any-return]
    raise ValueError(f"a size of chunks is 'word', 'character', 'whole', or a number of characters, found {size!r}")


def pieces(text: str, size: PieceSize) -> Iterator[str]:
    """The text cut into pieces, none of them empty; none at all of an empty text."""
    match size:
        case "whole":
            yield from [text] if text else []
        case "character":
            yield from text
        case "word":
            yield from _words(text)
        case _:
            yield from (text[start : start + size] for start in range(0, len(text), size))


def _words(text: str) -> Iterator[str]:
    """Each word with the space behind it.

    Texts that grow from delta to delta are merged as whole values sent again (`ChunkMerger`). No text of words begins so here: where
    the second piece is the first and more, that much of it comes by itself.
    """
    first = ""
    for found in _WORD.finditer(text):
        word = found[0]
        if found.start() == 0:
            first = word
        elif found.start() == len(first) and len(word) > len(first) and word.startswith(first):
            yield first
            word = word[len(first) :]
        yield word


def _parts(message: AIMessage, size: PieceSize) -> Iterator[dict[str, Any]]:
    """The fields of each delta, id and name apart."""
    yield from ({"reasoning": piece} for piece in pieces(message.reasoning or "", size))
    if isinstance(message.content, str):
        yield from ({"content": piece} for piece in pieces(message.content, size))
    else:
        for index, block in enumerate(message.content):
            yield from ({"content": [part]} for part in _block_parts(block, index, size))
    for index, call in enumerate(message.calls):
        yield from ({"tool_call_chunks": [part]} for part in _call_parts(call, index, size))
    yield {
        "usage_metadata": message.usage_metadata,
        "response_metadata": message.response_metadata or EMPTY,
        "additional_kwargs": message.additional_kwargs or EMPTY,
        "extra": message.extra or EMPTY,
    }


def _block_parts(block: Block | str, index: int, size: PieceSize) -> Iterator[Block]:
    kind = block.get("type") if isinstance(block, dict) else None
    if isinstance(block, str) or kind not in ("text", "reasoning") or not isinstance(block.get(kind), str):
        yield _at(block, index)
        return
    first, *rest = list(pieces(block[kind], size)) or [""]
    yield {**block, kind: first, "index": index}
    yield from ({"type": kind, kind: piece, "index": index} for piece in rest)


def _at(block: Block | str, index: int) -> Block:
    """The block with its index; LangChain lets plain text stand among blocks."""
    return {**(text_block(block) if isinstance(block, str) else block), "index": index}


def _call_parts(call: dict[str, Any], index: int, size: PieceSize) -> Iterator[dict[str, Any]]:
    """The call's deltas. Arguments that are not one JSON object come whole: a part of them alone might be one."""
    text = _argument_text(call)
    first, *rest = list(pieces(text, size if call.get("type") != "invalid_tool_call" else "whole")) or [""]
    yield _call_delta(call, index, first)
    yield from ({"index": index, "args": piece} for piece in rest)


def _call_delta(call: dict[str, Any], index: int, args: str) -> dict[str, Any]:
    delta = {"index": index, "id": call.get("id"), "name": call.get("name"), "args": args}
    return {**delta, "extras": call["extras"]} if call.get("extras") else delta


def _argument_text(call: dict[str, Any]) -> str:
    """The arguments as they came: JSON, or the free text of a custom tool."""
    args = call.get("args")
    if isinstance(args, dict) and args.keys() == {"input"} and (call.get("extras") or {}).get("type") == "custom":
        return as_json_text(args["input"])
    return as_json_text(args)
