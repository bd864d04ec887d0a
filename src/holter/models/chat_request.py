"""A request as OpenAI chat and its copies take it, whatever the history holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holter.formats.openai_message import write_tool
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolSpec, sendable
from holter.messages.content import Block, Content, text_block
from holter.models.alias import ToolNames
from holter.models.call_ids import with_ids
from holter.models.chat_message import ChatWriter
from holter.models.provider import Quirks
from holter.models.request import ModelRequest
from holter.models.response_form import closed, schema_of

OPENING = "(The beginning of this conversation is left out.)"
"""What the user says first where a provider wants them to, and the history begins with the model."""


def chat_request(
    request: ModelRequest,
    model: str,
    quirks: Quirks,
    names: ToolNames,
    *,
    is_stream: bool,
    prefix: AIMessage | None = None,
    takes_developer: bool = False,
) -> dict[str, Any]:
    """The request body. `prefix` is the beginning of the answer, where the model is to go on with it."""
    writer = ChatWriter(quirks, names, takes_developer=takes_developer)
    messages = writer.write(with_ids(arranged(request.messages, quirks), quirks))
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.tools:
        body["tools"] = [_tool(spec, quirks, names) for spec in request.tools]
        body |= _choice(request, quirks, names)
    if request.response_format is not None:
        body["response_format"] = _form(request.response_format, quirks)
    if is_stream:
        body["stream"] = True
        if quirks.stream_usage:
            body["stream_options"] = {"include_usage": True}
    body |= _settings(request.settings, quirks)
    if prefix is not None:
        body |= _begin(messages, prefix, quirks)
    return body


def arranged(messages: Any, quirks: Quirks) -> list[Message]:
    """The history as it can be sent, in the order that the provider wants."""
    history = sendable(messages, unique_ids="history")
    if quirks.system == "first":
        history = _hoisted(history)
    if quirks.opens_with_user:
        first = next((at for at, message in enumerate(history) if not isinstance(message, SystemMessage)), None)
        if first is not None and not isinstance(history[first], HumanMessage):
            history = [*history[:first], HumanMessage(OPENING), *history[first:]]
    return history


def _hoisted(history: list[Message]) -> list[Message]:
    """The history with one system message at most, which is the first: theirs joined in order."""
    system = [message for message in history if isinstance(message, SystemMessage)]
    if not system or (len(system) == 1 and history[0] is system[0]):
        return history
    return [SystemMessage(_joined([message.content for message in system])), *[m for m in history if not isinstance(m, SystemMessage)]]


def _joined(contents: list[Content]) -> Content:
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(str(content) for content in contents if content)
    blocks: list[Block] = []
    for content in contents:
        blocks += [text_block(content)] if isinstance(content, str) else content
    return blocks


def _tool(spec: ToolSpec, quirks: Quirks, names: ToolNames) -> dict[str, Any]:
    written = dict(write_tool(spec))
    function = written.get("function")
    if not isinstance(function, dict):
        return written
    written["function"] = body = {**function, "name": names.sent(spec.name)}
    if not spec.parameters:
        body["parameters"] = {"type": "object", "properties": {}}
    if not quirks.strict_field:
        body.pop("strict", None)
    elif spec.strict:
        body["parameters"] = closed(body["parameters"])
    return written


def _choice(request: ModelRequest, quirks: Quirks, names: ToolNames) -> dict[str, Any]:
    said: dict[str, Any] = {}
    match request.tool_choice:
        case None:
            pass
        case "auto" | "none":
            said["tool_choice"] = request.tool_choice
        case "required":
            if quirks.required_choice:
                said["tool_choice"] = quirks.required_choice
        case name if quirks.named_choice:
            said["tool_choice"] = {"type": "function", "function": {"name": names.sent(name)}}
        case _:
            if quirks.required_choice:
                said["tool_choice"] = quirks.required_choice
    if request.parallel_tool_calls is not None and quirks.parallel_field:
        said["parallel_tool_calls"] = request.parallel_tool_calls
    return said


def _form(form: Any, quirks: Quirks) -> Any:
    """The form as OpenAI takes it; one that a type says is enforced, since a type says all of it."""
    if isinstance(form, Mapping) and form.get("type") in ("text", "json_object", "json_schema", "grammar"):
        return form
    named = schema_of(form)
    assert named is not None
    name, schema = named
    is_strict = quirks.strict_field and not isinstance(form, Mapping)
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, **({"strict": True} if is_strict else {})}}


def _settings(settings: dict[str, Any], quirks: Quirks) -> dict[str, Any]:
    said = {key: value for key, value in settings.items() if value is not None}
    for key in ("max_tokens", "max_completion_tokens"):
        if key in said and key != quirks.max_tokens_field:
            said.setdefault(quirks.max_tokens_field, said.pop(key))
    return said


def _begin(messages: list[dict[str, Any]], prefix: AIMessage, quirks: Quirks) -> dict[str, Any]:
    """Puts the beginning of the answer at the end of the messages; what the request says besides."""
    began: dict[str, Any] = {"role": "assistant", "content": prefix.text}
    if prefix.reasoning_text and quirks.reasoning != "never":
        began[quirks.reasoning_field] = prefix.reasoning_text
    if quirks.prefix in ("prefix", "partial"):
        began[quirks.prefix] = True
    messages.append(began)
    return {"continue_final_message": True, "add_generation_prompt": False} if quirks.prefix == "continue" else {}
