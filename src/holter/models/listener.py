"""Who listens to the answers of models that a program asks by itself: a run whose stream somebody reads."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from holter.messages.chunks import AIMessageChunk

listener: ContextVar[Callable[[AIMessageChunk], None] | None] = ContextVar("holter.listener", default=None)
"""Takes each delta as it comes; None when nobody listens."""
