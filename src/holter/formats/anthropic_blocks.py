"""Content blocks of Anthropic messages, and their standard form.

Source: Anthropic API reference, messages, content blocks (anthropic-version 2023-06-01, with the betas up to 2026-11). What a block holds
besides (cache_control, citations, signature, title, …) stands in "extras".
"""

from __future__ import annotations

import re
from typing import Any

from holter.formats.wire import without_nulls
from holter.messages.content import Block, media_block, reasoning_block, text_block

EXTRAS = frozenset({"cache_control", "citations", "signature", "title", "context", "caller"})
"""What Anthropic takes beside a block's own fields."""

_OWN = frozenset(
    {
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "search_result",
        "compaction",
        "container_upload",
        "tool_reference",
        "fallback",
    }
)
_STANDARD = frozenset({"text", "thinking", "image", "document"})
_HOSTED = re.compile(r".+_20\d{6}|mcp_toolset")


def is_known(kind: Any) -> bool:
    """Whether Anthropic has this kind of block. Results of hosted tools are `<tool>_tool_result`; a tool result proper is a message."""
    return isinstance(kind, str) and (kind in _STANDARD or kind in _OWN or (kind.endswith("_tool_result") and kind != "_tool_result"))


def is_hosted(kind: Any) -> bool:
    """Whether a tool declaration's `type` is one of Anthropic's own tools: they carry a date."""
    return isinstance(kind, str) and _HOSTED.fullmatch(kind) is not None


def read_block(block: Block) -> Block:
    """The block in its standard form; itself where there is none, or where its fields are not what its kind calls for."""
    match block:
        case {"type": "text", "text": str(text), **rest}:
            return text_block(text, without_nulls(rest))
        case {"type": "thinking", "thinking": str(text), **rest}:
            return reasoning_block(text, without_nulls(rest))
        case {"type": "image" | "document" as kind, "source": dict(source), **rest}:
            fields = _medium(source)
            return block if fields is None else media_block("image" if kind == "image" else "file", extras=without_nulls(rest), **fields)
        case _:
            return block


def is_damaged(block: Block, read: Block) -> bool:
    """Whether a block that has a standard form could not be read into it."""
    return read is block and block.get("type") in ("text", "thinking")


def _medium(source: dict[str, Any]) -> dict[str, str] | None:
    """Fields of a media block; None for a source with anything else in it (text, content, unknown fields)."""
    match source:
        case {"type": "base64", "media_type": str(mime), "data": str(data), **rest} if not rest:
            return {"base64": data, "mime_type": mime}
        case {"type": "url", "url": str(url), **rest} if not rest:
            return {"url": url}
        case {"type": "file", "file_id": str(file_id), **rest} if not rest:
            return {"file_id": file_id}
        case _:
            return None


def write_block(block: Block, extras: dict[str, Any]) -> Block | None:
    """The block on the wire; None for one that Anthropic does not know."""
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **extras}
        case {"type": "reasoning", "reasoning": str(text)}:
            return {"type": "thinking", "thinking": text, **extras}
        case {"type": "image"} if source := _source(block, "image/png"):
            return {"type": "image", "source": source, **extras}
        case {"type": "file"} if source := _source(block, "application/pdf"):
            title = {"title": block["filename"]} if "filename" in block else {}
            return {"type": "document", "source": source, **title, **extras}
        case _:
            return block if is_known(block.get("type")) else None


def _source(block: Block, mime: str) -> dict[str, Any] | None:
    if "base64" in block:
        return {"type": "base64", "media_type": block.get("mime_type") or mime, "data": block["base64"]}
    if "url" in block:
        return {"type": "url", "url": block["url"]}
    return {"type": "file", "file_id": block["file_id"]} if "file_id" in block else None
