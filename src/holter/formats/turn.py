"""One answer of a model as providers send it: blocks and calls in one sequence; and as a message holds it: content, and calls beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from holter.messages.calls import split_calls, tool_call
from holter.messages.content import Block, Content, text_block
from holter.messages.message import AIMessage, InvalidToolCall, ToolCall

_MARK = "tool_call"


class Turn:
    """Takes blocks and calls as they come."""

    def __init__(self) -> None:
        self._parts: list[Block | int] = []
        self.calls: list[dict[str, Any]] = []
        """The calls so far, valid and invalid, in order."""

    def block(self, block: Block) -> None:
        """Takes in a block of content."""
        self._parts.append(block)

    def call(self, call: dict[str, Any]) -> None:
        """Takes in a call, valid or invalid."""
        self._parts.append(len(self.calls))
        self.calls.append(call)

    def fields(self) -> dict[str, Any]:
        """`content`, `tool_calls` and `invalid_tool_calls` of the message. Where a block stands after a call, the content marks each call:
        `{"type": "tool_call", "id": …, "position": its place among the calls}`."""
        valid, invalid = split_calls(self.calls)
        return {"content": plain(self._content()), "tool_calls": valid, "invalid_tool_calls": invalid}

    def _content(self) -> list[Block]:
        first_call = next((at for at, part in enumerate(self._parts) if isinstance(part, int)), len(self._parts))
        if all(isinstance(part, int) for part in self._parts[first_call:]):
            return [part for part in self._parts if isinstance(part, dict)]
        return [part if isinstance(part, dict) else self._mark(part) for part in self._parts]

    def _mark(self, position: int) -> Block:
        return {"type": _MARK, "id": self.calls[position].get("id"), "position": position}


def plain(blocks: list[Block]) -> Content:
    """The text where the blocks are one text without anything beside it, "" where there are none; else the blocks."""
    if not blocks:
        return ""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["type"] == "text" and isinstance(blocks[0]["text"], str):
        return blocks[0]["text"]
    return blocks


def in_order(message: AIMessage) -> Iterator[tuple[Literal["block", "call"], dict[str, Any]]]:
    """Blocks and calls as the model made them: reasoning of the message's own field, then content with the calls where they are marked,
    then the calls that nothing marks. An empty text is no block."""
    left = dict(enumerate(message.calls))
    if message.reasoning:
        yield "block", {"type": "reasoning", "reasoning": message.reasoning}
    content = message.content
    for block in content if isinstance(content, list) else [text_block(content)] if content else []:
        if block.get("type") != _MARK:
            yield "block", block
        elif (at := _marked(block, left)) is not None:
            yield "call", left.pop(at)
    for call in left.values():
        yield "call", call


def _marked(mark: Block, left: dict[int, dict[str, Any]]) -> int | None:
    """The position of the call that a mark stands for, among those that are left."""
    position = mark.get("position")
    if isinstance(position, int):
        return position if position in left else None
    return next((at for at, call in left.items() if call.get("id") == mark.get("id")), None)


def object_call(name: Any, arguments: Any, call_id: Any, position: int, extras: dict[str, Any] | None) -> ToolCall | InvalidToolCall:
    """A call of a provider whose arguments are an object on the wire: text there, even an object's, makes the call invalid."""
    call = tool_call(name, arguments, call_id, position, extras)
    if isinstance(arguments, str) and call["type"] == "tool_call":
        return invalid(call, arguments, "one JSON object was expected, found a string", position)
    return call


def invalid(call: ToolCall, text: str, error: str, position: int) -> InvalidToolCall:
    """The call as an invalid one, for this reason; `text` is what stood for its arguments."""
    return {**call, "args": text, "error": error, "type": "invalid_tool_call", "index": position}
