"""Runs the calls of one answer together: beside each other where they may, in order where they must."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeAlias

from holter.tools.drive import block_on, drive
from holter.tools.execute import Executor, Outcome
from holter.tools.failure import failed
from holter.tools.plan import Plan, Policy
from holter.tools.request import ToolCallRequest

OnOutcome: TypeAlias = Callable[[int, Outcome], None]
"""Called with the position of a call and what became of it, as soon as it is known."""


async def run_batch(
    executor: Executor,
    requests: Sequence[ToolCallRequest],
    *,
    policy: Policy = "parallel",
    limit: int | None = None,
    settled: Mapping[str, bool] | None = None,
    answers: Mapping[int, Sequence[Any]] | None = None,
    on_outcome: OnOutcome | None = None,
    inline: bool = False,
) -> list[Outcome]:
    """What became of each call, in the order of the calls. A call that fails changes nothing for the others, except those whose tool says
    `after`. Raised are only cancellation, which takes along whatever runs, and what `on_outcome` raises.

    `limit` is how many may run at once; `settled` are the tools that ran before for the same answer, and whether they went well;
    `answers` those to questions, by the position of the call.
    """
    batch = _Batch(executor, requests, policy, limit, settled or {}, answers or {}, on_outcome)
    if len(requests) == 1:
        return [await batch.run(0, inline=inline)]
    tasks = [asyncio.create_task(batch.run(position)) for position in range(len(requests))]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await _stop([task for task in tasks if not task.done()])
    return [task.result() for task in sorted(tasks, key=_is_stopped)]


async def _stop(tasks: Sequence[asyncio.Task[Outcome]]) -> None:
    """Cancels the tasks, once, and waits until they have cleaned up."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _is_stopped(task: asyncio.Task[Outcome]) -> bool:
    """What was stopped stands behind what stopped it; where nothing was, the order stays."""
    return task.cancelled()


class _Batch:
    """One batch while it runs."""

    def __init__(
        self,
        executor: Executor,
        requests: Sequence[ToolCallRequest],
        policy: Policy,
        limit: int | None,
        settled: Mapping[str, bool],
        answers: Mapping[int, Sequence[Any]],
        on_outcome: OnOutcome | None,
    ) -> None:
        self._executor = executor
        self._requests = requests
        self._answers = answers
        self._on_outcome = on_outcome
        names = [str(request.tool_call.get("name")) for request in requests]
        self._plan = Plan([request.tool for request in requests], names, policy, settled)
        self._outcomes: list[Outcome | None] = [None] * len(requests)
        self._ended = [asyncio.Event() for _ in requests]
        self._turns = asyncio.Semaphore(limit) if limit else nullcontext()

    async def run(self, position: int, *, inline: bool = False) -> Outcome:
        """What becomes of one call, after those that it waits for."""
        outcome = await self._outcome(position, inline)
        self._outcomes[position] = outcome
        self._ended[position].set()
        if self._on_outcome is not None:
            self._on_outcome(position, outcome)
        return outcome

    async def _outcome(self, position: int, inline: bool) -> Outcome:
        request = self._requests[position]
        if position not in self._plan.refused:
            for other in self._plan.waits[position]:
                await self._ended[other].wait()
        if reason := self._plan.refused.get(position):
            return Outcome(request.tool_call, failed(request.tool_call, reason), failed=True)
        unmet = self._unmet(position)
        if unmet is not None:
            return self._not_run(request, unmet)
        if inline:
            return await self._executor.run(request, self._answers.get(position, ()), inline=True)
        async with self._turns:
            return await self._executor.run(request, self._answers.get(position, ()))

    def _unmet(self, position: int) -> Outcome | None:
        """What became of a call that this one needs, when it did not go well."""
        needed = (self._outcomes[other] for other in sorted(self._plan.needs[position]))
        return next((outcome for outcome in needed if outcome is not None and outcome.failed), None)

    @staticmethod
    def _not_run(request: ToolCallRequest, unmet: Outcome) -> Outcome:
        """Of a call that cannot start: it stays open where the needed one does, by a question; else it has failed, too."""
        call = request.tool_call
        if unmet.is_open or (unmet.error is not None and not isinstance(unmet.error, Exception)):
            return Outcome(call, failed=True)
        return Outcome(
            call,
            failed(call, f"Error: {call.get('name')} was not run: it needs the result of {unmet.call.get('name')} first, which failed."),
            failed=True,
        )


def run_batch_here(executor: Executor, requests: Sequence[ToolCallRequest], **options: Any) -> list[Outcome]:
    """As `run_batch`, for synchronous callers. One call of which nothing is asynchronous runs on the caller's own thread."""
    if len(requests) == 1 and executor.is_inline(requests[0]):
        return drive(run_batch(executor, requests, inline=True, **options))
    return block_on(run_batch(executor, requests, **options)) if requests else []
