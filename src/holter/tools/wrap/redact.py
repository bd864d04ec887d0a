"""Keeps what must not be seen out of events, exports and screens."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from holter.journal.event import Event, Redacting
from holter.journal.redaction import Redaction
from holter.tools.around import Around, Inner
from holter.tools.request import Result, ToolCallRequest


class redact(Around):
    """What matches one of the patterns is `[redacted]` in events and in what a tool streams, and the journal says that it is to be replaced
    wherever the thread is shown or exported, in the arguments and the result, too. The message list keeps the value: the model needs it."""

    def __init__(self, patterns: str | Iterable[str], *, tools: Collection[str] | None = None) -> None:
        """`patterns` are regular expressions. ValueError for one that is none, or that matches the empty text."""
        super().__init__(tools)
        self.redaction = Redaction((patterns,) if isinstance(patterns, str) else patterns)
        """What is replaced; for whoever shows what has no journal."""
        if not self.redaction:
            raise ValueError("redact: give at least one pattern")
        self.patterns = self.redaction.patterns

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result as it is. On its way everything else is without what matches."""
        runtime = request.runtime
        runtime.emit(Redacting(patterns=list(self.redaction.patterns)))

        def emit(event: Event) -> None:
            runtime.emit(self.redaction.struct(event))

        def write(value: Any) -> None:
            runtime.stream_writer(self.redaction.value(value))

        return await execute(request.override(runtime=replace(runtime, emit=emit, stream_writer=write)))
