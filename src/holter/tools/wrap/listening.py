"""What a wrapper hears of the tries inside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from holter.journal.event import Event, ToolFailed, ToolStarted
from holter.tools.request import ToolCallRequest


class Listening:
    """The events of one call on their way to the journal: which function was entered, and how that failed."""

    def __init__(self, emit: Callable[[Event], Awaitable[None] | None], *, holds_failures: bool = False) -> None:
        self._emit = emit
        self._holds_failures = holds_failures
        self.started: ToolStarted | None = None
        """The newest function that was entered, or None."""
        self.failure: ToolFailed | None = None
        """The newest failure; not in the journal yet, if failures are held."""

    def request(self, request: ToolCallRequest) -> ToolCallRequest:
        """The request, whose events are heard here first."""
        return request.override(runtime=replace(request.runtime, emit=self._hear))

    def _hear(self, event: Event) -> Awaitable[None] | None:
        match event:
            case ToolStarted():
                self.started = event
            case ToolFailed():
                held, self.failure = self.failure, event
                if self._holds_failures:
                    if held is not None:
                        self._emit(held)
                    return None
        return self._emit(event)

    def take(self) -> ToolFailed | None:
        """The failure that is held; it is held no longer."""
        failure, self.failure = self.failure, None
        return failure
