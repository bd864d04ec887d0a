"""A conversation without its secrets, or without all that anybody said in it.

Positions, roles, names, ids, times and counts stay, so what remains can be passed on and still be read as a timeline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from holter.messages import AIMessage, Conversation, Finding, Message, ToolMessage, ToolSpec
from holter.messages.content import MEDIA, Block, Content
from holter.render.secret import REDACTED, names_secret, without_secrets

Level: TypeAlias = Literal["secrets", "content"]


def redact(conversation: Conversation, level: Level) -> Conversation:
    """The conversation without secrets; with "content" without any text: `[n characters]` stands where one was."""
    return _without_secrets(without_content(conversation) if level == "content" else conversation)


def redact_message(message: Message, level: Level) -> Message:
    """The message alone, in the same way."""
    made = _message_without_content(message) if level == "content" else message
    return _struct_without_secrets(made)  # type: ignore[no-any-return]


def redact_value(value: Any, level: Level) -> Any:
    """A JSON value that a program, a person or a model gave, in the same way."""
    return _secrets(_said(value) if level == "content" else value)


def redact_record(value: Any, level: Level) -> Any:
    """A JSON value in which such values stand beside names and counts, which stay."""
    return _secrets(_fields(value) if level == "content" else value)


_DEEPEST = 100
"""Levels of a JSON value that are walked; what is nested deeper is taken as one text, so that no log exhausts the stack."""


# Secrets: every text there is, wherever it stands.


def _without_secrets(conversation: Conversation) -> Conversation:
    return msgspec.structs.replace(
        conversation,
        messages=[_struct_without_secrets(message) for message in conversation.messages],
        tools=[_struct_without_secrets(tool) for tool in conversation.tools],
        findings=[_struct_without_secrets(finding) for finding in conversation.findings],
        places=[msgspec.structs.replace(place, path=without_secrets(place.path)) for place in conversation.places],
        source=_secrets(conversation.source),
        extra=_secrets(conversation.extra),
    )


def _struct_without_secrets(value: Any) -> Any:
    return msgspec.structs.replace(value, **{name: _secrets(getattr(value, name)) for name in value.__struct_fields__})


def _secrets(value: Any, depth: int = 0) -> Any:
    match value:
        case str():
            return without_secrets(value)
        case dict() | list() | tuple() if depth == _DEEPEST:
            return without_secrets(_flat(value))
        case dict():
            return {_secrets(key): _secret_field(key, item, depth + 1) for key, item in value.items()} if value else value
        case list() | tuple():
            return [_secrets(item, depth + 1) for item in value]
        case _:
            return value


def _secret_field(key: Any, value: Any, depth: int) -> Any:
    is_said = isinstance(value, str | int | float) and value != "" and not isinstance(value, bool)
    if not names_secret(key):
        return _secrets(value, depth)
    if isinstance(value, dict):  # A schema: what it gives for the field is a secret, too.
        value = {name: REDACTED if name in _GIVEN else item for name, item in value.items()}
    return REDACTED if is_said else _secrets(value, depth)


_GIVEN = frozenset({"default", "const", "enum", "example", "examples"})


# Content: every text but what names things.

_COUNTED = re.compile(r"\[\d+ characters?\]|\[number\]")
_NAME = re.compile(r"[\w.:/+@#-]{1,128}", re.ASCII)
_NAMING = frozenset(
    "type role id name object model model_name model_id model_provider modelVersion "
    "finish_reason stop_reason finishReason stopReason done_reason status "
    "tool_call_id tool_use_id call_id mime_type media_type format service_tier system_fingerprint created_at required $ref".split()
)
"""Fields that name things rather than say something; a value that does not look like a name is blanked all the same."""
_SAYING = frozenset({"input", "args", "arguments", "output", "result", "content"})
_QUOTED = re.compile(r"(?<!\w)(['\"`])(.+)\1(?!\w)|“(.+)”", re.DOTALL)


def without_content(conversation: Conversation) -> Conversation:
    """The conversation with `[n characters]` for every text, and `[number]` for every number that a model or a person gave."""
    return msgspec.structs.replace(
        conversation,
        messages=[_message_without_content(message) for message in conversation.messages],
        tools=[_tool_without_content(tool) for tool in conversation.tools],
        findings=[_finding_without_content(finding) for finding in conversation.findings],
        places=[msgspec.structs.replace(place, path=_without_quotes(place.path)) for place in conversation.places],
        extra=_fields(conversation.extra),
    )


def counted(text: str) -> str:
    """`[12 characters]`; empty text and what is already counted stay."""
    if not text or _COUNTED.fullmatch(text):
        return text
    return f"[{len(text)} character{'' if len(text) == 1 else 's'}]"


def _message_without_content(message: Message) -> Message:
    changes: dict[str, Any] = {
        "content": _content(message.content),
        "additional_kwargs": _fields(message.additional_kwargs),
        "response_metadata": _fields(message.response_metadata),
        "extra": _fields(message.extra),
    }
    if isinstance(message, AIMessage):
        changes["tool_calls"] = [_call(call) for call in message.tool_calls]
        changes["invalid_tool_calls"] = [_call(call) for call in message.invalid_tool_calls]
        changes["reasoning"] = None if message.reasoning is None else counted(message.reasoning)
    if isinstance(message, ToolMessage):
        changes["artifact"] = _said(message.artifact)
    return message.replace(**changes)


def _content(content: Content) -> Content:
    return counted(content) if isinstance(content, str) else [_block(block) for block in content]


def _block(block: Block) -> Block:
    """A block whose kind, ids and media type stay."""
    kind = block.get("type")
    if kind in ("text", "reasoning") or kind in MEDIA:
        keep = ("type", "id", "mime_type", "index")
        return {key: value if key in keep else _fields(value) if key == "extras" else _said(value) for key, value in block.items()}
    return _fields(block)  # type: ignore[no-any-return]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    made = {"args": _said, "error": _said, "extras": _fields}
    return {key: made[key](value) if key in made else value for key, value in call.items()}


def _tool_without_content(tool: ToolSpec) -> ToolSpec:
    return msgspec.structs.replace(
        tool, description=counted(tool.description), parameters=_fields(tool.parameters), extra=_fields(tool.extra)
    )


def _finding_without_content(finding: Finding) -> Finding:
    hint, path = finding.hint, finding.path
    return msgspec.structs.replace(
        finding,
        text=_without_quotes(finding.text),
        hint=hint and _without_quotes(hint),
        path=path and _without_quotes(path),
    )


def _without_quotes(text: str) -> str:
    """From the first quotation mark to the last of its kind, so that marks inside a quotation do not let it out."""
    return _QUOTED.sub(lambda match: f"{match[1] or ''}{counted(match[2] or match[3])}{match[1] or ''}", text)


def _said(value: Any, depth: int = 0) -> Any:
    """A value that a person, a model or a tool gave: its keys stay, its texts and numbers do not."""
    match value:
        case str():
            return counted(value)
        case bool() | None:
            return value
        case int() | float():
            return "[number]"
        case dict() if depth < _DEEPEST:
            return _with_keys(value, lambda _, item: _said(item, depth + 1))
        case list() | tuple() if depth < _DEEPEST:
            return [_said(item, depth + 1) for item in value]
        case _:
            return counted(_flat(value))


def _fields(value: Any, depth: int = 0) -> Any:
    """A record about messages: texts go, counts stay, and so does what names things."""
    match value:
        case str():
            return counted(value)
        case dict() | list() | tuple() if depth == _DEEPEST:
            return counted(_flat(value))
        case dict():
            return _with_keys(value, lambda key, item: _field(key, item, depth + 1)) if value else value
        case list() | tuple():
            return [_fields(item, depth + 1) for item in value]
        case _:
            return value


def _field(key: Any, value: Any, depth: int) -> Any:
    if key in _SAYING and not isinstance(value, list):
        return _said(value, depth)
    if key in _NAMING:
        values = value if isinstance(value, list) else [value]
        if all(isinstance(item, str) and _NAME.fullmatch(item) for item in values):
            return value
    return _fields(value, depth)


def _flat(value: Any) -> str:
    """The value as JSON text; where not even that can be made of it, a text that says so."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "[nested too deeply]"


def _with_keys(value: dict[Any, Any], of: Callable[[Any, Any], Any]) -> dict[Any, Any]:
    """The object with its values made anew; keys that look like no name are texts, and numbered where they would be the same."""
    made: dict[Any, Any] = {}
    for key, item in value.items():
        shown = key if not isinstance(key, str) or _NAME.fullmatch(key) else counted(key)
        made[shown if shown not in made else f"{shown} #{len(made)}"] = of(key, item)
    return made
