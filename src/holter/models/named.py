"""An answer with the program's own names of tools in the place of those that its provider takes."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from holter.messages import AIMessage, AIMessageChunk
from holter.messages.message import NO_CALLS
from holter.models.alias import ToolNames


def own_names(message: AIMessage, names: ToolNames) -> AIMessage:
    """The message; itself where every tool was sent under its own name."""
    if names.are_plain:
        return message
    return message.replace(
        tool_calls=[_named(call, names) for call in message.tool_calls],
        invalid_tool_calls=[_named(call, names) for call in message.invalid_tool_calls] or NO_CALLS,
    )


def own_names_of_chunk(chunk: AIMessageChunk, names: ToolNames) -> AIMessageChunk:
    """The delta; itself where it names no tool, or every tool was sent under its own name."""
    if not chunk.tool_call_chunks or names.are_plain:
        return chunk
    return replace(chunk, tool_call_chunks=[_named(call, names) for call in chunk.tool_call_chunks])


def _named(call: dict[str, Any], names: ToolNames) -> dict[str, Any]:
    name = call.get("name")
    return {**call, "name": names.own(name)} if name else call
