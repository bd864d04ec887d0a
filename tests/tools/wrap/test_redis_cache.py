"""The cache in Redis, with a real server: shared by processes, killed, frozen."""

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest
import redis

from holter.graph import ToolNode
from holter.journal.event import CacheHit, CacheSkipped
from holter.tools import Tool, tool
from holter.tools.wrap import RedisCache, cached
from tests.tools.wrap.calls import WAYS, Recorded, Way, asking, call
from tests.tools.wrap.conftest import Server

PROGRAM = """
import asyncio, sys, time
import redis
from holter.graph import ToolNode
from holter.messages import AIMessage
from holter.tools import tool
from holter.tools.wrap import RedisCache, cached

url, lease_s, tool_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])

@tool(read_only=True)
async def slow(q: str) -> str:
    "Slow."
    redis.Redis.from_url(url).incr("entered")
    await asyncio.sleep(tool_s)
    return "about " + q

node = ToolNode([slow], wrap_tool_call=cached(RedisCache(url), lease_s=lease_s))
calls = [{"name": "slow", "args": {"q": "it"}, "id": str(n), "type": "tool_call"} for n in range(200)]
print("ready", flush=True)
sys.stdin.readline()
began = time.monotonic()
results = asyncio.run(node.ainvoke([AIMessage("", tool_calls=calls)]))
print(len(results), {result.content for result in results}, [result.tool_call_id for result in results] == [str(n) for n in range(200)],
      round(time.monotonic() - began, 3), flush=True)
"""


def process(server: Server, lease_s: float, tool_s: float) -> subprocess.Popen[str]:
    """A process that makes 200 identical calls as soon as it is told to."""
    command = [sys.executable, "-c", PROGRAM, server.url, str(lease_s), str(tool_s)]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def go(started: subprocess.Popen[str]) -> None:
    """Lets it begin."""
    assert started.stdin is not None
    started.stdin.write("go\n")
    started.stdin.flush()


def looking(seen: list[Any], answer: Any = "found") -> Tool:
    """A tool that counts."""

    @tool(read_only=True, version="1")
    def look(x: Any = None) -> Any:
        """Look."""
        seen.append(x)
        return answer

    return look


@pytest.mark.parametrize("way", WAYS)
def test_a_result_outlives_the_wrapper(server: Server, way: Way) -> None:
    """Another wrapper over the same server hits; values are under the prefix and end by themselves."""
    seen: list[Any] = []
    look = looking(seen)
    with server.client() as client:
        for store in (RedisCache(server.url), client):
            run = Recorded(ToolNode([look], wrap_tool_call=cached(store, ttl_s=60)), way)
            assert run("look", x=1).content == "found"
            store.close()
        assert seen == [1]
        keys = client.keys("*")
        assert keys
        assert all(key.startswith(b"holter:cache:") and 0 < client.pttl(key) <= 60_000 for key in keys)


def test_two_processes_run_the_tool_once(server: Server) -> None:
    """Of 400 identical calls in two processes one enters the tool."""
    both = [process(server, 30, 0.5) for _ in range(2)]
    for one in both:
        go(one)
    outputs = [one.communicate(timeout=30)[0] for one in both]
    assert all(output.startswith("200 {'about it'} True ") for output in outputs), outputs
    with server.client() as client:
        assert client.get("entered") == b"1"


def test_a_killed_holder_delays_the_others_by_no_more_than_the_lease(server: Server) -> None:
    """The other process gets its turn when the lease has run out."""
    lease_s = 1.5
    holder = process(server, lease_s, 60)
    go(holder)
    with server.client() as client:
        while client.get("entered") is None:
            time.sleep(0.01)
    other = process(server, lease_s, 0)
    holder.kill()
    holder.communicate()
    go(other)
    output = other.communicate(timeout=30)[0]
    assert output.startswith("200 {'about it'} True ")
    assert float(output.split()[-1]) < lease_s + 0.5
    with server.client() as client:
        assert client.get("entered") == b"2"


