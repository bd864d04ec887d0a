"""Limits of time for many short waits, one after another: one timer for all of them, where `asyncio.timeout` costs one for each."""

from __future__ import annotations

import asyncio


class Watch:
    """Cancels the task that waits longer than it may. Used by one task at a time, in one loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        """Who waits; None between two waits."""
        self._until: float | None = None
        self._is_over = False

    def begin(self, until: float | None) -> None:
        """A wait of this task begins, which may last until this moment of the loop's clock."""
        self._task = asyncio.current_task()
        self._until = until
        if until is not None and (self._timer is None or until < self._timer.when()):
            self._arm(until)

    def end(self) -> None:
        """The wait is over."""
        self._task = None

    def ended_it(self) -> bool:
        """Whether the `CancelledError` that ended a wait is of this watch alone, and of nobody who cancelled the task; it is taken back."""
        if not self._is_over or self._task is None:
            return False
        self._is_over = False
        return self._task.uncancel() <= 0

    def close(self) -> None:
        """Nothing is waited for any more."""
        self._task = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, until: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(until, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._task is None or self._until is None:
            return
        if self._loop.time() < self._until:
            self._arm(self._until)
        else:
            self._is_over = True
            self._task.cancel()
