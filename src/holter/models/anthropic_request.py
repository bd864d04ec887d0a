"""A request as Anthropic's Messages API takes it, whatever the history holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from holter.formats.anthropic_request import write
from holter.messages import AIMessage, Conversation
from holter.messages.content import Block
from holter.models.alias import ToolNames
from holter.models.call_ids import with_ids
from holter.models.chat_request import arranged
from holter.models.provider import Quirks
from holter.models.request import ModelRequest
from holter.models.response_form import closed, schema_of

MAX_TOKENS = 8_192
"""What an answer may have where nothing is said: Anthropic has no default, and refuses more than a model's own limit."""

EMPTY_TEXT = "(empty)"
GO_ON = "Continue."
MARK = {"type": "ephemeral"}


def anthropic_request(
    request: ModelRequest, model: str, quirks: Quirks, names: ToolNames, *, begun: AIMessage | None, marks_cache: bool
) -> dict[str, Any]:
    """The request body. `begun` is the beginning of the answer, where the model is to go on with it."""
    history = [*with_ids(arranged(request.messages, quirks), quirks), *([begun] if begun is not None else [])]
    written = write(Conversation(format="holter", messages=history, tools=request.tools)).document
    messages = _clean(written["messages"], names)
    last_ends = bool(messages) and messages[-1]["role"] == "assistant"
    if last_ends and begun is None and quirks.prefix == "none":
        messages.append({"role": "user", "content": GO_ON})
    elif last_ends:
        _trim_end(messages[-1])
    body: dict[str, Any] = {"model": model, "messages": messages}
    if system := _system(written.get("system")):
        body["system"] = system
    if request.tools:
        body["tools"] = [_tool(tool, names) for tool in written["tools"]]
        body |= _choice(request, names)
    body |= _settings(request, messages)
    if marks_cache:
        _mark(body)
    return body


# Messages


def _clean(messages: list[dict[str, Any]], names: ToolNames) -> list[dict[str, Any]]:
    return [{**message, "content": _content(message["content"], message is messages[-1], names)} for message in messages]


def _content(content: Any, is_last: bool, names: ToolNames) -> Any:
    """The content without blank texts, which are refused, and without halves of pairs of hosted calls and results."""
    if isinstance(content, str):
        return content if content.strip() else EMPTY_TEXT
    called = {block.get("id") for block in content if str(block.get("type")).endswith("_tool_use")}
    answered = {block.get("tool_use_id") for block in content if _is_hosted_result(block)}
    kept = []
    for block in content:
        kind = block.get("type")
        if kind == "text" and not str(block.get("text", "")).strip():
            continue
        if _is_hosted_result(block) and block.get("tool_use_id") not in called:
            continue
        if kind in ("server_tool_use", "mcp_tool_use") and not is_last and block.get("id") not in answered:
            continue
        kept.append(_named(block, names))
    return kept or EMPTY_TEXT


def _is_hosted_result(block: Block) -> bool:
    return str(block.get("type")).endswith("_tool_result")


def _named(block: Block, names: ToolNames) -> Block:
    if block.get("type") == "tool_use":
        return {**block, "name": names.sent(block.get("name") or "unknown_tool")}
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        texts = [part for part in block["content"] if part.get("type") != "text" or str(part.get("text", "")).strip()]
        return {**block, "content": texts}
    return block


def _trim_end(message: dict[str, Any]) -> None:
    """Takes the blanks off the end of a last assistant message, which are refused."""
    content = message["content"]
    if isinstance(content, str):
        message["content"] = content.rstrip()
    elif content[-1].get("type") == "text":
        message["content"] = [*content[:-1], {**content[-1], "text": content[-1]["text"].rstrip()}]


def _system(system: Any) -> Any:
    if isinstance(system, str):
        return system if system.strip() else None
    return [block for block in system or [] if block.get("type") != "text" or str(block.get("text", "")).strip()]


# Tools and settings