def test_a_tool_that_takes_longer_than_the_lease(server: Server) -> None:
    """Is run once all the same: who runs it holds on to the lease, whether on a loop or not."""
    both = [process(server, 0.4, 1.6) for _ in range(2)]
    for one in both:
        go(one)
    outputs = [one.communicate(timeout=30)[0] for one in both]
    assert all(output.startswith("200 {'about it'} True ") for output in outputs), outputs
    with server.client() as client:
        assert client.get("entered") == b"1"


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_dies_costs_misses(server: Server, way: Way) -> None:
    """In the middle of a run calls go on without it; when it is back, so are hits."""
    seen: list[Any] = []
    store = RedisCache(server.url)
    run = Recorded(ToolNode([looking(seen)], wrap_tool_call=cached(store)), way)
    assert [run("look").content for _ in range(2)] == ["found"] * 2
    server.kill()
    assert [run("look").content for _ in range(3)] == ["found"] * 3
    assert len(seen) == 4
    assert "the store failed (ConnectionError" in run.of(CacheSkipped)[0].reason
    server.start()
    time.sleep(1.1)
    hits = len(run.of(CacheHit))
    assert [run("look").content for _ in range(2)] == ["found"] * 2
    assert len(run.of(CacheHit)) == hits + 1
    store.close()


def test_a_server_that_does_not_answer_blocks_no_loop(server: Server) -> None:
    """Calls go on after its timeout, and the loop all the while."""
    seen: list[Any] = []
    store = RedisCache(server.url, timeout_s=1.0)
    node = ToolNode([looking(seen)], wrap_tool_call=cached(store))

    async def main() -> tuple[float, float]:
        await node.ainvoke(asking(call("look", x=0)))
        server.freeze(frozen=True)
        worst = 0.0

        async def watch() -> None:
            nonlocal worst
            while True:
                began = time.monotonic()
                await asyncio.sleep(0.01)
                worst = max(worst, time.monotonic() - began)

        watching = asyncio.create_task(watch())
        began = time.monotonic()
        results = await node.ainvoke(asking(*[call("look", str(n), x=n) for n in range(50)]))
        took = time.monotonic() - began
        watching.cancel()
        assert {result.content for result in results} == {"found"}
        return took, worst

    try:
        took, worst = asyncio.run(main())
    finally:
        server.freeze(frozen=False)
    assert took < 10
    assert worst < 0.8
    store.close()


def test_invalidation_reaches_other_processes(server: Server) -> None:
    """By tool, tag and key; labels end with their values."""
    seen: list[Any] = []
    look = looking(seen)
    stores = [RedisCache(server.url) for _ in range(2)]
    one, two = (cached(store, tags="weather", ttl_s=60) for store in stores)
    run = Recorded(ToolNode([look], wrap_tool_call=one))
    run("look", x=1)
    run("look", x=2)
    assert two.invalidate(tool="look") == 2
    run("look", x=1)
    assert two.invalidate(tag="weather") == 1
    run("look", x=1)
    assert two.invalidate(key=run.events[-2].key) == 1  # type: ignore[union-attr]
    run("look", x=1)
    assert len(seen) == 5
    for store in stores:
        store.close()


def test_what_json_cannot_hold_is_not_kept(server: Server) -> None:
    """An artifact with a tuple would come back as a list: an event says why it is not kept."""
    seen: list[Any] = []

    @tool(read_only=True, response_format="content_and_artifact")
    def rows() -> tuple[str, Any]:
        """Rows."""
        seen.append(1)
        return "two", {"rows": (1, 2)}

    store = RedisCache(server.url)
    run = Recorded(ToolNode([rows], wrap_tool_call=cached(store)))
    assert [run("rows").artifact for _ in range(2)] == [{"rows": (1, 2)}] * 2
    assert len(seen) == 2
    assert "artifact is more than that (dict)" in run.of(CacheSkipped)[0].reason
    store.close()


def test_a_closure_over_another_server_is_told_apart_or_not_cached(server: Server) -> None:
    """Two tools made by the same code in one cache: the second needs a version, and says so."""

    def reader(name: str) -> Tool:
        @tool(read_only=True)
        def read(p: str) -> str:
            """Read."""
            return f"{name}:{p}"

        return read

    store = RedisCache(server.url)
    cache = cached(store)
    runs = [Recorded(ToolNode([reader(name)], wrap_tool_call=cache)) for name in ("a", "b")]
    assert [run("read", p="x").content for run in (*runs, *runs)] == ["a:x", "b:x", "a:x", "b:x"]
    assert "give each a version=" in runs[1].of(CacheSkipped)[0].reason
    store.close()


def test_the_client_is_redis() -> None:
    """The server that the tests speak to is a real one."""
    assert redis.__version__
