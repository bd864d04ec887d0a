"""Each way in which a program runs an agent."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from holter.agent import Agent, Run

Way: TypeAlias = Callable[..., Run]


def in_sync(agent: Agent, prompt: Any, **options: Any) -> Run:
    """As a synchronous caller does it."""
    return agent.run(prompt, **options)


def in_async(agent: Agent, prompt: Any, **options: Any) -> Run:
    """As an asynchronous caller does it."""
    return asyncio.run(agent.arun(prompt, **options))


def in_notebook(agent: Agent, prompt: Any, **options: Any) -> Run:
    """As a synchronous caller does it inside a loop."""

    async def cell() -> Run:
        return agent.run(prompt, **options)

    return asyncio.run(cell())


def in_stream(agent: Agent, prompt: Any, **options: Any) -> Run:
    """As somebody does it who looks on."""
    run = agent.stream(prompt, **options)
    for _ in run:
        pass
    return run


def in_async_stream(agent: Agent, prompt: Any, **options: Any) -> Run:
    """As somebody does it who looks on from a loop."""

    async def main() -> Run:
        run = agent.astream(prompt, **options)
        async for _ in run:
            pass
        return run

    return asyncio.run(main())


WAYS = [in_sync, in_async, in_notebook, in_stream, in_async_stream]
