"""From what a tool returned to the content of its message: text, or a list of blocks. Nothing here raises.

* Text stays as it is, and so does a list of content blocks; a list that only looks like one (rows with a "type" of their own) is JSON.
* Everything else becomes JSON text in UTF-8, keys in their order; how a value without a JSON form is written stands in `tools.plain`.
* Halves of characters become U+FFFD (CONT03), NaN and infinities null (CONT02); both are reported.
* What is longer than allowed keeps its beginning and its end around a marker that says how much is missing; the whole goes to `artifact`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import msgspec

from holter.journal.event import Repaired
from holter.messages.content import MEDIA, Block, text_block
from holter.messages.content import Content as MessageContent
from holter.messages.surrogate import escaped, first, is_valid, repaired
from holter.tools.cut import cut, cut_total
from holter.tools.plain import Plain

MAX_CHARS = 100_000
"""How long a result may be where the model's window is not known."""
_CHARS_PER_TOKEN = 4


class Content(msgspec.Struct, frozen=True, gc=False):
    """What the message of a result holds."""

    content: MessageContent
    repairs: list[Repaired] = []
    """What had to be put right, one entry a rule."""
    artifact: Any = None
    """The whole text, or all the blocks, where the content was cut; else None."""


def cap(window_tokens: int | None, in_batch: int) -> int:
    """How many characters one result may have: a quarter of the model's window (at 4 characters a token), and of half the window its share
    of a batch of `in_batch` results; 100,000 where the window is not known."""
    if window_tokens is None:
        return MAX_CHARS
    window = window_tokens * _CHARS_PER_TOKEN
    return max(min(window // 4, window // 2 // max(in_batch, 1)), 1)


def to_content(value: Any, *, call_id: str | None, max_chars: int = MAX_CHARS, in_bytes: bool = False) -> Content:
    """What a tool returned as the content of the message that answers the call `call_id`. `in_bytes`: `max_chars` counts bytes of UTF-8,
    as a model's window does (`approximate_tokens`)."""
    if type(value) is str and len(value) <= max_chars and value.isascii():
        return Content(value)
    blocks = _blocks(value) if type(value) in (list, tuple) else []
    repairs: list[Repaired] = []
    if blocks:
        return _of_blocks(blocks, call_id, max_chars, repairs)
    text = _in_unicode(_text(value, call_id, repairs), call_id, repairs)
    if (_size(text) if in_bytes else len(text)) <= max_chars:
        return Content(text, repairs)
    return Content(_cut_to_bytes(text, max_chars) if in_bytes else cut(text, max_chars), repairs, text)


def _cut_to_bytes(text: str, max_bytes: int) -> str:
    """The text, cut to so many bytes: to the characters that it would be if all were of the same size, and fewer as long as it needs."""
    chars = max_bytes * len(text) // _size(text)
    while _size(made := cut(text, chars)) > max_bytes and chars:
        chars = min(chars - 1, chars * max_bytes // _size(made))
    return made


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _text(value: Any, call_id: str | None, repairs: list[Repaired]) -> str:
    """The value as text: JSON, but for what is one text in JSON, which stands without quotes."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if issubclass(type(value), dict | list | tuple):
        try:
            return _write(value)
        except Exception:  # noqa: BLE001, S110 - a value without a JSON form, or a class of the user's own; the long way takes both
            pass
    made = _plain(value, call_id, repairs)
    return made if isinstance(made, str) else _write(made)


def _plain(value: Any, call_id: str | None, repairs: list[Repaired]) -> Any:
    """The value in JSON's types."""
    plain = Plain()
    made = plain.of(value)
    if plain.non_finite:
        count = len(plain.non_finite)
        text = f"{count} number{'s' if count > 1 else ''} that JSON does not know became null."
        repairs.append(Repaired(code="CONT02", text=text, call_id=call_id, raw=", ".join(plain.non_finite[:5])))
    return made


_AROUND = 20


def _in_unicode(text: str, call_id: str | None, repairs: list[Repaired]) -> str:
    """The text without halves of characters; the repair holds the place of the first, not the whole text again."""
    if is_valid(text):
        return text
    at = first(text)
    near = escaped(text[max(at - _AROUND, 0) : at + _AROUND])
    said = f"Halves of characters (lone surrogates), first at character {at}, became U+FFFD; split pairs were joined."
    repairs.append(Repaired(code="CONT03", text=said, call_id=call_id, raw=near))
    return repaired(text)


# Blocks

_COMMON = frozenset("type extras id index cache_control annotations citations metadata".split())
_MEDIUM = frozenset("url base64 file_id data source source_type mime_type mimeType filename detail".split())
_SHAPES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "text": (frozenset(["text"]), frozenset(["text"])),
    "reasoning": (frozenset(["reasoning"]), frozenset(["reasoning"])),
    **{kind: (frozenset(["url", "base64", "file_id", "data", "source", kind]), _MEDIUM | {kind}) for kind in MEDIA},
    "image_url": (frozenset(["image_url"]), frozenset(["image_url"])),
    "input_text": (frozenset(["text"]), frozenset(["text"])),
    "input_image": (frozenset(["image_url", "file_id"]), frozenset(["image_url", "file_id", "detail"])),
    "input_file": (frozenset(["file_id", "file_data", "file_url"]), frozenset(["file_id", "file_data", "file_url", "filename", "detail"])),
    "input_audio": (frozenset(["input_audio"]), frozenset(["input_audio"])),
    "json": (frozenset(["json"]), frozenset(["json"])),
    "document": (frozenset(["source"]), frozenset(["source", "title", "context"])),
    "search_result": (frozenset(["content"]), frozenset(["content", "source", "title"])),
    "custom_tool_call_output": (frozenset(["output"]), frozenset(["output", "call_id", "status"])),
    "resource": (frozenset(["resource"]), frozenset(["resource"])),
    "tool_reference": (frozenset(["tool_name"]), frozenset(["tool_name"])),
}
"""Type of a block -> fields of which it has at least one, and fields that it may have besides the common ones: ours, LangChain's, OpenAI's,
Anthropic's and MCP's, seen 2026-11. A row of a file listing has a "type" too, and more."""
_TEXTS = ("text", "input_text")
_MEDIA = {*MEDIA, "image_url", "input_image", "input_file", "input_audio"}


def _is_block(value: Any) -> bool:
    shape = _SHAPES.get(kind) if type(value) is dict and isinstance(kind := value.get("type"), str) else None
    if shape is None or not shape[0] & value.keys() or not value.keys() <= shape[1] | _COMMON:
        return False
    return value["type"] not in _TEXTS or isinstance(value["text"], str)


def _blocks(values: list[Any] | tuple[Any, ...]) -> list[Block]:
    """The values as blocks, where all are blocks, or blocks with plain text among them; else none."""
    if not any(map(_is_block, values)) or not all(type(value) is str or _is_block(value) for value in values):
        return []
    return [text_block(value) if type(value) is str else value for value in values]


def _of_blocks(blocks: list[Block], call_id: str | None, max_chars: int, repairs: list[Repaired]) -> Content:
    whole = [_clean(block, call_id, repairs) for block in blocks]
    texts = {at: _text_of(block) for at, block in enumerate(whole) if not _is_medium(block)}
    if sum(map(len, texts.values())) <= max_chars:
        return Content(whole, repairs)
    kept = dict(zip(texts, cut_total(list(texts.values()), max_chars), strict=True))
    shown: list[Block] = []
    for at, block in enumerate(whole):
        text = kept.get(at)
        if text is None or text == texts[at]:
            shown.append(block)
        elif text:
            shown.append({**block, "text": text} if block["type"] in _TEXTS else text_block(text))
    return Content(shown or cut(_write(whole), max_chars), repairs, whole)


def _is_medium(block: Block) -> bool:
    """Whether the block is no text to a model, so that cutting it would break it."""
    source = block.get("source", block.get("resource"))
    return block["type"] in _MEDIA or (isinstance(source, dict) and (source.get("type") in ("base64", "url", "file") or "blob" in source))


def _clean(block: Block, call_id: str | None, repairs: list[Repaired]) -> Block:
    """The block in JSON's types and valid Unicode; bytes of its own, such as an image's, in base64."""
    block = {key: b64encode(item).decode("ascii") if isinstance(item, bytes) else item for key, item in block.items()}
    try:
        text = _write(block)
    except Exception:  # noqa: BLE001 - as in `_text`
        block = _plain(block, call_id, repairs)
        text = _write(block)
    if is_valid(text):
        return block
    cleaned: Block = json.loads(_in_unicode(text, call_id, repairs))
    return cleaned


def _text_of(block: Block) -> str:
    return str(block["text"]) if block["type"] in _TEXTS else _write(block)
