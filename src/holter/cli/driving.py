"""One drive of a thread, as the command line needs it: what happens, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from holter.agent.agent import Agent
from holter.graph.compiled import CompiledGraph, open_questions
from holter.graph.ending import Ended, Status
from holter.graph.feed import Feed, Namespace, StepEnded, StreamItem
from holter.journal.redaction import NOTHING, Redaction
from holter.messages import AIMessage


class Outcome(msgspec.Struct, kw_only=True):
    """How it ended."""

    status: Status | None = None
    """None when it never began."""
    error: BaseException | None = None
    limit: str = ""
    """The limit that ended it, as a sentence."""
    questions: dict[str, Any] = {}
    """Open questions, by key."""
    values: dict[str, Any] = {}
    """The state."""
    seconds: float = 0.0
    steps: int = 0
    """Steps of a graph."""
    answers: list[AIMessage] = []
    """What models answered."""
    redaction: Redaction = NOTHING
    """What is not to be shown of the thread. What stands in the outcome is without it, but for the error."""

    def then(self, later: Outcome) -> Outcome:
        """Both as one."""
        later.seconds += self.seconds
        later.steps += self.steps
        return later


class Drive(Protocol):
    """A drive that goes on."""

    def items(self) -> AsyncIterator[tuple[Namespace, StreamItem]]:
        """What happens, and what has not been read yet; to the end."""

    async def cancel(self) -> None:
        """Ends it, and waits for that."""

    def outcome(self) -> Outcome:
        """How it ended."""


def _shown(outcome: Outcome) -> Outcome:
    """The outcome without what is not to be shown."""
    redaction = outcome.redaction
    outcome.limit, outcome.values = redaction.text(outcome.limit), redaction.value(outcome.values)
    return outcome


class GraphDrive:
    """A drive of a graph."""

    def __init__(self, graph: CompiledGraph, given: Any, *, thread: str, context: Any, takeover: bool = False) -> None:
        self._feed = Feed()
        self._execution = graph.execution(given, thread=thread, context=context, feed=self._feed, takeover=takeover)
        self._task = asyncio.create_task(self._driven())
        self._steps = 0

    async def _driven(self) -> Ended:
        try:
            return await self._execution.drive()
        finally:
            self._feed.close()

    async def items(self) -> AsyncIterator[tuple[Namespace, StreamItem]]:
        async for namespace, item in self._feed:
            if not namespace and isinstance(item, StepEnded):
                self._steps += bool(item.writers)
            yield namespace, item
        await self._task

    async def cancel(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    def outcome(self) -> Outcome:
        ended = self._task.result()
        made = Outcome(
            status=ended.status,
            error=ended.error,
            limit=ended.limit.text if ended.limit is not None else "",
            questions={asked.id: asked.value for asked in open_questions(self._execution.fold)},
            values=self._execution.values(),
            steps=self._steps,
            redaction=self._execution.fold.redaction,
        )
        return _shown(made)


class AgentDrive:
    """A drive of an agent, with its limits and its history."""

    def __init__(self, agent: Agent, given: Any, *, thread: str, context: Any, takeover: bool = False) -> None:
        self._run = agent.astream(given, thread=thread, context=context, subgraphs=True, takeover=takeover)

    async def items(self) -> AsyncIterator[tuple[Namespace, StreamItem]]:
        with suppress(Exception):  # what it ended with is its outcome
            async for namespace, item in self._run:
                yield namespace, item

    async def cancel(self) -> None:
        self._run.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._run

    def outcome(self) -> Outcome:
        run = self._run
        made = Outcome(
            status=run.status,
            error=run.error,
            limit=run.limit or "",
            questions={asked.id: asked.value for asked in run.interrupts},
            values=run.state,
            steps=run.steps,
            redaction=run.redaction,
        )
        return _shown(made)
