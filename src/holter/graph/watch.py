"""What somebody else appends while a run waits for a node or a tool: that it is to end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

from holter.errors import JournalError, RunCancelled
from holter.graph.recorder import Recorder

_LOOK_S = 0.2


class Watch:
    """While it is entered it looks at the thread from time to time, and cancels the task that entered it when the run is cancelled
    there; what comes out then is RunCancelled. A timer and no task of its own: a run that waits costs next to nothing."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._is_remote = getattr(recorder.journal, "is_remote", True)
        self._asking: asyncio.Task[int] | None = None
        self._has_cancelled = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._before = task, task.cancelling()
        self._again()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        if self._asking is not None:
            self._asking.cancel()
        if not self._has_cancelled:
            return
        is_its_own = self._task.uncancel() <= self._before
        if isinstance(error, asyncio.CancelledError) and is_its_own:
            raise RunCancelled(self._recorder.cancelled or "") from None

    def _again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_LOOK_S, self._ask if self._is_remote else self._look)

    def _ask(self) -> None:
        """Looks when a journal that is elsewhere has answered."""
        self._asking = asyncio.get_running_loop().create_task(self._recorder.length())
        self._asking.add_done_callback(self._answered)

    def _answered(self, asking: asyncio.Task[int]) -> None:
        if asking.cancelled():
            return
        if asking.exception() is None:
            self._look(asking.result())
        else:
            self._again()

    def _look(self, length: int | None = None) -> None:
        is_cancelled = False
        with suppress(JournalError):  # the next append says what is wrong
            is_cancelled = self._recorder.look(length)
        if is_cancelled and not self._task.done():
            self._has_cancelled = True
            self._task.cancel()
        else:
            self._again()
