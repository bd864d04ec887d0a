"""One LangChain message, in each of its JSON envelopes and as a repr: read, and written in LangChain's flat form.

Source: langchain-core 1.8.3 (`model_dump`, `message_to_dict`, `dumpd`), seen 2026-11.
"""

from collections.abc import Iterator
from typing import Any, assert_never

from holter.formats.form import moment
from holter.formats.literal import Call, Elided, ElidedList
from holter.formats.openai_blocks import read_content
from holter.formats.openai_message import read_call, read_usage
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text, split_calls, tool_call
from holter.messages.content import Block, Content, reasoning_block
from holter.messages.message import EMPTY, Message
from holter.messages.usage import sound, usage

KINDS = {
    "human": "human",
    "ai": "ai",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "chat",
    "remove": "remove",
    **{
        f"{name}Message{chunk}": name.lower()
        for name in ("Human", "AI", "System", "Tool", "Function", "Chat", "Remove")
        for chunk in ("", "Chunk")
    },
}
"""Every name of a kind -> the kind."""

BODY_FIELDS = frozenset(
    "content additional_kwargs response_metadata type name id tool_calls invalid_tool_calls usage_metadata tool_call_id status artifact "
    "example tool_call_chunks chunk_position lc_attributes extra ts reasoning role".split()
)


def kind_of(value: Any) -> str | None:
    """The kind of message that a value is ("human", "ai", …), or None when it is none."""
    if not isinstance(value, dict):
        return None
    if isinstance(value, Call):
        return KINDS.get(value.name) if "content" in value or value.name.startswith("RemoveMessage") else None
    kind = value.get("type")
    if kind == "constructor" and value.get("lc") and isinstance(value.get("id"), list) and isinstance(value.get("kwargs"), dict):
        return KINDS.get(str(value["id"][-1])) if value["id"] else None
    if not isinstance(kind, str):
        return None
    if isinstance(value.get("data"), dict) and "content" in value["data"]:
        return KINDS.get(kind)
    return KINDS.get(kind) if "content" in value else None


def class_name(value: Any) -> str:
    if isinstance(value, Call):
        return value.name
    return str(value["id"][-1]) if value.get("type") == "constructor" else str(value.get("type"))


def envelope_of(value: dict[str, Any]) -> tuple[str, ...]:
    """The keys under which a message's fields stand: "kwargs" of a constructor, "data" of the dict form; none in the flat form."""
    if value.get("type") == "constructor" and isinstance(value.get("kwargs"), dict):
        return ("kwargs",)
    return ("data",) if isinstance(value.get("data"), dict) and not isinstance(value, Call) else ()


