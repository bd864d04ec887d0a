"""Waiting: without blocking where an event loop runs, and without a loop where a caller waits on its own thread."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_FIRST_S = 0.0005
_LONGEST_S = 0.02


_is_waited_for: ContextVar[bool] = ContextVar("holter.waiting_here", default=False)


@contextmanager
def waiting_here() -> Iterator[None]:
    """Within it, journals of this package wait on this thread, also where an event loop runs in it: their coroutines never suspend."""
    token = _is_waited_for.set(True)
    try:
        yield
    finally:
        _is_waited_for.reset(token)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that is to go on while this thread waits, or None. Imports no asyncio: without it, no loop runs."""
    if "asyncio" not in sys.modules or _is_waited_for.get():
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def pauses(patience_s: float) -> Iterator[float]:
    """How long to wait before each next try, in seconds, until the patience is at its end. Each is another, so that those who wait for
    the same do not come at the same time."""
    end = time.monotonic() + patience_s
    longest = _FIRST_S
    while (left := end - time.monotonic()) > 0:
        yield min(random.uniform(longest / 2, longest), left)
        longest = min(longest * 2, _LONGEST_S)


async def pause(seconds: float) -> None:
    """Waits. Blocks the thread only where no event loop runs in it."""
    if running_loop() is None:
        time.sleep(seconds)
        return
    import asyncio

    await asyncio.sleep(seconds)


async def apart(work: Callable[[], T]) -> T:
    """What the work gives; done in another thread where an event loop runs in this one."""
    if running_loop() is None:
        return work()
    import asyncio

    return await asyncio.to_thread(work)
