"""A conversation beside the record that it stands in: the request's settings, whose demands count, and whether it is about to be sent."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from holter.analysis.lint.located import Located
from holter.formats.target import Demand, Target, inferred
from holter.messages import AIMessage, Conversation

_SETTINGS = frozenset(
    {"params", "model", "max_tokens", "max_completion_tokens", "temperature", "stream", "tool_choice", "parallel_tool_calls"}
)
"""Fields that only a request body has."""
_STREAMED = re.compile(r"\[\d+\]\[1\]\[0\]$")
"""Where the first message of what a graph streamed stands."""


class Recorded(Located):
    """One conversation, and what its record says."""

    def __init__(self, conversation: Conversation, target: Target | None = None) -> None:
        super().__init__(conversation)
        self.target = target if target is not None else inferred(conversation)
        """Whose demands are checked; None when it is not known."""
        self.is_explicit = target is not None
        """Whether the caller named the target."""

    def demand(self, code: str) -> Demand | None:
        """What the target demands by a rule; None when nothing."""
        return self.target.demand(code) if self.target is not None else None

    @property
    def speaks(self) -> str | None:
        """The family of the target's wire form."""
        return self.target.family if self.target is not None else None

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The request's settings: the record's own fields, and those under `params`, `config` or `request`."""
        found = dict(self.conversation.extra)
        for key in ("params", "config", "request"):
            inner = self.conversation.extra.get(key)
            if isinstance(inner, dict):
                found = {**inner, **found}
        return found

    @cached_property
    def is_request(self) -> bool:
        """Whether the document is a request body, as it would be sent: a record with a request's settings, and no answer at its end."""
        return (
            not self.ends_with_response and not _SETTINGS.isdisjoint(self.conversation.extra) and "response" not in self.conversation.extra
        )

    @cached_property
    def is_sent(self) -> bool:
        """Whether the history is one that is about to be sent: a request body, or a target was named."""
        return (self.is_request or self.is_explicit) and not self.ends_with_response

    @cached_property
    def is_fragment(self) -> bool:
        """Whether the messages are those that one run of a graph streamed: what came before them is not in the conversation."""
        return self.wire == "langchain" and bool(self.messages) and _STREAMED.search(self.place(0).path) is not None

    @cached_property
    def ends_with_response(self) -> bool:
        """Whether the last message is a response body, or a stream's: what it asks for is still to come."""
        if not self.messages or not isinstance(self.messages[-1], AIMessage):
            return False
        form = self.conversation.format
        if form.endswith((".response", ".stream")) or form == "gemini.interactions":
            return True
        path = self.place(len(self.messages) - 1).path
        if any(piece in path for piece in ("choices[", "candidates[", "response", "output[")) or path == "output":
            return True
        return form == "anthropic.messages" and len(self.messages) == 1 and not path.startswith(("messages", "["))
