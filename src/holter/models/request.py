"""What a model is asked, whole: nothing that decides the answer stands anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from holter.messages import Message, ToolSpec


class ModelRequest(msgspec.Struct, frozen=True):
    """One request to a model."""

    messages: Sequence[Message] = ()
    """The history, oldest first, as `sendable` makes it. Whoever makes a request does not change its lists afterwards."""
    tools: list[ToolSpec] = []
    """The tools that the model may call."""
    tool_choice: str | None = None
    """"auto", "none", "required" (any, but one at least), or the name of the tool to call; None leaves it to the provider."""
    parallel_tool_calls: bool | None = None
    """Whether one answer may hold several calls; None leaves it to the provider."""
    settings: dict[str, Any] = {}
    """Everything else, by the provider's own names: temperature, max_tokens, …"""
    response_format: Any = None
    """The form that the answer must have; None for free text."""
