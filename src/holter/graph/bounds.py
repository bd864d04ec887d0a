"""What ends a drive from outside of it: its time, and who cancels it in its thread."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from types import TracebackType

from holter.graph.ending import LimitHit
from holter.graph.recorder import Recorder
from holter.graph.watch import Watch

UNBOUND = nullcontext()
"""The bounds of a drive that has none."""


class Bounds:
    """While it is entered, the task that entered it is ended when the time is over: LimitHit; and when its thread is cancelled:
    RunCancelled."""

    def __init__(self, recorder: Recorder, deadline_s: float | None, *, is_watched: bool) -> None:
        """`is_watched`: whether others may cancel the thread."""
        self._recorder = recorder
        self._deadline_s = deadline_s
        self._timeout = asyncio.timeout(deadline_s)
        self._watch = Watch(recorder) if is_watched else None

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()
        if self._watch is not None:
            self._watch.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if self._watch is not None:
                self._watch.__exit__(kind, error, trace)
        except BaseException as cancelled:
            await self._timeout.__aexit__(type(cancelled), cancelled, cancelled.__traceback__)
            raise
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise self._hit() from None
        if isinstance(error, TimeoutError) and self._timeout.expired():  # what was cancelled made it one of its own
            raise self._hit() from None

    def _hit(self) -> LimitHit:
        at, limit = len(self._recorder.fold.messages()), self._deadline_s
        return LimitHit("seconds", limit, f"The run was stopped before message {at}: it took {limit:g} s, which is its limit.")
