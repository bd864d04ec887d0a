"""Where a call and its parts, or a result and its parts, stand in the source, by the way its format writes them."""

from __future__ import annotations

from typing import Literal

from holter.messages import AIMessage

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


def joined(path: str, rest: str) -> str:
    """Two pieces of a JSON path."""
    if not path or not rest:
        return path or rest
    return f"{path}{rest}" if rest.startswith("[") else f"{path}.{rest}"
