"""A history before and after something was left out of it."""

from __future__ import annotations

from functools import cached_property

from holter.messages import AIMessage, Message, Pairing, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text


class Cut:
    """Two lists of messages, the second made from the first."""

    def __init__(self, before: list[Message], after: list[Message]) -> None:
        self.before = before
        self.after = after

    @cached_property
    def kept(self) -> dict[int, int]:
        """Position in `before` -> position in `after` of each message that is still there, matched in order from the end."""
        found: dict[int, int] = {}
        at = len(self.after) - 1
        left: dict[tuple[str, str, str], list[int]] = {}
        for position, message in enumerate(self.after):
            left.setdefault(_key(message), []).append(position)
        for position in range(len(self.before) - 1, -1, -1):
            places = left.get(_key(self.before[position]), [])
            while places and places[-1] > at:
                places.pop()
            if places:
                at = places.pop()
                found[position] = at
                at -= 1
        return dict(sorted(found.items()))

    @cached_property
    def pairing(self) -> Pairing:
        """The calls and results of `before`."""
        return Pairing(self.before)

    @cached_property
    def body(self) -> list[int]:
        """Positions in `before` of messages that are no system messages."""
        return [at for at, message in enumerate(self.before) if not isinstance(message, SystemMessage)]

    def is_tool_turn(self, position: int) -> bool:
        """Whether the message of `before` made a call or is a result."""
        message = self.before[position]
        return isinstance(message, ToolMessage) or (isinstance(message, AIMessage) and bool(message.calls))


def answer_key(message: Message) -> tuple[object, ...] | None:
    """What makes two answers the same, whatever became of their reasoning: their text and the ids of their calls. None for no answer."""
    if not isinstance(message, AIMessage):
        return None
    return message.text, *(call.get("id") for call in message.calls)


def _key(message: Message) -> tuple[str, str, str]:
    """What makes two messages the same: kind, text, and calls or the id of the call. An answer may have lost its reasoning."""
    beside = ""
    if isinstance(message, AIMessage):
        beside = as_json_text([(call.get("id"), call.get("name"), call.get("args")) for call in message.calls])
        return message.type, message.text, beside
    if isinstance(message, ToolMessage):
        beside = message.tool_call_id or ""
    return message.type, as_json_text(message.content), beside
