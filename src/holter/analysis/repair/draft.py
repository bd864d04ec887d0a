"""A conversation while it is being repaired."""

from __future__ import annotations

from typing import Any

from holter.formats.target import Target
from holter.messages import AIMessage, Conversation, Finding, Message, ToolMessage, ToolSpec


class Draft:
    """The parts of a conversation that repairs change, and what they are told of it."""

    def __init__(self, conversation: Conversation, target: Target | None) -> None:
        self.messages: list[Message] = list(conversation.messages)
        self.tools: list[ToolSpec] = list(conversation.tools)
        self.extra: dict[str, Any] = dict(conversation.extra)
        self.tools_known = conversation.tools_known
        self.target = target
        self.form = conversation.format

    def answer(self, position: int) -> AIMessage | None:
        """The message at this position, where the model made it."""
        message = self.messages[position] if position < len(self.messages) else None
        return message if isinstance(message, AIMessage) else None

    def result(self, position: int) -> ToolMessage | None:
        """The message at this position, where it is a result."""
        message = self.messages[position] if position < len(self.messages) else None
        return message if isinstance(message, ToolMessage) else None


def positions(found: list[Finding]) -> list[int]:
    """The messages that the findings are about, each once, in order."""
    return sorted({finding.message for finding in found if finding.message is not None})
