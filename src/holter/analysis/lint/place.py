"""Where a call and its parts, or a result and its parts, stand in the source, by the way its format writes them."""

from __future__ import annotations

import re
from typing import Literal

from holter.messages import AIMessage, Message, ToolMessage

Wire = Literal["chat", "anthropic", "gemini", "responses", "langchain"]
Part = Literal["", "id", "name", "args"]

_CHAT = {"": "", "id": ".id", "name": ".function.name", "args": ".function.arguments"}
_ANTHROPIC = {"": "", "id": ".id", "name": ".name", "args": ".input"}
_GEMINI = {"": "", "id": ".functionCall.id", "name": ".functionCall.name", "args": ".functionCall.args"}
_RESPONSES = {"": "call_id", "id": "call_id", "name": "name", "args": "arguments"}
_LANGCHAIN = {"": "", "id": ".id", "name": ".name", "args": ".args"}


def wire_of(form: str) -> Wire:
    """The way a format writes calls."""
    for prefix, wire in _WIRES:
        if form.startswith(prefix):
            return wire
    return "langchain"


_WIRES: tuple[tuple[str, Wire], ...] = (
    ("openai.responses", "responses"),
    ("openai.", "chat"),
    ("anthropic.", "anthropic"),
    ("gemini.", "gemini"),
)


def call_path(wire: Wire, message: AIMessage, position: int, part: Part) -> str:
    """The path of a call's part inside its message; for Responses, inside the call's own item."""
    match wire:
        case "chat":
            call = message.calls[position]
            if (call.get("extras") or {}).get("type") == "function_call":
                return "function_call" + {"name": ".name", "args": ".arguments"}.get(part, "")
            return f"tool_calls[{position}]{_CHAT[part]}"
        case "anthropic":
            return f"content[{block_position(message, position)}]{_ANTHROPIC[part]}"
        case "gemini":
            return f"parts[{block_position(message, position)}]{_GEMINI[part]}"
        case "responses":
            return _RESPONSES[part]
        case "langchain":
            return f"tool_calls[{position}]{_LANGCHAIN[part]}"


def block_position(message: AIMessage, position: int) -> int:
    """Where a call stands among the blocks of its message, where blocks and calls are one list."""
    content = message.content
    if isinstance(content, str):
        return position + (1 if content else 0)
    for at, block in enumerate(content):
        if block.get("type") == "tool_call" and block.get("position") == position:
            return at
    return len(content) + position


Said = Literal["finish", "usage", "total", "cached", "reasoning"]
"""What an answer says of itself: how it ended, and the numbers of its account."""

_SAID: dict[Wire, dict[Said, str]] = {
    "chat": {
        "finish": "finish_reason",
        "usage": "usage",
        "total": "usage.total_tokens",
        "cached": "usage.prompt_tokens_details.cached_tokens",
        "reasoning": "usage.completion_tokens_details.reasoning_tokens",
    },
    "anthropic": {
        "finish": "stop_reason",
        "usage": "usage",
        "total": "usage",
        "cached": "usage.cache_read_input_tokens",
        "reasoning": "usage",
    },
    "gemini": {
        "finish": "finishReason",
        "usage": "usageMetadata",
        "total": "usageMetadata.totalTokenCount",
        "cached": "usageMetadata.cachedContentTokenCount",
        "reasoning": "usageMetadata.thoughtsTokenCount",
    },
    "responses": {
        "finish": "status",
        "usage": "usage",
        "total": "usage.total_tokens",
        "cached": "usage.input_tokens_details.cached_tokens",
        "reasoning": "usage.output_tokens_details.reasoning_tokens",
    },
    "langchain": {
        "finish": "response_metadata.finish_reason",
        "usage": "usage_metadata",
        "total": "usage_metadata.total_tokens",
        "cached": "usage_metadata.input_token_details.cache_read",
        "reasoning": "usage_metadata.output_token_details.reasoning",
    },
}


def body_path(wire: Wire, own: str, said: Said | None) -> str:
    """The path of what an answer says of itself, where its message stands at `own`: a finish reason beside the message in its choice or
    candidate, an account in the body around these. None: the choice, or what else holds both."""
    name = _SAID[wire][said] if said is not None else ""
    choice = own.removesuffix(".message") if "choices[" in own else own
    if said is None or said == "finish":
        return joined(_outside(own) if wire == "responses" else choice, name)
    return joined(_outside(choice), name)


def _outside(own: str) -> str:
    """The path of the body whose list of choices, candidates or items holds an answer; that of the answer itself where none does."""
    for name in ("choices[", "candidates[", "output["):
        if name in own:
            return own[: own.rindex(name)].rstrip(".")
    return own


RESULT_ID: dict[Wire, str] = {
    "chat": "tool_call_id",
    "anthropic": "tool_use_id",
    "gemini": "functionResponse.id",
    "responses": "call_id",
    "langchain": "tool_call_id",
}
RESULT_CONTENT: dict[Wire, str] = {
    "chat": "content",
    "anthropic": "content",
    "gemini": "functionResponse.response",
    "responses": "output",
    "langchain": "content",
}


_INSTRUCTIONS = ("system", "instructions")
"""How the path ends of a system prompt that is a field of its request."""

_BLOCK = re.compile(r"content\[(\d+)\]$")
"""How the path of a message ends that is some of the blocks of its source's message: of the first of them."""


def content_path(wire: Wire, own: str, message: Message, block: int | None) -> str:
    """The path of a message's text, or of one of its blocks, where the message stands at `own`."""
    if isinstance(message, ToolMessage):
        content = RESULT_CONTENT[wire]
        return joined(own, content if block is None or wire == "gemini" else f"{content}[{block}]")
    if own.endswith(_INSTRUCTIONS):
        return own if block is None else f"{own}[{block}]"
    if wire == "gemini":
        return joined(own, f"parts[{block or 0}]")
    if block is None or (wire == "responses" and isinstance(message, AIMessage)):
        return own if _BLOCK.search(own) else joined(own, "content")
    if wire == "anthropic" and (first := _BLOCK.search(own)):
        return f"{own[: first.start()]}content[{int(first[1]) + block}]"
    return joined(own, f"content[{block}]")


_CANDIDATE = re.compile(r"candidates\[\d+\]$")


def joined(path: str, rest: str) -> str:
    """Two pieces of a JSON path; the parts of a Gemini candidate stand in its content."""
    if rest.startswith("parts") and _CANDIDATE.search(path):
        path += ".content"
    if not path or not rest:
        return path or rest
    return f"{path}{rest}" if rest.startswith("[") else f"{path}.{rest}"
