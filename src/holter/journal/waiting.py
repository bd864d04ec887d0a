"""Who waits for a thread to change, in whichever event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import asyncio


class _Waiter(NamedTuple):
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[int]
    seq: int
    """The length that is no news."""


_NONE: dict[str, list[_Waiter]] = {}
"""Stands for an empty one, and is never written to."""


class Waiting:
    """The waiters of each thread. All methods may be called from several threads at once."""

    __slots__ = ("_lock", "_waiters")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        """Its own, and not one for all: a child process and the garbage collector may come upon one that is held."""
        self._waiters: dict[str, list[_Waiter]] = _NONE

    def __len__(self) -> int:
        return len(self._waiters)

    def threads(self) -> list[str]:
        """The threads that somebody waits for."""
        with self._lock:
            return list(self._waiters)

    def wake(self, thread: str, length: int) -> None:
        """Tells the thread's length to those for whom it is news."""
        if thread not in self._waiters:
            return
        with self._lock:
            waiters = self._waiters.get(thread, [])
            told = [waiter for waiter in waiters if waiter.seq != length]
            self._keep(thread, [waiter for waiter in waiters if waiter.seq == length])
        for waiter in told:
            with suppress(RuntimeError):  # a loop that was closed with somebody waiting
                waiter.loop.call_soon_threadsafe(_resolve, waiter.future, length)

    async def changed(self, thread: str, seq: int, length: Callable[[], Awaitable[int]]) -> int:
        """Waits until another length than `seq` is told, and gives it; at once where `length()` is another already. That is asked when
        the waiter stands in line, so that no change goes by between the two."""
        import asyncio  # here, so that reading events imports no asyncio

        loop = asyncio.get_running_loop()
        waiter = _Waiter(loop, loop.create_future(), seq)
        with self._lock:
            self._waiters = self._waiters or {}
            self._waiters.setdefault(thread, []).append(waiter)
        try:
            now = await length()
            return now if now != seq else await waiter.future
        finally:
            with self._lock:
                self._keep(thread, [other for other in self._waiters.get(thread, ()) if other is not waiter])

    def forget_closed(self) -> None:
        """Drops those who waited in loops that are closed."""
        with self._lock:
            for thread, waiters in list(self._waiters.items()):
                self._keep(thread, [waiter for waiter in waiters if not waiter.loop.is_closed()])

    def _keep(self, thread: str, waiters: list[_Waiter]) -> None:
        if waiters:
            self._waiters[thread] = waiters
        else:
            self._waiters.pop(thread, None)


def _resolve(future: asyncio.Future[int], length: int) -> None:
    if not future.done():
        future.set_result(length)
