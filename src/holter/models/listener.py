"""What a run tells the models that a program asks by itself: who listens to their answers, and what is known of what they are asked."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple

from holter.messages.chunks import AIMessageChunk
from holter.messages.history import History


class Surroundings(NamedTuple):
    """What surrounds a model that is asked."""

    listen: Callable[[AIMessageChunk], None] | None = None
    """Takes each delta as it comes; None when nobody listens."""
    history: History | None = None
    """The messages that the asking node was given: they need not be looked at again."""


NOWHERE = Surroundings()

surroundings: ContextVar[Surroundings] = ContextVar("holter.model_surroundings", default=NOWHERE)
"""What surrounds a model that is asked here."""
