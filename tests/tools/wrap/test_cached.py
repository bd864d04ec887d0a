"""Caching results: what hits, what is never kept, who runs when many ask at once."""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

from holter.graph import ToolNode
from holter.journal.event import CacheHit, CacheMissed, CacheSkipped, ToolStarted
from holter.messages import ToolMessage
from holter.tools import Command, InjectedState, InjectedToolCallId, Tool, tool
from holter.tools.wrap import MemoryCache, SqliteCache, cached, check_wrappers, retry
from tests.tools.wrap.calls import WAYS, Recorded, Way, asking, call


def counting(answer: Any = None, **options: Any) -> tuple[Tool, list[Any]]:
    """A tool that says what it got, and the list of what it got."""
    seen: list[Any] = []

    @tool(**{"read_only": True, **options})
    def look(x: Any = None, y: Any = None) -> Any:
        """Look."""
        seen.append(x)
        return f"{x!r} {y!r}" if answer is None else answer() if callable(answer) else answer

    return look, seen


class Bytes:
    """Any object with get and set; it keeps bytes only."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """The bytes."""
        return self.values.get(key)

    def set(self, key: str, value: bytes) -> None:
        """Keeps them."""
        assert type(value) is bytes
        self.values[key] = value


class Later(Bytes):
    """The same with coroutine functions."""

    async def get(self, key: str) -> bytes | None:  # type: ignore[override]
        """The bytes."""
        await asyncio.sleep(0)
        return self.values.get(key)

    async def set(self, key: str, value: bytes) -> None:  # type: ignore[override]
        """Keeps them."""
        await asyncio.sleep(0)
        self.values[key] = value


@pytest.fixture(params=["memory", "sqlite", "bytes", "later"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Each kind of store that needs no server."""
    made: dict[str, Callable[[], Any]] = {
        "memory": MemoryCache,
        "sqlite": lambda: SqliteCache(tmp_path / "cache.db"),
        "bytes": Bytes,
        "later": Later,
    }
    store = made[request.param]()
    yield store
    if isinstance(store, SqliteCache):
        store.close()


@pytest.mark.parametrize("way", WAYS)
def test_the_second_call_is_a_hit(way: Way, store: Any) -> None:
    """It gets the content under its own id and name, without the tool, and the events say what happened and how often."""
    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached(store)), way)
    assert run("look", "a", x=1) == ToolMessage("1 None", tool_call_id="a", name="look")
    assert run("look", "b", x=1) == ToolMessage("1 None", tool_call_id="b", name="look")
    assert seen == [1]
    assert run.kinds == ["cache_miss", "tool_started", "cache_hit"]
    (hit,), (miss,) = run.of(CacheHit), run.of(CacheMissed)
    assert (hit.call_id, hit.name, hit.rate, hit.stale, miss.rate) == ("b", "look", 0.5, False, 0.0)
    assert hit.key == miss.key


def test_equal_arguments_in_another_order_hit() -> None:
    """The order of keys is nothing at any depth, that of lists is."""
    seen: list[Any] = []

    @tool(read_only=True)
    def add(a: int, b: dict[str, Any]) -> str:
        """Add."""
        seen.append(a)
        return "done"

    run = Recorded(ToolNode([add], wrap_tool_call=cached()))
    run("add", a=5, b={"x": 1, "y": [{"p": 1, "q": 2}]})
    run("add", b={"y": [{"q": 2, "p": 1}], "x": 1}, a=5)
    assert len(seen) == 1
    run("add", a=5, b={"x": 1, "y": [{"p": 1}, {"q": 2}]})
    run("add", a=5, b={"x": 1, "y": [{"q": 2}, {"p": 1}]})
    assert len(seen) == 3


def test_values_of_other_types_do_not_collide() -> None:
    """1, 1.0, True, "1", None, [] and {} are calls of their own; an argument that the tool receives as the same is the same."""
    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached()))
    values = [1, 1.0, True, "1", None, [], {}, "", 0, False, 0.0, [1], [True]]
    for value in (*values, *values):
        assert run("look", x=value).content == f"{value!r} None"
    assert len(seen) == len(values)

    @tool(read_only=True)
    def whole(n: int) -> int:
        """A whole number."""
        seen.append(n)
        return n

    run = Recorded(ToolNode([whole], wrap_tool_call=cached()))
    assert [run("whole", n=value).content for value in (7, "7", 7.0)] == ["7", "7", "7"]
    assert len(run.of(ToolStarted)) == 1


