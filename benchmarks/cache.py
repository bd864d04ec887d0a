"""The cache: a `get` of the memory store, small and with a million entries; a hit through a wrapper, and the key of ten megabytes."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.measurement import Measurement, Reach, Settings
from holter.tools import tool
from holter.tools.wrap import MemoryCache, cached
from holter.tools.wrap.cache_key import digest

GETS = 100_000
CALL = {"name": "get_weather", "args": {"city": "Hangzhou"}, "id": "call_1", "type": "tool_call"}


def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"clear in {city}"


def run(settings: Settings) -> Iterator[Measurement]:
    """CPU time of each."""
    for size in (1_000, 1_000_000):
        mine, floor = filled(size)
        keys = random.Random(1).choices(list(floor), k=GETS)
        turns = [(per_get(mine, keys), per_get(floor, keys)) for _ in range(settings.repeat)]
        yield Measurement(
            name=f"memory cache, get at {size:,} entries",
            value=min(value for value, _ in turns) * 1e6,
            unit="µs",
            floor=min(value for _, value in turns) * 1e6,
            floor_name="dict.get",
            reach=Reach("value", "most", 3),
        )
    yield Measurement(name="a hit, synchronous", value=min(per_hit(2_000) for _ in range(settings.repeat)) * 1e6, unit="µs")
    yield Measurement(name="a hit, asynchronous", value=min(per_async_hit(2_000) for _ in range(settings.repeat)) * 1e6, unit="µs")
    yield Measurement(name="key of a 10 MB argument", value=min(per_key() for _ in range(settings.repeat)) * 1e3, unit="ms")


def filled(size: int) -> tuple[MemoryCache, dict[str, Any]]:
    """A cache and a dict with the same entries."""
    cache, floor = MemoryCache(size), {}
    for number in range(size):
        key = f"get_weather:{number:040x}"
        cache.set(key, b"{}", ttl_s=3_600, labels=("tool:get_weather",))
        floor[key] = b"{}"
    return cache, floor


def per_get(store: Any, keys: list[str]) -> float:
    """CPU seconds of one lookup, the loop included."""
    get = store.get
    began = time.process_time()
    for key in keys:
        get(key)
    return (time.process_time() - began) / len(keys)


def per_hit(count: int) -> float:
    """CPU seconds of one call that is answered from the cache."""
    wrapped = tool(get_weather, read_only=True).wrapped(cached())
    wrapped.invoke(CALL)
    began = time.process_time()
    for _ in range(count):
        wrapped.invoke(CALL)
    return (time.process_time() - began) / count


def per_async_hit(count: int) -> float:
    """The same on one loop."""

    async def calls() -> float:
        wrapped = tool(get_weather, read_only=True).wrapped(cached())
        await wrapped.ainvoke(CALL)
        began = time.process_time()
        for _ in range(count):
            await wrapped.ainvoke(CALL)
        return (time.process_time() - began) / count

    return asyncio.run(calls())


def per_key() -> float:
    """CPU seconds of the key of one text of ten megabytes."""
    text = "x" * 10_000_000
    began = time.process_time()
    digest([{"text": text}])
    return time.process_time() - began
