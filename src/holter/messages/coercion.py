"""From what people write for a message to a message: text, a pair, a dict of OpenAI's or LangChain's kind, an object of LangChain's.

The forms are those of LangChain's `convert_to_messages` (langchain-core 1.8.3, seen 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from holter.messages.calls import as_json_text, split_calls, tool_call
from holter.messages.chunks import AIMessageChunk, merge_chunks
from holter.messages.content import Content, text_block
from holter.messages.message import EMPTY, NO_CALLS, AIMessage, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage
from holter.messages.usage import sound

Update: TypeAlias = Message | RemoveMessage
"""What a message list can be updated with."""

_CLASSES = (SystemMessage, HumanMessage, AIMessage, ToolMessage, RemoveMessage)
_ROLES = {
    **dict.fromkeys(("human", "user"), "human"),
    **dict.fromkeys(("ai", "assistant", "model", "AIMessageChunk"), "ai"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
    "remove": "remove",
}
"""Every name of a role -> the kind of message."""

_FIELDS = {str(kind.__struct_config__.tag): frozenset(kind.__struct_fields__) | {"type"} for kind in _CLASSES}
_OLD_ROLES = frozenset(["developer", "function"])


def as_messages(value: Any) -> list[Update]:
    """The messages that a value stands for: those of a list, or the one that it is. TypeError or ValueError for what is none."""
    return [as_message(item) for item in value] if isinstance(value, list) else [as_message(value)]


def as_message(value: Any) -> Update:
    """The message that a value stands for; itself where it is one. TypeError or ValueError for what is none."""
    match value:
        case SystemMessage() | HumanMessage() | AIMessage() | ToolMessage() | RemoveMessage():
            return value
        case str():
            return HumanMessage(value)
        case AIMessageChunk():
            return merge_chunks([value])
        case (str() as role, content):
            return _of_dict({"role": role, "content": content})
        case dict():
            return _of_dict(_opened(value))
    if isinstance(kind := getattr(value, "type", None), str) and hasattr(value, "content") and hasattr(value, "model_dump"):
        return _of_dict({**value.model_dump(), "type": kind})
    raise TypeError(
        f"a message was expected, found {type(value).__name__}: give a message, a text, a pair (role, content), or a dict with "
        '"role" and "content"'
    )


def _opened(value: dict[str, Any]) -> dict[str, Any]:
    """The fields, taken out of LangChain's envelopes (`dumpd`, `message_to_dict`)."""
    if value.get("type") == "constructor" and isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list):
        name = str(value["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {**value["kwargs"], "type": name}
    if isinstance(value.get("data"), dict) and "content" in value["data"]:
        return {**value["data"], "type": value.get("type")}
    return value


def _of_dict(value: dict[str, Any]) -> Update:
    role = value.get("role") or value.get("type")
    kind = _ROLES.get(role) if isinstance(role, str) else None
    if kind is None:
        keys = ", ".join(map(str, value)) or "nothing"
        raise ValueError(f"a message has a role of {', '.join(sorted(_ROLES))}; found {role!r}, in a dict with {keys}")
    if value.get("type") == kind and value.keys() <= _FIELDS[kind]:
        try:
            made: Update = msgspec.convert(value, Update)
            return made
        except msgspec.ValidationError:
            pass
    return _read(kind, {key: item for key, item in value.items() if key not in ("role", "type")}, str(role))


def _read(kind: str, body: dict[str, Any], role: str) -> Update:
    """A message from fields that need not have its types; what it has no field for is kept in `extra`."""
    if kind == "remove":
        return RemoveMessage(_text(body.get("id")) or "")
    content = _content(body.pop("content", None))
    fields: dict[str, Any] = {key: _text(body.pop(key, None)) for key in ("name", "id")}
    fields |= {key: _object(body.pop(key, None)) for key in ("additional_kwargs", "response_metadata", "extra")}
    if kind == "tool":
        fields["tool_call_id"] = _text(body.pop("tool_call_id", None))
        fields["status"] = "error" if body.pop("status", None) == "error" else "success"
        fields["artifact"] = body.pop("artifact", None)
    if kind == "ai":
        fields |= _answer_fields(body, fields["additional_kwargs"])
    if role in _OLD_ROLES:
        body["role"] = role
    rest = {key: item for key, item in body.items() if item is not None and key != "example"}
    fields["extra"] = {**fields["extra"], **rest} or EMPTY
    match kind:
        case "system":
            return SystemMessage(content, **fields)
        case "ai":
            return AIMessage(content, **fields)
        case "tool":
            return ToolMessage(content, **fields)
        case _:
            return HumanMessage(content, **fields)


def _answer_fields(body: dict[str, Any], additional_kwargs: dict[str, Any]) -> dict[str, Any]:
    listed = body.pop("tool_calls", None) or additional_kwargs.get("tool_calls") or []
    invalid = [call for call in body.pop("invalid_tool_calls", None) or [] if isinstance(call, dict)]
    calls, refused = split_calls(list(_calls(listed if isinstance(listed, list) else [])))
    usage = body.pop("usage_metadata", None)
    reasoning = body.pop("reasoning", None) or body.pop("reasoning_content", None)
    for key in ("tool_call_chunks", "chunk_position"):
        body.pop(key, None)
    return {
        "tool_calls": calls,
        "invalid_tool_calls": [*refused, *invalid] or NO_CALLS,
        "usage_metadata": sound(usage) if isinstance(usage, dict) else None,
        "reasoning": _text(reasoning),
    }


def _calls(listed: list[Any]) -> Iterator[dict[str, Any]]:
    """Calls of LangChain's form (name, args) and of OpenAI's (function, arguments)."""
    for position, call in enumerate(item for item in listed if isinstance(item, dict)):
        function = call.get("function")
        if isinstance(function, dict):
            yield tool_call(function.get("name"), function.get("arguments"), call.get("id"), position)
        else:
            yield tool_call(call.get("name"), call.get("args", call.get("arguments")), call.get("id"), position, call.get("extras"))


def _content(content: Any) -> Content:
    if content is None:
        return ""
    if isinstance(content, list | tuple):
        return [block if isinstance(block, dict) else text_block(as_json_text(block)) for block in content]
    return as_json_text(content)


def _text(value: Any) -> str | None:
    return None if value is None else as_json_text(value)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) and value else EMPTY