def test_not_a_number_and_ten_megabytes() -> None:
    """NaN is refused as an argument, twice, and no result of it is kept; ten megabytes hit."""
    look, seen = counting("found")
    run = Recorded(ToolNode([look], wrap_tool_call=cached()))
    assert [run("look", x=math.nan).status for _ in range(2)] == ["error", "error"]
    assert run.events == []
    big = "x" * 10_000_000
    assert [run("look", x=text).content for text in (big, big, big + "y")] == ["found"] * 3
    assert len(seen) == 2
    run = Recorded(ToolNode([look], wrap_tool_call=cached(key=lambda request: (math.nan, b"x"))))
    assert [run("look").content for _ in range(2)] == ["found"] * 2
    assert len(run.of(CacheHit)) == 1


@pytest.mark.parametrize("way", WAYS)
def test_errors_are_not_kept(way: Way) -> None:
    """What a tool raises, and an error that it answers with, are tried again by the next call."""
    answers = iter([ToolMessage("no", tool_call_id="x", status="error"), ConnectionError("gone"), "yes"])

    def answer() -> Any:
        found = next(answers)
        if isinstance(found, Exception):
            raise found
        return found

    look, _ = counting(answer)
    run = Recorded(ToolNode([look], wrap_tool_call=cached()), way)
    assert [run("look").status for _ in range(4)] == ["error", "error", "success", "success"]
    assert len(run.of(ToolStarted)) == 3


def test_a_command_is_not_kept() -> None:
    """Each call updates the state, and an event says why nothing is kept."""
    look, seen = counting(lambda: Command(update={"a": 1}))
    node = ToolNode([look], wrap_tool_call=cached())
    events: list[Any] = []
    for _ in range(2):
        node.invoke({"messages": asking(call("look"))}, emit=events.append)
    assert len(seen) == 2
    reasons = [event.reason for event in events if isinstance(event, CacheSkipped)]
    assert reasons == ["the result is not cached: it is a command, which changes the state"] * 2


def test_artifacts_and_blocks(store: Any) -> None:
    """They are kept as they were where the store can hold them; where not, nothing is kept and an event says so."""
    blocks = [{"type": "text", "text": "hi"}, {"type": "image", "base64": "aGk=", "mime_type": "image/png"}]
    look, seen = counting(lambda: (blocks, {"rows": [1, 2.0, None]}), response_format="content_and_artifact")
    run = Recorded(ToolNode([look], wrap_tool_call=cached(store)))
    first, second = run("look"), run("look")
    assert first == second
    assert second.artifact == {"rows": [1, 2.0, None]}
    second.artifact["rows"].append("changed by whoever got it")
    assert run("look").artifact == {"rows": [1, 2.0, None]}
    assert len(seen) == 1

    look, seen = counting(lambda: ("text", {"pair": (1, 2)}), response_format="content_and_artifact", name="other")
    run = Recorded(ToolNode([look], wrap_tool_call=cached(store)))
    assert [run("other").artifact for _ in range(2)] == [{"pair": (1, 2)}] * 2
    if isinstance(store, MemoryCache):
        assert len(seen) == 1
    else:
        assert len(seen) == 2
        assert "the store holds JSON, and the artifact is more" in run.of(CacheSkipped)[0].reason


def test_only_tools_that_change_nothing_are_taken() -> None:
    """A tool that is not read_only is refused with its name; so is one that reads what the key does not tell."""

    @tool
    def send(to: str) -> str:
        """Send."""
        return to

    @tool(read_only=True)
    def mine(user: Annotated[str, InjectedState("user")]) -> str:
        """Mine."""
        return user

    @tool(read_only=True)
    def named(call_id: Annotated[str, InjectedToolCallId]) -> str:
        """By id."""
        return call_id

    look, _ = counting()
    with pytest.raises(ValueError, match="cached: send is not read_only"):
        check_wrappers([cached()], [look, send])
    check_wrappers([cached(tools=["look"])], [look, send])
    for other in (mine, named):
        with pytest.raises(ValueError, match=r"reads .* from the runtime"):
            other.wrapped(cached())
    assert len(mine.wrapped(cached(vary="user"), cached(key=lambda request: request.state["user"])).wrappers) == 2

    def supply(request: Any, execute: Any) -> Any:
        return execute(request.override(tool=send))

    run = Recorded(ToolNode([look], wrap_tool_call=[supply, cached()]))
    assert [run("send", to="ann").content for _ in range(2)] == ["ann", "ann"]
    assert "send is not read_only" in run.of(CacheSkipped)[0].reason
    assert len(run.of(ToolStarted)) == 2


