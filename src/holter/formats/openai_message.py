"""One message of OpenAI chat, its calls and its usage: read from the wire's JSON and written to it.

Source: OpenAI API reference, chat completions, seen 2026-11; and what DeepSeek, Alibaba, Groq, xAI, Mistral, Moonshot and
OpenRouter add to it.
"""

from collections.abc import Callable
from typing import Any, assert_never

import msgspec

from holter.formats.form import moment
from holter.formats.literal import Elided, ElidedList
from holter.formats.openai_blocks import KNOWN as KNOWN_BLOCKS
from holter.formats.openai_blocks import read_content, write_content
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text, split_calls, tool_call
from holter.messages.message import EMPTY, Message
from holter.messages.usage import UsageMetadata, usage

_decode_object = msgspec.json.Decoder(dict[str, Any]).decode

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


_BODIES = frozenset({"content", "tool_calls", "function_call", "reasoning_content", "refusal", "audio"})
"""Fields of which a message has at least one."""


def is_message(value: Any) -> bool:
    """Whether a value is one chat message."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    return isinstance(role, str) and role in ROLES and not value.keys().isdisjoint(_BODIES) and "parts" not in value


def plain_calls(made: Any) -> list[dict[str, Any]] | None:
    """The calls of a `tool_calls` of the plainest kind: id, type, name and arguments that are an object. None for any other."""
    if made.__class__ is not list:
        return None
    calls = []
    try:
        for call in made:
            function, call_id = call["function"], call["id"]
            name, args = function["name"], _decode_object(function["arguments"])
            if len(call) != 3 or len(function) != 2 or call["type"] != "function":
                return None
            if name.__class__ is not str or call_id.__class__ is not str:
                return None
            calls.append({"name": name, "args": args, "id": call_id, "type": "tool_call"})
    except (LookupError, TypeError, msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return calls


def _read_system(role: str, content: Any, value: dict[str, Any]) -> SystemMessage:
    name = value.pop("name", None)
    if role != "system":
        value["role"] = role
    return SystemMessage(read_content(content), name=_text(name), **_rest(value))


def read_human(role: Any, content: Any, value: dict[str, Any]) -> HumanMessage:
    name = value.pop("name", None)
    if role != "user":
        value["role"] = role
    return HumanMessage(read_content(content), name=_text(name), **_rest(value))


def _read_tool(role: str, content: Any, value: dict[str, Any]) -> ToolMessage:
    call_id = value.pop("tool_call_id", None)
    name = value.pop("name", None)
    if role != "tool":
        value["role"] = role
    if content.__class__ is not str and (kind := _odd_content(content)) is not None:
        value["content_kind"] = kind
        content = content if isinstance(content, dict) else as_json_text(content)
    return ToolMessage(read_content(content), tool_call_id=_text(call_id), name=_text(name), **_rest(value))


def _odd_content(content: Any) -> str | None:
    """What stands for the content of a result where that is neither text nor a list of objects; None where it is, or was left out."""
    match content:
        case None | str() | Elided():
            return None
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case list() if all(isinstance(item, dict | Elided) for item in content):
            return None
        case list():
            return "a list of values"
        case _:
            return None


def _read_assistant(_role: str, content: Any, value: dict[str, Any]) -> AIMessage:
    made = value.pop("tool_calls", None)
    calls: list[dict[str, Any]] = []
    if isinstance(made, ElidedList | Elided):
        value["elided"] = "tool_calls"
    elif isinstance(made, list):
        calls = [read_call(call, i) for i, call in enumerate(made)]
        if any(map(_has_object, made)):
            value["arguments"] = "object"
    elif made is not None:
        value["tool_calls"] = made
    fields = _assistant_fields(value, calls) | _rest(value)
    if content is None and not calls:
        fields["extra"] = {**fields["extra"], "content": None}
    elif content == "" and calls:
        fields["extra"] = {**fields["extra"], "content": ""}
    valid, invalid = split_calls(calls)
    return AIMessage(read_content(content), tool_calls=valid, invalid_tool_calls=invalid, **fields)


def _assistant_fields(value: dict[str, Any], calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Constructor arguments for the fields that only assistant messages have; a legacy call goes into `calls`."""
    fields: dict[str, Any] = {"name": _text(value.pop("name", None))}
    legacy = value.pop("function_call", None)
    if isinstance(legacy, dict):
        calls.append(tool_call(legacy.get("name"), legacy.get("arguments"), None, len(calls), {"type": "function_call"}))
    if isinstance(value.get("reasoning_content"), str):
        fields["reasoning"] = value.pop("reasoning_content")
    elif isinstance(value.get("reasoning"), str):
        fields["reasoning"] = value.pop("reasoning")
        value["reasoning_field"] = "reasoning"
    beside = {key: value.pop(key) for key in BESIDE if value.get(key) is not None}
    if beside:
        fields["additional_kwargs"] = beside
    metadata = {key: value.pop(key) for key in ("finish_reason", "usage", "model") if value.get(key) is not None}
    if metadata:
        fields["response_metadata"] = response_metadata(metadata, {})
        fields["usage_metadata"] = read_usage(metadata.get("usage"))
    return fields