def body_of(value: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message, whatever envelope they stand in."""
    for key in envelope_of(value):
        value = value[key]
    return dict(value)


def chunk_of(body: dict[str, Any]) -> AIMessageChunk:
    """A delta from the body of an AIMessageChunk."""
    content = body.get("content")
    kwargs = body.get("additional_kwargs")
    kwargs = kwargs if isinstance(kwargs, dict) else {}
    reasoning = kwargs.get("reasoning_content")
    pieces = body.get("tool_call_chunks")
    counted = body.get("usage_metadata")
    metadata = body.get("response_metadata")
    return AIMessageChunk(
        content if isinstance(content, str | list) else "",
        reasoning=reasoning if isinstance(reasoning, str) else None,
        tool_call_chunks=[piece for piece in pieces if isinstance(piece, dict)] if isinstance(pieces, list) else [],
        usage_metadata=sound(counted) if isinstance(counted, dict) else None,
        response_metadata=metadata if isinstance(metadata, dict) else EMPTY,
        id=body.get("id") if isinstance(body.get("id"), str) else None,
    )


def read_message(kind: str, body: dict[str, Any]) -> Message:
    common = _common(body)
    content = _content(body.pop("content", ""))
    if kind == "chat":
        kind = {"user": "human", "assistant": "ai", "system": "system"}.get(str(body.get("role")), "chat")
    match kind:
        case "system":
            return SystemMessage(content, **common, extra=_extra(body))
        case "tool" | "function":
            if kind == "function":
                body["role"] = "function"
            call_id = body.pop("tool_call_id", None)
            status = "error" if body.pop("status", None) == "error" else "success"
            artifact = body.pop("artifact", None)
            call_id = call_id if isinstance(call_id, str) or call_id is None else as_json_text(call_id)
            return ToolMessage(content, tool_call_id=call_id, status=status, artifact=artifact, **common, extra=_extra(body))  # type: ignore[arg-type]
        case "ai":
            return _read_ai(content, common, body)
        case _:
            return HumanMessage(content, **common, extra=_extra(body))


def _common(body: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key in ("name", "id"):
        if isinstance(body.get(key), str) or body.get(key) is None:
            fields[key] = body.pop(key, None)
    for key in ("additional_kwargs", "response_metadata"):
        if isinstance(body.get(key), dict):
            fields[key] = body.pop(key) or EMPTY
        elif body.get(key) is None:
            body.pop(key, None)
    if ts := moment(body.get("ts")):
        fields["ts"] = ts
        del body["ts"]
    body.pop("type", None)
    if body.get("example") is False:
        del body["example"]
    return fields


def _extra(body: dict[str, Any]) -> dict[str, Any]:
    kept = body.pop("extra", None)
    return {**kept, **body} if isinstance(kept, dict) else (body or EMPTY)


def _read_ai(content: Content, common: dict[str, Any], body: dict[str, Any]) -> AIMessage:
    calls, elided_calls = _calls(body, common.get("additional_kwargs") or {})
    if elided_calls:
        body["elided"] = "tool_calls"
    kwargs = common.get("additional_kwargs") or {}
    reasoning = body.pop("reasoning", None) or kwargs.get("reasoning_content")
    if isinstance(reasoning, str) and "reasoning_content" in kwargs:
        common["additional_kwargs"] = {key: item for key, item in kwargs.items() if key != "reasoning_content"} or EMPTY
    counted = _counted(body)
    if counted is None:
        counted = _usage_of(common.get("response_metadata") or {})
    body.pop("tool_call_chunks", None)
    body.pop("chunk_position", None)
    valid, invalid = split_calls(calls)
    return AIMessage(
        _marked(content, calls),
        **common,
        tool_calls=valid,
        invalid_tool_calls=invalid,
        usage_metadata=counted,
        reasoning=reasoning if isinstance(reasoning, str) else None,
        extra=_extra(body),
    )


def _calls(body: dict[str, Any], kwargs: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """(calls in order, whether the document leaves them out). Raw calls of `additional_kwargs` count only where no parsed ones are."""
    given = body.pop("tool_calls", None)
    invalid = body.pop("invalid_tool_calls", None)
    if isinstance(given, ElidedList | Elided):
        return [], True
    calls = [_call(call, i) for i, call in enumerate(given)] if isinstance(given, list) else []
    calls += [_invalid(call, len(calls) + i) for i, call in enumerate(invalid)] if isinstance(invalid, list) else []
    if calls:
        return calls, False
    raw = kwargs.get("tool_calls")
    if isinstance(raw, list) and raw:
        return [read_call(call, i) for i, call in enumerate(raw)], False
    legacy = kwargs.get("function_call")
    if isinstance(legacy, dict):
        return [tool_call(legacy.get("name"), legacy.get("arguments"), None, 0, {"type": "function_call"})], False
    return [], False


def _call(value: Any, position: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        return tool_call(None, as_json_text(value), None, position)
    extras = {key: item for key, item in value.items() if key not in ("name", "args", "id", "type", "extras")}
    given = value.get("extras")
    return tool_call(
        value.get("name"), value.get("args"), value.get("id"), position, {**(given if isinstance(given, dict) else {}), **extras}
    )


def _invalid(value: Any, position: int) -> dict[str, Any]:
    """An invalid call as LangChain keeps it; its reason stays."""
    if not isinstance(value, dict):
        return tool_call(None, as_json_text(value), None, position)
    at = value.get("index")
    call: dict[str, Any] = {
        "name": value.get("name") if isinstance(value.get("name"), str) else None,
        "args": as_json_text(value.get("args") if value.get("args") is not None else ""),
        "id": value.get("id") if isinstance(value.get("id"), str) else None,
        "error": value.get("error") if isinstance(value.get("error"), str) else "the log says that it is invalid",
        "type": "invalid_tool_call",
        "index": at if isinstance(at, int) else position,
    }
    rest = {key: item for key, item in value.items() if key not in call and key != "extras"}
    given = value.get("extras")
    extras = {**(given if isinstance(given, dict) else {}), **rest}
    return call | ({"extras": extras} if extras else {})


def _counted(body: dict[str, Any]) -> dict[str, Any] | None:
    """The usage metadata, taken out of the body; what is no count stays there as it was given, too."""
    given = body.pop("usage_metadata", None)
    if not isinstance(given, dict):
        if given is not None:
            body["usage_metadata"] = given
        return None
    counted = sound(given)
    if counted is not given:
        body["usage_metadata"] = given
    return counted


def _usage_of(metadata: dict[str, Any]) -> dict[str, Any] | None:
    """Usage from the provider's own numbers, for logs older than `usage_metadata`."""
    counted = metadata.get("token_usage", metadata.get("usage", metadata.get("usage_metadata")))
    if not isinstance(counted, dict):
        return None
    if "prompt_tokens" in counted or "completion_tokens" in counted:
        return read_usage(counted)
    return usage(
        counted.get("input_tokens", counted.get("prompt_token_count")),
        counted.get("output_tokens", counted.get("candidates_token_count")),
        counted.get("total_tokens", counted.get("total_token_count")),
    )


def _content(value: Any) -> Content:
    """Content in standard blocks; Anthropic's thinking becomes reasoning, as LangChain 1 names it."""
    content = read_content(value)
    return content if isinstance(content, str) else [_block(block) for block in content]


def _block(block: Block) -> Block:
    match block:
        case {"type": "thinking", "thinking": str(text), **rest}:
            return reasoning_block(text, {key: item for key, item in rest.items() if key not in ("type", "index")})
        case {"extras": {"extras": dict(inner), **beside}}:  # A standard block of LangChain's own, which has its extras there already.
            return {**block, "extras": {**inner, **beside}}
        case _:
            return block


def _marked(content: Content, calls: list[dict[str, Any]]) -> Content:
    """The content with each block that repeats a call (Anthropic's `tool_use`, `function_call`, `tool_call`) made a mark of its place."""
    if isinstance(content, str) or not calls:
        return content
    positions = {call.get("id"): position for position, call in enumerate(calls) if call.get("id")}
    marked: list[Block] = []
    for block in content:
        call_id = block.get("call_id") or block.get("id")
        if block.get("type") in ("tool_use", "function_call", "tool_call") and call_id in positions:
            marked.append({"type": "tool_call", "id": call_id, "position": positions[call_id]})
        else:
            marked.append(block)
    return marked


def write_message(message: Message) -> dict[str, Any]:
    """One message under LangChain's field names, every standard one present; reasoning is `additional_kwargs.reasoning_content`."""
    body: dict[str, Any] = {
        "type": message.type,
        "content": _written_content(message),
        "additional_kwargs": dict(message.additional_kwargs),
        "response_metadata": dict(message.response_metadata),
        "name": message.name,
        "id": message.id,
    }
    match message:
        case AIMessage():
            if message.reasoning is not None:
                body["additional_kwargs"]["reasoning_content"] = message.reasoning
            body["tool_calls"] = message.tool_calls
            body["invalid_tool_calls"] = list(message.invalid_tool_calls)
            body["usage_metadata"] = message.usage_metadata
        case ToolMessage():
            body["tool_call_id"] = message.tool_call_id
            body["status"] = message.status
            body["artifact"] = message.artifact
        case SystemMessage() | HumanMessage():
            pass
        case _:
            assert_never(message)
    return body | dict(_beside(message))


def _beside(message: Message) -> Iterator[tuple[str, Any]]:
    if message.extra:
        yield "extra", dict(message.extra)
    if message.ts is not None:
        yield "ts", message.ts.isoformat()


def _written_content(message: Message) -> Any:
    if not isinstance(message, AIMessage) or isinstance(message.content, str):
        return message.content
    calls = message.calls
    written = []
    for block in message.content:
        position = block.get("position")
        if block.get("type") == "tool_call" and isinstance(position, int) and position < len(calls):
            call = calls[position]
            written.append({"type": "tool_call", "id": call.get("id"), "name": call.get("name"), "args": call.get("args")})
        else:
            written.append(block)
    return written