def test_what_a_key_is_made_of() -> None:
    """`key` stands for the arguments; with the state in it, users do not get each other's results."""

    @tool(read_only=True)
    def mine(user: Annotated[str, InjectedState("user")], noise: str = "") -> str:
        """Mine."""
        return f"of {user}"

    node = ToolNode([mine], wrap_tool_call=cached(key=lambda request: request.state["user"]))
    states = [{"user": user, "messages": asking(call("mine", noise=noise))} for user, noise in (("ann", "a"), ("bob", ""), ("ann", "b"))]
    events: list[Any] = []
    assert [node.invoke(state, emit=events.append)["messages"][0].content for state in states] == ["of ann", "of bob", "of ann"]
    assert [event.kind for event in events] == ["cache_miss", "tool_started"] * 2 + ["cache_hit"]


def test_vary() -> None:
    """Values of the context are part of the key; without one the call is not cached and an event says which is missing."""

    @dataclass
    class Context:
        user: dict[str, Any] | None
        region: str = "eu"

    look, seen = counting()
    node = ToolNode([look], wrap_tool_call=cached(vary=("user.id", "region")))
    events: list[Any] = []

    def look_as(context: Any) -> None:
        node.invoke(asking(call("look", x=1)), context=context, emit=events.append)

    somebody: list[Any] = [
        Context({"id": 1}),
        Context({"id": 2}),
        Context({"id": 1}, "us"),
        Context({"id": 1}),
        {"user": {"id": 2}, "region": "eu"},
    ]
    for context in somebody:
        look_as(context)
    assert len(seen) == 3
    nobody: list[Any] = [Context(None), Context({}), None, {"user": {"id": 1}}]
    for context in nobody:
        look_as(context)
    assert len(seen) == 7
    reasons = [event.reason for event in events if isinstance(event, CacheSkipped)]
    assert reasons[0] == "look is not cached: vary names 'user.id', and the context has none"
    assert "'region'" in reasons[-1]


def test_another_version_or_another_tool_of_the_same_name() -> None:
    """A new version's results are its own; so are those of a closure over another server, and of another object's method."""
    store = MemoryCache()
    cache = cached(store)
    entered = []
    for version in ("1", "2", "1"):
        look, seen = counting(version=version)
        assert Recorded(ToolNode([look], wrap_tool_call=cache))("look", x=1).content == "1 None"
        entered.append(len(seen))
    assert entered == [1, 1, 0]

    def reader(server: str) -> Tool:
        @tool(read_only=True)
        def read(p: str) -> str:
            """Read."""
            return f"{server}:{p}"

        return read

    class Server:
        def __init__(self, name: str) -> None:
            self.name = name

        @tool(read_only=True)
        def read(self, p: str) -> str:
            """Read."""
            return f"{self.name}:{p}"

    for one, two in ((reader("a"), reader("b")), (Server("a").read, Server("b").read)):
        nodes = [Recorded(ToolNode([read], wrap_tool_call=cache)) for read in (one, two)]
        assert [node("read", p="x").content for node in nodes] == ["a:x", "b:x"]
        assert [node("read", p="x").content for node in nodes] == ["a:x", "b:x"]


@pytest.mark.parametrize("way", WAYS)
def test_a_result_is_kept_for_its_time(way: Way, store: Any) -> None:
    """After its time it is made anew."""
    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached(store, ttl_s=0.15)), way)
    run("look")
    run("look")
    assert len(seen) == 1
    time.sleep(0.2)
    run("look")
    assert len(seen) == 2


def test_stale_while_it_is_made_anew(store: Any) -> None:
    """For a while the old result is given at once and a new one is made beside it; the journal does not take that for the call's own."""
    number = iter(range(100))
    look, _ = counting(lambda: str(next(number)))

    async def main() -> list[Any]:
        node = ToolNode([look], wrap_tool_call=cached(store, 0.1, stale_while_revalidate_s=60))
        events: list[Any] = []
        found = []
        for pause_s in (0.0, 0.15, 0.02, 0.05):
            await asyncio.sleep(pause_s)
            found.append((await node.ainvoke(asking(call("look")), emit=events.append))[0].content)
        assert [event.kind for event in events].count("tool_started") == 1
        assert next(event.stale for event in events if isinstance(event, CacheHit))
        return found

    found = asyncio.run(main())
    assert found[:2] == ["0", "0"]
    assert found[3] == "1"


