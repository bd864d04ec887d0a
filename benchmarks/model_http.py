"""Models over HTTP: CPU of the client for a request and for a chunk of a stream, and many streams at once.

The server is a process of its own, so that only the client's time is counted. The official client and bare httpx2 take turns with Holter,
so that a busy spell of the machine hits all of them.
"""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from benchmarks.measurement import Measurement, Reach, Settings
from holter.messages import HumanMessage, ToolSpec
from holter.models import load
from holter.models.request import ModelRequest

REQUESTS = 300
CHUNKS = 2_000
STREAMS = 500
CHUNKS_EACH = 20
PAUSE_MS = 50
KEY = "sk-0123456789"

TOOL = ToolSpec(
    "get_weather", "The weather in a city.", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
)
REQUEST = ModelRequest([HumanMessage("What is the weather in Hangzhou? " * 20)], [TOOL])
BODY = {
    "model": "m",
    "messages": [{"role": "user", "content": REQUEST.messages[0].text}],
    "tools": [{"type": "function", "function": {"name": TOOL.name, "description": TOOL.description, "parameters": TOOL.parameters}}],
}


def run(settings: Settings) -> Iterator[Measurement]:
    """One request, one chunk of a stream, and five hundred streams."""
    with server() as url:
        yield whole(url, settings)
        yield chunk(url, settings)
        yield concurrent(url, settings)


@contextmanager
def server() -> Iterator[str]:
    """The base URL of a server that runs until it is left."""
    command = [sys.executable, "-m", "benchmarks.model_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.stdin.close()


def whole(url: str, settings: Settings) -> Measurement:
    """CPU of a request that is answered whole, beside the official client's."""
    model = load(f"{url}#m", key=KEY)
    has_peer = importlib.util.find_spec("openai") is not None

    async def mine() -> None:
        answer = await model.generate(REQUEST)
        assert answer.tool_calls[0]["args"] == {"city": "Hangzhou"}

    turns = [(per_call(mine), official(url) if has_peer else None) for _ in range(settings.repeat)]
    peers = [peer for _, peer in turns if peer is not None]
    return Measurement(
        name="model request, answered whole",
        value=min(value for value, _ in turns) * 1e6,
        unit="µs",
        floor=min(peers) * 1e6 if peers else None,
        floor_name="openai",
        reach=Reach("value", "most", 1_000),
    )


def per_call(call: Callable[[], Awaitable[None]]) -> float:
    """CPU seconds of one call on a connection that is there."""

    async def calls() -> float:
        await call()
        began = time.process_time()
        for _ in range(REQUESTS):
            await call()
        return (time.process_time() - began) / REQUESTS

    return asyncio.run(calls())


def official(url: str) -> float:
    """The same with OpenAI's own client."""
    import openai

    async def calls() -> float:
        async with openai.AsyncOpenAI(api_key=KEY, base_url=url) as client:
            create: Any = client.chat.completions.create
            await create(**BODY)
            began = time.process_time()
            for _ in range(REQUESTS):
                answer = await create(**BODY)
                assert answer.choices[0].message.tool_calls[0].function.name == "get_weather"
            return (time.process_time() - began) / REQUESTS

    return asyncio.run(calls())


def chunk(url: str, settings: Settings) -> Measurement:
    """CPU of a chunk of a stream above that of httpx2, which reads the same bytes."""
    model = load(f"{url}#m", key=KEY, max_tokens=CHUNKS)
    request = model.request(REQUEST.messages)

    async def mine() -> int:
        return sum([1 async for one in model.chunks(request) if one.content])

    trust = httpx2.create_ssl_context()  # reading it would count for more than the stream

    async def bare() -> int:
        address = f"{url}/chat/completions"
        async with (
            httpx2.AsyncClient(timeout=None, verify=trust) as client,
            client.stream("POST", address, json=stream_body(CHUNKS)) as response,
        ):
            return sum([piece.count(b"\n") async for piece in response.aiter_bytes()]) // 2 - 3  # the last three are not text

    turns = [(cpu(mine, CHUNKS), cpu(bare, CHUNKS)) for _ in range(settings.repeat)]
    httpx2_s = min(floor for _, floor in turns)
    return Measurement(
        name="streamed chunk, above httpx2's",
        value=(min(value for value, _ in turns) - httpx2_s) * 1e6,
        unit="µs",
        floor=httpx2_s * 1e6,
        floor_name="httpx2",
        reach=Reach("value", "most", 10),
    )


def stream_body(count: int) -> dict[str, Any]:
    """A request for so many chunks."""
    return {**BODY, "stream": True, "max_tokens": count}


def cpu(body: Callable[[], Awaitable[int]], expected: int) -> float:
    """CPU seconds of one chunk."""

    async def once() -> float:
        began = time.process_time()
        found = await body()
        assert found == expected
        return (time.process_time() - began) / expected

    return asyncio.run(once())


def concurrent(url: str, settings: Settings) -> Measurement:
    """The time of five hundred streams at once, each of which takes a second by itself."""
    model = load(f"{url}#m", key=KEY, max_tokens=CHUNKS_EACH, top_k=PAUSE_MS)
    request = model.request(REQUEST.messages)

    async def one() -> int:
        return sum([1 async for part in model.chunks(request) if part.content])

    async def all_of_them() -> float:
        began = time.perf_counter()
        found = await asyncio.gather(*[one() for _ in range(STREAMS)])
        assert found == [CHUNKS_EACH] * STREAMS
        return time.perf_counter() - began

    return Measurement(
        name=f"{STREAMS} streams at once",
        value=min(asyncio.run(all_of_them()) for _ in range(min(settings.repeat, 3))),
        unit="s",
        floor=CHUNKS_EACH * PAUSE_MS / 1_000,
        floor_name="one alone, waiting",
        note=f"{CHUNKS_EACH} chunks each, one every {PAUSE_MS} ms",
    )