def _tool(tool: dict[str, Any], names: ToolNames) -> dict[str, Any]:
    if "input_schema" not in tool:
        return tool
    schema = closed(tool["input_schema"]) if tool.get("strict") else tool["input_schema"]
    return {**tool, "name": names.sent(tool["name"]), "input_schema": {"type": "object", **schema}}


def _choice(request: ModelRequest, names: ToolNames) -> dict[str, Any]:
    choice: dict[str, Any]
    match request.tool_choice:
        case None if request.parallel_tool_calls is None:
            return {}
        case None | "auto":
            choice = {"type": "auto"}
        case "none":
            return {"tool_choice": {"type": "none"}}
        case "required":
            choice = {"type": "any"}
        case name:
            choice = {"type": "tool", "name": names.sent(name)}
    if request.parallel_tool_calls is not None:
        choice["disable_parallel_tool_use"] = not request.parallel_tool_calls
    return {"tool_choice": choice}


_OTHER_NAMES = {"stop": "stop_sequences", "max_completion_tokens": "max_tokens"}
"""Settings by OpenAI's names -> by Anthropic's."""


def _settings(request: ModelRequest, messages: list[dict[str, Any]]) -> dict[str, Any]:
    said = {_OTHER_NAMES.get(key, key): value for key, value in request.settings.items() if value is not None and key != "betas"}
    if isinstance(said.get("stop_sequences"), str):
        said["stop_sequences"] = [said["stop_sequences"]]
    if is_thinking(said) and not _leads_with_thinking(messages):
        del said["thinking"]
    if "max_tokens" not in said:
        budget = said["thinking"].get("budget_tokens", 0) if is_thinking(said) else 0
        said["max_tokens"] = MAX_TOKENS + budget
    if request.response_format is not None:
        said["output_config"] = {**said.get("output_config", {}), "format": _form(request.response_format)}
    return said


def is_thinking(settings: dict[str, Any]) -> bool:
    """Whether the model is told to think."""
    thinking = settings.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _leads_with_thinking(messages: list[dict[str, Any]]) -> bool:
    """Whether every answer of the turn that goes on begins with its thinking, as it must where it called tools: without it, it is lost."""
    for message in reversed(messages):
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        if message["role"] == "user":
            if not any(block.get("type") == "tool_result" for block in blocks):
                return True
        elif any(block.get("type") == "tool_use" for block in blocks) and blocks[0].get("type") not in _THOUGHTS:
            return False
    return True


_THOUGHTS = ("thinking", "redacted_thinking")


def _form(form: Any) -> Any:
    named = schema_of(form)
    if named is None:
        if isinstance(form, Mapping) and form.get("type") == "json_schema":
            return form
        raise ValueError(f"Anthropic gives answers of a JSON Schema, and knows no response_format {form!r}; give a type or a schema")
    return {"type": "json_schema", "schema": closed(named[1])}


# The cache


def _mark(body: dict[str, Any]) -> None:
    """Marks where the provider may keep the request for the next one: behind what never changes, and at the end. Marks that a program set
    itself are left alone."""
    if any("cache_control" in block for block in _blocks(body)):
        return
    if isinstance(body.get("system"), str):
        body["system"] = [{"type": "text", "text": body["system"]}]
    if body.get("system"):
        body["system"] = [*body["system"][:-1], {**body["system"][-1], "cache_control": MARK}]
    elif body.get("tools"):
        body["tools"] = [*body["tools"][:-1], {**body["tools"][-1], "cache_control": MARK}]
    last = body["messages"][-1] if body["messages"] else None
    if last is not None:
        content = [{"type": "text", "text": last["content"]}] if isinstance(last["content"], str) else list(last["content"])
        if content[-1].get("type") not in _THOUGHTS:
            content[-1] = {**content[-1], "cache_control": MARK}
        last["content"] = content


def _blocks(body: dict[str, Any]) -> Iterator[Block]:
    yield from body.get("tools", ())
    for content in (body.get("system"), *(message["content"] for message in body["messages"])):
        yield from content if isinstance(content, list) else ()