def test_stale_for_synchronous_callers() -> None:
    """The new one is made in a thread."""
    number = iter(range(100))
    look, _ = counting(lambda: str(next(number)))
    run = Recorded(ToolNode([look], wrap_tool_call=cached(ttl_s=0.05, stale_while_revalidate_s=60)))
    assert run("look").content == "0"
    time.sleep(0.1)
    assert run("look").content == "0"
    time.sleep(0.04)
    assert run("look").content == "1"


def test_many_at_once_run_the_tool_once(store: Any) -> None:
    """Of 200 identical calls one enters the tool; all get its result under their own ids."""
    entered: list[str] = []

    @tool(read_only=True)
    async def slow(q: str) -> str:
        """Slow."""
        entered.append(q)
        await asyncio.sleep(0.1)
        return f"about {q}"

    node = ToolNode([slow], wrap_tool_call=cached(store))
    calls = [call("slow", f"c{number}", q="it") for number in range(200)]
    events: list[Any] = []
    results = asyncio.run(node.ainvoke(asking(*calls), emit=events.append))
    assert entered == ["it"]
    assert [result.tool_call_id for result in results] == [f"c{number}" for number in range(200)]
    assert {result.content for result in results} == {"about it"}
    assert sum(event.waited for event in events if isinstance(event, CacheHit)) == 199


def test_many_loops_and_threads_run_the_tool_once() -> None:
    """Also when each of the callers has its own thread, with a loop or without one."""
    entered: list[str] = []

    @tool(read_only=True)
    def slow() -> str:
        """Slow."""
        entered.append("x")
        time.sleep(0.2)
        return "done"

    node = ToolNode([slow], wrap_tool_call=cached())
    results: list[Any] = []

    def work(number: int) -> None:
        results.append(WAYS[number % 2](node, asking(call("slow", str(number))))[0])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entered == ["x"]
    assert sorted(int(result.tool_call_id) for result in results) == list(range(20))


def test_when_the_one_who_runs_fails_the_others_run() -> None:
    """A failure is nobody else's; a cancelled one is followed by one other."""
    entered: list[int] = []

    @tool(read_only=True)
    async def slow() -> str:
        """Slow."""
        entered.append(len(entered))
        number = len(entered)
        await asyncio.sleep(0.1)
        if number == 1:
            raise ConnectionError("only once")
        return "done"

    async def main() -> None:
        node = ToolNode([slow], wrap_tool_call=cached())
        results = await node.ainvoke(asking(*[call("slow", str(number)) for number in range(5)]))
        assert sorted(result.status for result in results) == ["error"] + ["success"] * 4
        entered.clear()
        entered.append(0)
        other = ToolNode([slow], wrap_tool_call=cached())
        first = asyncio.create_task(other.ainvoke(asking(call("slow"))))
        await asyncio.sleep(0.02)
        rest = [asyncio.create_task(other.ainvoke(asking(call("slow", str(number))))) for number in range(10)]
        await asyncio.sleep(0.02)
        first.cancel()
        assert {(await task)[0].content for task in rest} == {"done"}
        assert len(entered) == 3

    asyncio.run(main())


def test_a_tool_that_asks_for_its_own_result() -> None:
    """It does not wait for itself."""
    cache = cached()

    @tool(read_only=True)
    def inner(n: int) -> str:
        """Call itself."""
        if n == 0:
            return "end"
        looked.append(n)
        return "end" if len(looked) > 1 else str(wrapped.invoke({"n": n}))

    looked: list[int] = []
    wrapped = inner.wrapped(cache)
    assert wrapped.invoke({"n": 1}) == "end"
    assert looked == [1, 1]


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_store_costs_a_miss(way: Way) -> None:
    """Whatever it raises, the call runs, and an event says what failed."""

    class Broken:
        def get(self, key: str) -> Any:
            raise OSError("no disk")

        def set(self, key: str, value: Any) -> None:
            raise OSError("no disk")

    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached(Broken())), way)
    assert [run("look", x=1).content for _ in range(2)] == ["1 None"] * 2
    assert seen == [1, 1]
    assert run.of(CacheSkipped)[0].reason == "the store failed (OSError: no disk)"


