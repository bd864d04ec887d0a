"""Waiting a moment: without a thread in an event loop, and without a loop outside of one."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_FIRST_S = 0.0005
_LONGEST_S = 0.02


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that runs in this thread, or None. Imports no asyncio: without it, no loop runs."""
    if "asyncio" not in sys.modules:
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
