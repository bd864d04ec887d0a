"""Content blocks of OpenAI chat, and their standard form.

Source: OpenAI API reference, chat completions, message content parts, seen 2026-11. What a block holds besides stands in "extras".
"""

from collections.abc import Iterator
from typing import Any

from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content, data_url, media_block, reasoning_block, text_block

KNOWN = frozenset({"text", "image_url", "input_audio", "file", "refusal", "thinking", "video_url", "output_text", "input_text"})
"""Kinds that are read into a standard block; every other kind is kept as it is."""


def read_content(value: Any) -> Content:
    """The content of a message in standard blocks; text stays text, null becomes the empty text, a single block becomes a list."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict):
        return [_read_block(value)]
    if isinstance(value, list):
        return [_read_block(block) if isinstance(block, dict) else text_block(as_json_text(block)) for block in value]
    return as_json_text(value)


def _read_block(block: Block) -> Block:
    kind = block.get("type")
    rest = {key: value for key, value in block.items() if key not in ("type", kind)}
    body: Any = block.get(kind) if isinstance(kind, str) else None
    match kind, body:
        case "text", str(text):
            return text_block(text, rest)
        case (("output_text" | "input_text"), _) if isinstance(block.get("text"), str):
            return text_block(rest.pop("text"), {**rest, "type": kind})
        case (("image_url" | "video_url"), str(url)):
            return _media(kind.removesuffix("_url"), url, rest)
        case (("image_url" | "video_url"), {"url": str(url)}):
            return _media(kind.removesuffix("_url"), url, {**rest, **{key: value for key, value in body.items() if key != "url"}})
        case "input_audio", {"data": str(data), "format": str(form)} if len(body) == 2:
            return media_block("audio", base64=data, mime_type=f"audio/{form}", extras=rest)
        case "file", dict() if body.keys() <= _FILE_FIELDS and all(isinstance(item, str) for item in body.values()):
            mime, content = data_url(body.get("file_data", "")) or (None, body.get("file_data"))
            return media_block(
                "file", base64=content, mime_type=mime, file_id=body.get("file_id"), filename=body.get("filename"), extras=rest
            )
        case "thinking", list() if all(isinstance(part, dict) and part.keys() == {"type", "text"} for part in body):
            return reasoning_block("".join(str(part["text"]) for part in body), rest)
        case _:
            return block


def _file(body: dict[str, str], extras: dict[str, Any]) -> Block:
    mime, data = data_url(body.get("file_data", "")) or (None, body.get("file_data"))
    return media_block("file", base64=data, mime_type=mime, file_id=body.get("file_id"), filename=body.get("filename"), extras=extras)


_FILE_FIELDS = frozenset({"file_data", "file_id", "filename"})


def _media(kind: str, url: str, extras: dict[str, Any]) -> Block:
    parsed = data_url(url)
    if parsed:
        return media_block(kind, base64=parsed[1], mime_type=parsed[0], extras=extras)
    return media_block(kind, url=url, extras=extras)


def write_content(content: Content) -> Any:
    """The content in OpenAI's blocks; text stays text. Marks of where calls stood are left out: OpenAI keeps calls apart."""
    if isinstance(content, str):
        return content
    return [_write_block(block) for block in content if block.get("type") != "tool_call"]


def unsayable(content: Content) -> Iterator[str]:
    """What `write_content` loses of a content, block by block: those that OpenAI has no form for, and marks of where calls stood."""
    for block in content if isinstance(content, list) else []:
        kind = block.get("type")
        if kind == "tool_call":
            yield "content: OpenAI keeps calls apart, and not where they stood in it"
        elif _read_block(_write_block(block)) != block:
            yield f"content: OpenAI has no form for this block of the type {kind!r}"


def _write_block(block: Block) -> Block:
    extras = dict(block.get("extras") or {})
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": extras.pop("type", "text"), "text": text, **extras}
        case {"type": "reasoning", "reasoning": str(text)}:
            return {"type": "thinking", "thinking": [{"type": "text", "text": text}], **extras}
        case {"type": "image" | "video" as kind}:
            detail = {"detail": extras.pop("detail")} if "detail" in extras else {}
            return {"type": f"{kind}_url", f"{kind}_url": {"url": _url(block), **detail}, **extras}
        case {"type": "audio", "base64": str(data)}:
            return {
                "type": "input_audio",
                "input_audio": {"data": data, "format": str(block.get("mime_type", "")).removeprefix("audio/")},
                **extras,
            }
        case {"type": "file"}:
            file = {
                "file_id": block.get("file_id"),
                "filename": block.get("filename"),
                "file_data": _url(block) if "base64" in block else None,
            }
            return {"type": "file", "file": {key: value for key, value in file.items() if value is not None}, **extras}
        case _:
            return block


def _url(block: Block) -> str:
    """The block's URL; its base64 data as a `data:` URL."""
    if "base64" in block:
        mime = block.get("mime_type")
        return f"data:{mime};base64,{block['base64']}" if mime else str(block["base64"])
    return str(block.get("url") or block.get("file_id") or "")