def test_damage_in_a_store() -> None:
    """What is no result is a miss, and is written over."""
    store = Bytes()
    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached(store)))
    run("look")
    store.values = dict.fromkeys(store.values, b"\xff\x00 no json")
    assert run("look").content == run("look").content == "None None"
    assert len(seen) == 2
    assert "is no result" in run.of(CacheSkipped)[0].reason


def test_capacity() -> None:
    """The one that was not asked for the longest goes."""
    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=cached(max_entries=2)))
    for x in (1, 2, 1, 3, 1, 2):
        run("look", x=x)
    assert seen == [1, 2, 3, 2]


def test_invalidation(store: Any) -> None:
    """By tool, by tag and by key; a store that cannot forget says so."""
    look, seen = counting()
    other, _ = counting(name="other")
    cache = cached(store, tags=["weather"])
    run = Recorded(ToolNode([look, other], wrap_tool_call=cache))
    if isinstance(store, Bytes):
        with pytest.raises(TypeError, match="cannot forget"):
            cache.invalidate(tool="look")
        return
    for name, x in (("look", 1), ("look", 2), ("other", 1)):
        run(name, x=x)
    assert cache.invalidate(key=run.of(CacheMissed)[0].key) == 1
    run("look", x=1)
    assert seen == [1, 2, 1]
    assert cache.invalidate(tool="look") == 2
    run("look", x=2)
    run("other", x=1)
    assert len(run.of(ToolStarted)) == 5
    assert cache.invalidate(tag="weather") == 2
    assert cache.invalidate(tag="nothing") == 0
    with pytest.raises(ValueError, match="one of tool, key and tag"):
        cache.invalidate()


def test_what_is_made_during_an_invalidation_is_not_kept() -> None:
    """It may be of before; the next call runs."""
    cache = cached()
    look, seen = counting(lambda: cache.invalidate(tool="look"))
    run = Recorded(ToolNode([look], wrap_tool_call=cache))
    run("look")
    run("look")
    assert len(seen) == 2
    assert "invalidated while it was made" in run.of(CacheSkipped)[0].reason


def test_beside_other_wrappers() -> None:
    """Outside a retry a hit needs none; inside of one a miss is tried again."""
    failures = [ConnectionError("a"), ConnectionError("b")]

    def answer() -> str:
        if failures:
            raise failures.pop()
        return "found"

    for wrappers in ([cached(), retry(wait=0)], [retry(wait=0), cached()]):
        failures[:] = [ConnectionError("a"), ConnectionError("b")]
        look, seen = counting(answer)
        run = Recorded(ToolNode([look], wrap_tool_call=wrappers))
        assert [run("look").content for _ in range(2)] == ["found"] * 2
        assert len(seen) == 3


def test_the_seed_works_as_written() -> None:
    """A cache by hand, in a dict."""
    import json

    global_cache: dict[Any, Any] = {}

    def wrap_tool_call(request: Any, execute: Any) -> Any:
        tool_name = request.tool_call["name"]
        tool_args = json.dumps(request.tool_call["args"])
        tool_call_id = request.runtime.tool_call_id
        cache_key = (tool_name, tool_args)
        cache = global_cache.get(cache_key)
        if cache:
            tool_msg = ToolMessage(tool_call_id=tool_call_id, content=cache)
        else:
            tool_msg = execute(request)
            global_cache[cache_key] = tool_msg.content
        return tool_msg

    look, seen = counting()
    run = Recorded(ToolNode([look], wrap_tool_call=wrap_tool_call))
    assert [run("look", f"c{n}", x="北京").tool_call_id for n in range(2)] == ["c0", "c1"]
    assert len(seen) == 1


def test_what_cannot_be() -> None:
    """Options that cannot be, and what is no store, are refused."""
    makes: list[Any] = [
        lambda: cached(ttl_s=0),
        lambda: cached(max_entries=0),
        lambda: cached(stale_while_revalidate_s=-1),
        lambda: cached({}),  # type: ignore[arg-type]
    ]
    for make in makes:
        with pytest.raises((ValueError, TypeError), match="cached: "):
            make()