def _has_object(call: Any) -> bool:
    """Whether a call's arguments stand as a value where the API has a text."""
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and isinstance(function.get("arguments"), dict)


READERS: dict[str, Callable[[Any, Any, dict[str, Any]], Message]] = {
    "system": _read_system,
    "developer": _read_system,
    "user": read_human,
    "assistant": _read_assistant,
    "tool": _read_tool,
    "function": _read_tool,
}


BESIDE = ("refusal", "annotations", "audio")
"""Fields of an assistant message that stand in `additional_kwargs`."""


OWN_EXTRA = frozenset({"role", "content", "content_kind", "reasoning_field", "elided", "arguments"})
"""Names in `extra` that this reader put there itself."""


STANDARD_BLOCKS = frozenset({"text", "image", "audio", "video", "file", "reasoning", "refusal", "tool_call"}) | KNOWN_BLOCKS


_MESSAGE_FIELDS = frozenset({"id", "ts", "timestamp"})


SPECIAL = _MESSAGE_FIELDS | {
    *("function_call", "reasoning_content", "reasoning", "refusal", "annotations", "audio", "finish_reason", "usage", "model")
}
"""Fields that need more than to be kept."""


PLAIN: dict[str, Callable[..., Message]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
"""Kinds of message that a text, a name and unknown fields make."""


def _text(value: Any) -> str | None:
    """A name or id: text as it is, null as None, anything else as JSON text."""
    return value if value.__class__ is str or value is None else as_json_text(value)


def _rest(value: dict[str, Any]) -> dict[str, Any]:
    """Constructor arguments for what is left of a message: its id, its time, and everything else in `extra`; nulls say nothing."""
    if not value:
        return _NOTHING_LEFT
    if None in value.values():
        value = {key: item for key, item in value.items() if item is not None or key == "role"}
    fields: dict[str, Any] = {}
    if not value.keys().isdisjoint(_MESSAGE_FIELDS):
        if isinstance(value.get("id"), str):
            fields["id"] = value.pop("id")
        for key in ("ts", "timestamp"):
            if ts := moment(value.get(key)):
                fields["ts"] = ts
                del value[key]
                break
    fields["extra"] = value or EMPTY
    return fields


_NOTHING_LEFT: dict[str, Any] = {"extra": EMPTY}


def read_call(value: Any, position: int) -> dict[str, Any]:
    """One entry of `tool_calls`. Free-text input of a custom tool becomes `{"input": text}`."""
    if not isinstance(value, dict):
        return tool_call(None, as_json_text(value), None, position)
    function = value.get("function")
    body = function if isinstance(function, dict) else {}
    plain = bool(body) and value.keys() <= _CALL_KEYS and body.keys() <= _FUNCTION_KEYS
    if plain and value.get("index", position) == position and value.get("type", "function") == "function":
        return tool_call(body.get("name"), body.get("arguments"), value.get("id"), position)
    extras = {key: item for key, item in value.items() if key not in _CALL_KEYS}
    if value.get("index", position) != position:
        extras["index"] = value["index"]
    if value.get("type") not in (None, "function"):
        extras["type"] = value["type"]
    custom = value.get("custom")
    if isinstance(custom, dict) and isinstance(custom.get("input"), str):
        extras.pop("custom")
        return tool_call(custom.get("name"), {"input": custom["input"]}, value.get("id"), position, extras)
    if not isinstance(function, dict):
        return tool_call(value.get("name"), value.get("arguments", value.get("args")), value.get("id"), position, extras)
    rest = {key: item for key, item in function.items() if key not in _FUNCTION_KEYS}
    if rest:
        extras["function"] = rest
    return tool_call(function.get("name"), function.get("arguments"), value.get("id"), position, extras)


_CALL_KEYS = frozenset({"id", "type", "function", "index"})


_FUNCTION_KEYS = frozenset({"name", "arguments"})


def read_usage(value: Any) -> UsageMetadata | None:
    """Usage metadata from a body's `usage`."""
    if not isinstance(value, dict):
        return None
    given = value.get("prompt_tokens_details")
    made = value.get("completion_tokens_details")
    inputs, outputs = given if isinstance(given, dict) else {}, made if isinstance(made, dict) else {}
    return usage(
        value.get("prompt_tokens"),
        value.get("completion_tokens"),
        value.get("total_tokens"),
        cache_read=inputs.get("cached_tokens", value.get("prompt_cache_hit_tokens")),
        input_audio=inputs.get("audio_tokens"),
        reasoning=outputs.get("reasoning_tokens"),
        output_audio=outputs.get("audio_tokens"),
    )


def response_metadata(body: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    """A body's own fields under LangChain's names: `usage` is `token_usage`, `model` is `model_name`."""
    renamed = {"usage": "token_usage", "model": "model_name"}
    metadata = {renamed.get(key, key): value for key, value in body.items() if key not in ("choices", "object")}
    return {**metadata, **choice}


def write_message(message: Message) -> dict[str, Any]:
    """One message on the wire. Fields that Holter put in `extra` from an OpenAI log go back to where they stood."""
    body: dict[str, Any]
    match message:
        case SystemMessage():
            body = {"role": message.extra.get("role") or "system", "content": write_content(message.content)}
        case HumanMessage():
            body = {"role": message.extra.get("role") or "user", "content": write_content(message.content)}
        case ToolMessage():
            body = {"role": message.extra.get("role") or "tool", "content": write_content(message.content)}
            if message.tool_call_id is not None:
                body["tool_call_id"] = message.tool_call_id
        case AIMessage():
            body = _write_assistant(message)
        case _:
            assert_never(message)
    if message.name is not None:
        body["name"] = message.name
    return {**body, **{key: value for key, value in message.extra.items() if key not in OWN_EXTRA}}


def _write_assistant(message: AIMessage) -> dict[str, Any]:
    calls = message.calls
    content = write_content(message.content)
    if content == "" or (not content and message.content):
        content = message.extra.get("content", None if calls else "")
    body: dict[str, Any] = {"role": "assistant", "content": content}
    if message.reasoning is not None:
        body[message.extra.get("reasoning_field") or "reasoning_content"] = message.reasoning
    legacy = [call for call in calls if (call.get("extras") or {}).get("type") == "function_call"]
    if legacy:
        body["function_call"] = {"name": legacy[0]["name"], "arguments": as_json_text(legacy[0]["args"])}
    written = [write_call(call) for call in calls if call not in legacy]
    if message.extra.get("arguments") == "as object":
        for entry, call in zip(written, (call for call in calls if call not in legacy), strict=True):
            if "function" in entry and isinstance(call["args"], dict):
                entry["function"] = {**entry["function"], "arguments": call["args"]}
    if written:
        body["tool_calls"] = written
    return body | {key: message.additional_kwargs[key] for key in BESIDE if message.additional_kwargs.get(key) is not None}


def write_call(call: dict[str, Any]) -> dict[str, Any]:
    """One entry of `tool_calls`."""
    extras = dict(call.get("extras") or {})
    kind = extras.pop("type", "function")
    if kind == "custom" and isinstance(call["args"], dict) and call["args"].keys() == {"input"}:
        return {"id": call["id"], "type": "custom", "custom": {"name": call["name"], "input": call["args"]["input"]}, **extras}
    if kind == "custom" and "custom" in extras:
        return {"id": call["id"], "type": "custom", **extras}
    rest = extras.pop("function", None)
    function = {"name": call["name"], "arguments": as_json_text(call["args"]), **(rest if isinstance(rest, dict) else {})}
    return {"id": call["id"], "type": kind, "function": function, **extras}


def write_tool(spec: ToolSpec) -> dict[str, Any]:
    """One tool declaration, wrapped in `function`, or in `custom` where it takes free text; a hosted tool in its own form."""
    kind = spec.extra.get("type")
    extra = {key: item for key, item in spec.extra.items() if key != "type"}
    described = {"description": spec.description} if spec.description else {}
    if kind == spec.name:
        return spec.extra
    if kind == "custom" and not spec.parameters:
        return {"type": kind, "custom": {"name": spec.name, **described, **extra}}
    if kind and kind != "custom":
        return {"type": kind, "name": spec.name, **described, **({"parameters": spec.parameters} if spec.parameters else {}), **extra}
    body: dict[str, Any] = {"name": spec.name, "description": spec.description, "parameters": spec.parameters, **extra}
    return {"type": "function", "function": body | ({"strict": spec.strict} if spec.strict is not None else {})}


def write_usage(counted: UsageMetadata) -> dict[str, Any]:
    """Usage metadata as a body's `usage`."""
    inputs, outputs = counted.get("input_token_details") or {}, counted.get("output_token_details") or {}
    details = {
        "prompt_tokens_details": {"cached_tokens": inputs["cache_read"]} if "cache_read" in inputs else None,
        "completion_tokens_details": {"reasoning_tokens": outputs["reasoning"]} if "reasoning" in outputs else None,
    }
    return {
        "prompt_tokens": counted.get("input_tokens"),
        "completion_tokens": counted.get("output_tokens"),
        "total_tokens": counted.get("total_tokens"),
        **{key: value for key, value in details.items() if value is not None},
    }
