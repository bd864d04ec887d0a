"""Parts of Gemini contents, and their standard form.

Source: Gemini API reference, `Content` and `Part` (v1beta), seen 2026-11. REST writes names in camelCase, dumps of the Python SDK in
snake_case: both are read, camelCase is kept and written. What a part holds besides (thoughtSignature, videoMetadata, …) stands in "extras".
"""

from __future__ import annotations

import re
from typing import Any

from holter.formats.form import tool_spec
from holter.messages import ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.content import MEDIA, Block, media_block, reasoning_block, text_block

EXTRAS = frozenset({"thoughtSignature", "videoMetadata", "mediaResolution"})
"""What Gemini takes beside a part's own field."""

OWN = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse", "functionCall", "functionResponse", "inlineData", "fileData")
"""Kinds of parts that become blocks of their own; calls, results and media only where they stand or look unlike themselves."""

KINDS = frozenset({"text", *OWN})

_NAMES = (
    frozenset(
        """
    thoughtSignature videoMetadata mediaResolution mimeType fileUri displayName partialArgs willContinue jsonPath stringValue numberValue
    boolValue nullValue functionDeclarations parametersJsonSchema responseJsonSchema systemInstruction promptFeedback blockReason
    finishReason modelVersion responseId usageMetadata promptTokenCount candidatesTokenCount thoughtsTokenCount totalTokenCount
    cachedContentTokenCount
    """.split()
    )
    | KINDS
)
_WORD = re.compile(r"(?<=[a-z])([A-Z])")
_CAMEL = {snake: name for name in _NAMES if (snake := _WORD.sub(r"_\1", name).lower()) != name}


def camel(value: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something, Gemini's own names in camelCase; others as they are."""
    return {_CAMEL.get(key, key): item for key, item in value.items() if item is not None}


def read_part(part: dict[str, Any]) -> Block:
    """A part (in camelCase) in its standard form; a part that is nothing known is the `part` of a block of that type."""
    match part:
        case {"text": str(text), "thought": True, **rest}:
            return reasoning_block(text, rest)
        case {"text": str(text), **rest}:
            return text_block(text, {key: item for key, item in rest.items() if key != "thought" or item is not False})
        case {"inlineData": dict(source), **rest} if (read := _medium(camel(source), "data", "base64", rest)) is not None:
            return read
        case {"fileData": dict(source), **rest} if (read := _medium(camel(source), "fileUri", "url", rest)) is not None:
            return read
    kind = next((name for name in OWN if name in part), None)
    if kind is None:
        return {"type": "part", "part": part}
    beside = {key: item for key, item in part.items() if key != kind}
    return {"type": kind, kind: part[kind], **({"extras": beside} if beside else {})}


def _medium(source: dict[str, Any], data_key: str, field: str, extras: dict[str, Any]) -> Block | None:
    data, mime = source.get(data_key), source.get("mimeType")
    if not isinstance(data, str) or not isinstance(mime, str | None) or source.keys() - {data_key, "mimeType"}:
        return None
    kind = (mime or "").split("/")[0]
    return media_block(kind if kind in MEDIA else "file", extras=extras, mime_type=mime, **{field: data})


def write_part(block: Block, extras: dict[str, Any]) -> dict[str, Any] | None:
    """The part on the wire; None for a block that Gemini does not know."""
    match block:
        case {"type": "text", "text": str(text)}:
            return {"text": text, **extras}
        case {"type": "reasoning", "reasoning": str(text)}:
            return {"text": text, "thought": True, **extras}
        case {"type": "part", "part": dict(part)}:
            return part
        case {"type": str(kind)} if kind in OWN and kind in block:
            return {kind: block[kind], **extras}
        case {"type": str(kind)} if kind in MEDIA:
            return _write_medium(block, extras)
        case _:
            return None


def _write_medium(block: Block, extras: dict[str, Any]) -> dict[str, Any] | None:
    mime = {"mimeType": block["mime_type"]} if "mime_type" in block else {}
    if "base64" in block:
        return {"inlineData": {**mime, "data": block["base64"]}, **extras}
    where = block.get("url", block.get("file_id"))
    return None if where is None else {"fileData": {**mime, "fileUri": where}, **extras}


_RESULT_KEYS = ("output", "result", "error")
"""Fields of a response under which a tool's text stands."""


def response_text(response: Any) -> tuple[str | None, str]:
    """(key, text): the key of `_RESULT_KEYS` that a text alone stands under; "" and the JSON of any other object; None where it is none."""
    if isinstance(response, dict) and len(response) == 1:
        ((key, text),) = response.items()
        if key in _RESULT_KEYS and isinstance(text, str):
            return key, text
    return "" if isinstance(response, dict) else None, as_json_text(response)


def declared(tool: Any) -> list[ToolSpec | None]:
    """The specs of one entry of `tools`; None for what is no declaration."""
    if not isinstance(tool, dict):
        return [None]
    if isinstance(tool.get("name"), str):
        return [tool_spec(camel(tool))]
    found: list[ToolSpec | None] = []
    for key, value in camel(tool).items():
        if key != "functionDeclarations":
            found.append(ToolSpec(key, extra={"type": key, key: value}))
        elif isinstance(value, list):
            found += [tool_spec(camel(entry)) if isinstance(entry, dict) else None for entry in value]
        else:
            found.append(None)
    return found
