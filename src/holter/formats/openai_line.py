"""Lines of OpenAI chat, read fast: typed decoding of the fields that nearly every log has. Anything else is left to the general readers."""

from typing import Any, Literal

import msgspec

from holter.formats.form import tool_specs
from holter.formats.openai_chat import CHAT
from holter.messages import AIMessage, Conversation, HumanMessage, ListPlaces, Place, SystemMessage, ToolMessage, ToolSpec
from holter.messages.calls import split_calls, tool_call
from holter.messages.message import EMPTY, Message


class _Function(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str


class _Call(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: str
    function: _Function
    type: Literal["function"] = "function"


class _System(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="role", tag="system"):
    content: str
    name: str | None = None


class _User(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="role", tag="user"):
    content: str
    name: str | None = None


class _Assistant(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="role", tag="assistant"):
    content: str | msgspec.UnsetType | None = msgspec.UNSET
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    refusal: None = None


class _Tool(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="role", tag="tool"):
    content: str
    tool_call_id: str
    name: str | None = None


_Wire = _System | _User | _Assistant | _Tool


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    messages: list[_Wire]
    tools: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    temperature: float | int | msgspec.UnsetType = msgspec.UNSET
    max_tokens: int | msgspec.UnsetType = msgspec.UNSET
    stream: bool | msgspec.UnsetType = msgspec.UNSET
    tool_choice: Any | msgspec.UnsetType = msgspec.UNSET
    parallel_tool_calls: bool | msgspec.UnsetType = msgspec.UNSET


_decode_list = msgspec.json.Decoder(list[_Wire]).decode


_decode_record = msgspec.json.Decoder(_Record).decode
_decode_arguments = msgspec.json.Decoder(dict[str, Any]).decode


_SETTINGS = ("model", "temperature", "max_tokens", "stream", "tool_choice", "parallel_tool_calls")


def read_line(line: bytes, number: int, source: str | None = None, position: int = 0) -> Conversation | None:
    """The conversation of one JSON line of the plainest kind (a message list, or a record of `messages`, `tools` and common settings), or
    None when the line is anything else: then the general readers take it. `number` is the line's, from 1; `source` and `position` are the
    conversation's own."""
    path = ""
    extra: dict[str, Any] = {}
    tools: list[ToolSpec] | None = None
    try:
        if line[:1] == b"[":
            wire = _decode_list(line)
        else:
            record = _decode_record(line)
            wire, path = record.messages, "messages"
            extra = {key: value for key in _SETTINGS if (value := getattr(record, key)) is not msgspec.UNSET}
            if record.tools is not msgspec.UNSET and (tools := _tools(record.tools)) is None:
                return None
        messages = _from_wire(wire)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not messages:
        return None
    return Conversation(
        format=CHAT,
        messages=messages,
        tools=tools or [],
        tools_known=tools is not None,
        places=ListPlaces(path, len(messages), number),
        place=Place(line=number),
        extra=extra,
        source=source,
        position=position,
    )


def _tools(declared: list[dict[str, Any]]) -> list[ToolSpec] | None:
    """The declarations; None where one of them is none, or is Anthropic's."""
    if any("input_schema" in declaration for declaration in declared):
        return None
    tools = tool_specs(declared)
    return tools if len(tools) == len(declared) else None


def _from_wire(wire: list[_Wire]) -> list[Message] | None:
    """The messages; None where one has no body at all."""
    messages: list[Message] = []
    append = messages.append
    for m in wire:
        if m.__class__ is _Tool:
            append(ToolMessage(m.content, tool_call_id=m.tool_call_id, name=m.name))
        elif m.__class__ is _Assistant:
            if m.tool_calls:
                append(_calling(m))
            elif m.content and m.reasoning_content is None:
                append(AIMessage(m.content))
            elif m.content is msgspec.UNSET and m.reasoning_content is None:
                return None
            else:
                extra = EMPTY if m.content == "" or m.content else {"content": None}
                append(AIMessage(m.content or "", reasoning=m.reasoning_content, extra=extra))
        elif m.__class__ is _User:
            append(HumanMessage(m.content, name=m.name))
        else:
            append(SystemMessage(m.content, name=m.name))  # type: ignore[union-attr, arg-type]
    return messages


def _calling(m: _Assistant) -> AIMessage:
    """An assistant message with calls."""
    calls = []
    try:
        for call in m.tool_calls or ():
            function = call.function
            calls.append({"name": function.name, "args": _decode_arguments(function.arguments), "id": call.id, "type": "tool_call"})
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _calling_badly(m)
    if not m.content and m.content != "" and m.reasoning_content is None:
        return AIMessage(tool_calls=calls)
    return AIMessage(m.content or "", tool_calls=calls, reasoning=m.reasoning_content, extra=_empty(m))


def _calling_badly(m: _Assistant) -> AIMessage:
    """An assistant message with calls, of which the strict decoder refuses some."""
    made = [tool_call(call.function.name, call.function.arguments, call.id, position) for position, call in enumerate(m.tool_calls or ())]
    valid, invalid = split_calls(made)
    return AIMessage(m.content or "", tool_calls=valid, invalid_tool_calls=invalid, reasoning=m.reasoning_content, extra=_empty(m))


def _empty(m: _Assistant) -> dict[str, Any]:
    """What says that the content beside calls was the empty text, and not null."""
    return {"content": ""} if m.content == "" else EMPTY
