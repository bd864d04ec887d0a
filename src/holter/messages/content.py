"""Content of a message: text, or a list of blocks.

A block is a plain dict with a `type`, so that a provider's own blocks can be kept as they are. The standard ones follow LangChain 1
(`langchain_core.messages.content`, seen 2026-11):

* `{"type": "text", "text": str}`
* `{"type": "reasoning", "reasoning": str}`; a provider's signature stands under "extras"
* `{"type": "image" | "audio" | "video" | "file", "url": str | "base64": str | "file_id": str, "mime_type": str}`
* `{"type": "tool_call", "id": str}`: only marks where the call of this id stood, where calls and text alternate
* anything else: the provider's own, kept under its own type

What a provider adds to a standard block (cache_control, detail, annotations, …) stands in the block under "extras".
"""

from typing import Any, TypeAlias

Block: TypeAlias = dict[str, Any]
Content: TypeAlias = str | list[Block]

MEDIA = ("image", "audio", "video", "file")
"""Types of the standard blocks that carry something other than text."""


def text_of(content: Content) -> str:
    """The visible text of a content: itself, or its text blocks joined without a separator."""
    return content if isinstance(content, str) else "".join(map(_text_of_block, content))


def _text_of_block(block: Block | str) -> str:
    """The block's text, "" when it holds none; LangChain lets plain text stand among blocks."""
    if isinstance(block, str):
        return block
    return str(block.get("text") or "") if block.get("type") == "text" else ""


def text_block(text: str, extras: dict[str, Any] | None = None) -> Block:
    """A text block; `extras` is what a provider put beside the text."""
    return {"type": "text", "text": text, "extras": extras} if extras else {"type": "text", "text": text}


def reasoning_block(reasoning: str, extras: dict[str, Any] | None = None) -> Block:
    """A reasoning block; `extras` holds a provider's signature, id or encrypted form."""
    block: Block = {"type": "reasoning", "reasoning": reasoning}
    return {**block, "extras": extras} if extras else block


def media_block(kind: str, *, extras: dict[str, Any] | None = None, **fields: str | None) -> Block:
    """A block of one of the `MEDIA` kinds; `fields` are url, base64, file_id, mime_type, filename; those that are None are left out."""
    block: Block = {"type": kind, **{key: value for key, value in fields.items() if value is not None}}
    return {**block, "extras": extras} if extras else block


def data_url(url: str) -> tuple[str, str] | None:
    """(mime type, base64 text) of a base64 `data:` URL, or None for any other (RFC 2397)."""
    if not url.startswith("data:") or ";base64," not in url[:200]:
        return None
    head, _, data = url.partition(";base64,")
    return head[5:].split(";")[0] or "text/plain", data
