"""What the load itself costs: the waiting without a framework, the stream read straight from the model."""

import asyncio
from collections.abc import Awaitable, Callable

from benchmarks.contender.load import Load, played


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """Waits as often and as long as a run does."""

    async def run() -> int:
        for _ in range(load.steps):
            await asyncio.sleep(load.model_s)
            await asyncio.sleep(load.tool_s)
        await asyncio.sleep(load.model_s)
        return load.messages

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """Takes the deltas where the model gives them."""
    deltas = load.deltas

    async def read() -> int:
        count = 0
        async for delta in played(deltas, load):
            count += len(delta)
        return count

    return read
