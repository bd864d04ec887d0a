"""One validated tool call with the message that answers it: CPU per call, beside langchain-core's tool of the same function.

Each is called many times on one loop, best of several; the two take turns, so that a busy spell of the machine hits both. What is not
measured is a loop of its own for each call: programs have one.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from benchmarks.measurement import Measurement, Reach, Settings
from holter.tools import tool

CALL = {"name": "get_weather", "args": {"city": "Hangzhou"}, "id": "call_1", "type": "tool_call"}
CALLS = 10_000
"""In each turn; the peer is called a tenth as often."""


def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"clear in {city}"


async def get_weather_async(city: str) -> str:
    """The weather in a city."""
    return f"clear in {city}"


def run(settings: Settings) -> Iterator[Measurement]:
    """An asynchronous tool and a synchronous one, called with `ainvoke` and `invoke`."""
    peers = langchain_tools() if importlib.util.find_spec("langchain_core") else None
    for name, mine, peer in (
        ("async tool", tool("get_weather", get_weather_async).ainvoke, peers and peers[0].ainvoke),
        ("sync tool", awaitable(tool("get_weather", get_weather).invoke), peers and awaitable(peers[1].invoke)),
    ):
        check(mine, peer)
        turns = [(per_call(mine, CALLS), per_call(peer, CALLS // 10) if peer else None) for _ in range(settings.repeat)]
        floors = [floor for _, floor in turns if floor is not None]
        yield Measurement(
            name=f"tool call, {name}",
            value=min(value for value, _ in turns) * 1e6,
            unit="µs",
            floor=min(floors) * 1e6 if floors else None,
            floor_name="langchain-core",
            reach=Reach("value", "most", 20),
        )


def langchain_tools() -> tuple[Any, Any]:
    """The same functions as langchain-core's tools."""
    from langchain_core.tools import StructuredTool

    return StructuredTool.from_function(coroutine=get_weather_async, name="get_weather"), StructuredTool.from_function(get_weather)


def awaitable(invoke: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    """The synchronous call in the form of the asynchronous one, which costs some tenths of a microsecond."""

    async def call(given: Any) -> Any:
        return invoke(given)

    return call


def check(*calls: Callable[[Any], Awaitable[Any]] | None) -> None:
    """Refuses to measure what does not check the arguments or does not answer."""

    async def answers() -> list[Any]:
        return [(await call(CALL)).content for call in calls if call]

    found = asyncio.run(answers())
    if set(found) != {"clear in Hangzhou"}:
        raise SystemExit(f"the tools answered {found}")


def per_call(call: Callable[[Any], Awaitable[Any]], count: int) -> float:
    """CPU seconds of one call."""

    async def calls() -> float:
        began = time.process_time()
        for _ in range(count):
            await call(CALL)
        return (time.process_time() - began) / count

    return asyncio.run(calls())
