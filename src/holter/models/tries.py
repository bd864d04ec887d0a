"""Who is told of the tries of a model that makes several: a run, which keeps them in its journal."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class Tries(Protocol):
    """Is told of every request that fails and is not the last one. From any thread."""

    def failed(self, model: str, error: Exception, wait_s: float | None) -> None:
        """A model did not answer. It is asked again in `wait_s` seconds; None where another one is asked in its place."""

    def begun(self, model: str) -> None:
        """A model is asked, behind one that failed."""


tries: ContextVar[Tries | None] = ContextVar("holter.tries", default=None)
"""Takes what happens to the requests that are made here; None when nobody wants to know."""
