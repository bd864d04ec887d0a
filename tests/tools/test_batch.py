"""Batches: what runs beside what, what waits for what, and what is left when something goes wrong."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.journal.event import Event
from holter.messages import ToolMessage
from holter.tools import Interruption, Tool, ToolRuntime, interrupt, tool
from holter.tools.batch import run_batch, run_batch_here
from holter.tools.execute import Executor, Outcome
from holter.tools.failure import handler

Batch = Callable[..., list[Outcome]]


def in_sync(executor: Executor, requests: Any, **options: Any) -> list[Outcome]:
    """As a synchronous caller does it."""
    return run_batch_here(executor, requests, **options)


def in_async(executor: Executor, requests: Any, **options: Any) -> list[Outcome]:
    """As an asynchronous caller does it."""
    return asyncio.run(run_batch(executor, requests, **options))


def in_notebook(executor: Executor, requests: Any, **options: Any) -> list[Outcome]:
    """As a synchronous caller does it inside a loop."""

    async def cell() -> list[Outcome]:
        return run_batch_here(executor, requests, **options)

    return asyncio.run(cell())


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Batch:
    """Each way to run a batch."""
    chosen: Batch = request.param
    return chosen


def run(
    way: Batch, tools: list[Tool], names: str, wrappers: Any = (), *, handling: Any = True, emit: Any = None, **options: Any
) -> list[Outcome]:
    """The outcomes of a call of each of these tools, with ids 0, 1, 2, …"""
    executor = Executor({one.name: one for one in tools}, wrappers, handler(handling))
    runtime: ToolRuntime = ToolRuntime() if emit is None else ToolRuntime(emit=emit)
    calls = [{"name": name, "args": {}, "id": str(position), "type": "tool_call"} for position, name in enumerate(names.split())]
    return way(executor, [executor.request(call, runtime) for call in calls], **options)


def texts(outcomes: list[Outcome]) -> list[Any]:
    """The content of each message, or the class of the error."""
    return [outcome.result.content if isinstance(outcome.result, ToolMessage) else type(outcome.error).__name__ for outcome in outcomes]


def logging(log: list[str], name: str, **options: Any) -> tuple[Tool, Tool]:
    """A tool that says when it begins and when it ends, synchronous and not."""

    def work() -> str:
        """Works."""
        log.append(f"{name}(")
        threading.Event().wait(0.02)
        log.append(f"){name}")
        return name

    async def work_async() -> str:
        """Works."""
        log.append(f"{name}(")
        await asyncio.sleep(0.02)
        log.append(f"){name}")
        return name

    return tool(name, work, **options), tool(name, work_async, **options)


def passing(request: Any, execute: Any) -> Any:
    """A wrapper that does nothing."""
    return execute(request)


async def passing_async(request: Any, execute: Any) -> Any:
    """The same, asynchronous."""
    return await execute(request)


@pytest.mark.parametrize(
    "wrappers", [(), [passing], [passing_async], [passing, passing], [passing, passing_async], [passing_async, passing]]
)
@pytest.mark.parametrize("count", [2, 4])
def test_functions_that_block_run_beside_each_other(way: Batch, wrappers: Any, count: int) -> None:
    """All of them are in the function at once, whatever is around it."""
    barrier = threading.Barrier(count, timeout=10)

    @tool
    def meet() -> str:
        """Meets the others."""
        barrier.wait()
        return "met"

    assert texts(run(way, [meet], "meet " * count, wrappers)) == ["met"] * count


@pytest.mark.parametrize("wrappers", [(), [passing], [passing_async], [passing, passing_async]])
def test_coroutines_run_beside_each_other(way: Batch, wrappers: Any) -> None:
    """With a synchronous wrapper, too."""
    waiting = 0

    @tool
    async def meet() -> str:
        """Meets the others."""
        nonlocal waiting
        waiting += 1
        while waiting < 4:
            await asyncio.sleep(0.001)
        return "met"

    assert texts(run(way, [meet], "meet " * 4, wrappers)) == ["met"] * 4


def test_results_stand_in_the_order_of_the_calls(way: Batch) -> None:
    """And are told as soon as each is known."""
    first_ended = threading.Event()

    @tool
    def slow() -> str:
        """Waits for the other."""
        first_ended.wait(10)
        return "slow"

    @tool
    def fast() -> str:
        """Is first."""
        return "fast"

    told: list[int] = []

    def hear(position: int, outcome: Outcome) -> None:
        told.append(position)
        first_ended.set()

    assert texts(run(way, [slow, fast], "slow fast", on_outcome=hear)) == ["slow", "fast"]
    assert told == [1, 0]


def test_one_call_is_told_too(way: Batch) -> None:
    """Like several; and none is none."""
    told: list[int] = []
    assert texts(run(way, [logging([], "a")[0]], "a", on_outcome=lambda position, outcome: told.append(position))) == ["a"]
    assert told == [0]
    assert run(way, [], "") == []


WHO: ContextVar[str] = ContextVar("who", default="nobody")


def test_context_variables_reach_every_tool(way: Batch) -> None:
    """Whichever thread it runs on."""

    @tool
    def who() -> str:
        """Who."""
        return WHO.get()

    @tool
    async def who_async() -> str:
        """Who."""
        return WHO.get()

    token = WHO.set("ann")
    try:
        for wrappers in ((), [passing], [passing_async]):
            assert texts(run(way, [who, who_async], "who who_async who", wrappers)) == ["ann"] * 3
    finally:
        WHO.reset(token)


@pytest.mark.parametrize("kind", [0, 1])
def test_one_after_another_by_policy(way: Batch, kind: int) -> None:
    """In the order of the calls."""
    log: list[str] = []
    tools = [logging(log, name)[kind] for name in "abc"]
    run(way, tools, "c a b", policy="serial")
    assert log == "c( )c a( )a b( )b".split()


@pytest.mark.parametrize("kind", [0, 1])
def test_a_tool_that_runs_alone(way: Batch, kind: int) -> None:
    """After all before it, and before all behind it."""
    log: list[str] = []
    tools = [logging(log, "a")[kind], logging(log, "b")[kind], logging(log, "x", parallel=False)[kind]]
    run(way, tools, "a b x a b x x")
    assert set(log[:4]) == {"a(", "b(", ")a", ")b"}
    assert log[4:6] == ["x(", ")x"]
    assert set(log[6:10]) == {"a(", "b(", ")a", ")b"}
    assert log[10:] == ["x(", ")x"] * 2


@pytest.mark.parametrize(
    ("names", "after", "order"),
    [
        ("a b", {"b": ["a"]}, "a b"),
        ("b a", {"b": ["a"]}, "a b"),
        ("c b a", {"c": ["b"], "b": ["a"]}, "a b c"),
        ("c a b", {"c": ["a", "b"], "b": ["a"]}, "a b c"),
        ("b a a", {"b": ["a"]}, "a a b"),
    ],
)
@pytest.mark.parametrize("policy", ["parallel", "serial"])
@pytest.mark.parametrize("alone", ["", "a", "b", "abc"])
def test_a_tool_waits_for_those_it_needs(names: str, after: dict[str, list[str]], order: str, policy: str, alone: str) -> None:
    """Wherever they stand, whatever else is said of the order."""
    log: list[str] = []
    tools = [logging(log, name, after=after.get(name, ()), parallel=name not in alone)[1] for name in "abc"]
    assert texts(run(in_async, tools, names, policy=policy)) == names.split()
    ended = [entry[1:] for entry in log if entry.startswith(")")]
    assert ended == order.split()


def test_a_needed_tool_that_failed_or_is_absent(way: Batch) -> None:
    """The one that needs it is answered and not run, and so is what needs that."""
    log: list[str] = []

    @tool
    def bad() -> str:
        """Fails."""
        raise ValueError("no")

    tools = [bad, logging(log, "b", after="bad")[0], logging(log, "c", after=["b"])[0], logging(log, "d")[0]]
    outcomes = run(way, tools, "c b bad d")
    assert texts(outcomes)[:2] == [
        "Error: c was not run: it needs the result of b first, which failed.",
        "Error: b was not run: it needs the result of bad first, which failed.",
    ]
    assert texts(outcomes)[3] == "d"
    assert [outcome.failed for outcome in outcomes] == [True, True, True, False]
    assert texts(run(way, tools, "c")) == [
        "Error: c was not run: it needs the result of b first, which is not among these calls; call both together."
    ]
    assert log == ["d(", ")d"]


def test_a_needed_tool_that_ran_before(way: Batch) -> None:
    """For the same answer of the model, in a run that was broken off."""
    tools = [logging([], "b", after="a")[0]]
    assert texts(run(way, tools, "b", settled={"a": True})) == ["b"]
    assert texts(run(way, tools, "b", settled={"a": False})) == ["Error: b was not run: it needs the result of a first, which failed."]


def test_tools_that_need_each_other(way: Batch) -> None:
    """None of them can start; what is behind them is told that they failed, and the rest runs."""
    log: list[str] = []
    after = {"a": "b", "b": "c", "c": "a", "d": "a", "b2": ()}
    tools = [logging(log, name, after=needed)[0] for name, needed in after.items()]
    found = texts(run(way, tools, "a b c d b2"))
    assert found[:3] == [
        f"Error: {name} was not run: it and another call of this batch wait for each other. Call it later." for name in "abc"
    ]
    assert found[3:] == ["Error: d was not run: it needs the result of a first, which failed.", "b2"]
    assert log == ["b2(", ")b2"]


def test_what_needs_a_question_stays_open(way: Batch) -> None:
    """It is neither run nor answered: it starts when the question is answered."""

    @tool
    def ask() -> str:
        """Asks."""
        return str(interrupt("sure?"))

    tools = [ask, logging([], "b", after="ask")[0], logging([], "c")[0]]
    asked, waiting, other = run(way, tools, "ask b c")
    assert isinstance(asked.error, Interruption)
    assert (waiting.is_open, waiting.failed, asked.is_open, other.is_open) == (True, True, False, False)
    assert texts(run(way, tools, "ask b c", answers={0: ["yes"]})) == ["yes", "b", "c"]


@pytest.mark.parametrize(
    "error", [ValueError, KeyboardInterrupt, SystemExit, RecursionError, GeneratorExit, asyncio.CancelledError, StopIteration]
)
@pytest.mark.parametrize("wrappers", [(), [passing], [passing_async], [passing, passing_async]])
def test_the_other_results_stand(way: Batch, error: type[BaseException], wrappers: Any) -> None:
    """Whatever one tool raises."""

    @tool
    def bad() -> str:
        """Fails."""
        raise error

    @tool
    async def bad_async() -> str:
        """Fails."""
        raise error

    @tool(timeout_s=5)
    async def bad_in_time() -> str:
        """Fails."""
        raise error

    for handling in (True, False):
        outcomes = run(way, [bad, bad_async, bad_in_time, *logging([], "a")], "a bad bad_async bad_in_time a", wrappers, handling=handling)
        assert texts(outcomes)[::4] == ["a", "a"]
        is_raised = not handling or error in (KeyboardInterrupt, GeneratorExit)
        assert [outcome.error is not None for outcome in outcomes[1:4]] == [is_raised] * 3


def test_five_hundred_calls(way: Batch) -> None:
    """In one batch, of functions and coroutines."""
    ended: list[Event] = []

    @tool
    def one() -> str:
        """One."""
        return "1"

    @tool
    async def two() -> str:
        """Two."""
        return "2"

    assert texts(run(way, [one, two], "one two " * 250, emit=ended.append)) == ["1", "2"] * 250
    assert len(ended) == 500


def test_how_many_may_run_at_once(way: Batch) -> None:
    """No more than the limit."""
    lock, running, most = threading.Lock(), 0, 0

    @tool
    def work() -> str:
        """Works."""
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.005)
        with lock:
            running -= 1
        return "ok"

    assert texts(run(way, [work], "work " * 12, limit=3)) == ["ok"] * 12
    assert most <= 3


@pytest.mark.parametrize("wrappers", [(), [passing], [passing_async]])
@pytest.mark.parametrize("names", ["work", "work work work"])
def test_cancelling_leaves_nothing_running(wrappers: Any, names: str) -> None:
    """What ran has cleaned up when the cancellation arrives; what waited is not started."""
    log: list[str] = []

    @tool(parallel=names == "work")
    async def work() -> str:
        """Works."""
        log.append("began")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            log.append("ended")
        return ""

    async def main() -> None:
        executor = Executor({"work": work}, wrappers)
        calls = [{"name": name, "args": {}, "id": str(at), "type": "tool_call"} for at, name in enumerate(names.split())]
        task = asyncio.create_task(run_batch(executor, [executor.request(call, ToolRuntime()) for call in calls]))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert log == ["began", "ended"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_listener_that_fails_ends_the_batch() -> None:
    """A journal that takes no more: its error is raised, and nothing is left running."""
    ended: list[str] = []

    @tool
    def quick() -> str:
        """Is first."""
        return ""

    @tool
    async def slow() -> str:
        """Waits."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("slow")
        return ""

    def full(position: int, outcome: Outcome) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run(in_async, [quick, slow], "slow quick", on_outcome=full)
    assert ended == ["slow"]


@given(
    after=st.fixed_dictionaries({name: st.sets(st.sampled_from("abcdx"), max_size=2) for name in "abcd"}),
    alone=st.sets(st.sampled_from("abcd")),
    failing=st.sets(st.sampled_from("abcd"), max_size=1),
    names=st.lists(st.sampled_from("abcdx"), max_size=8),
    policy=st.sampled_from(["parallel", "serial"]),
    limit=st.sampled_from([None, 1, 2]),
)
def test_every_batch_ends(
    after: dict[str, set[str]], alone: set[str], failing: set[str], names: list[str], policy: Any, limit: int | None
) -> None:
    """Whatever waits for what: each call is answered, and one that ran began after the end of all that it needs."""
    log: list[str] = []
    running: set[str] = set()

    def made(name: str) -> Tool:
        async def work(runtime: ToolRuntime) -> str:
            """Works."""
            assert not running or not (name in alone or running & alone or policy == "serial" or limit == 1)
            running.add(name)
            await asyncio.sleep(0)
            running.discard(name)
            assert name not in failing
            log.append(name)
            return name

        return tool(name, work, after=after[name] - {name}, parallel=name not in alone)

    async def main() -> list[Outcome]:
        executor = Executor({name: made(name) for name in "abcd"})
        calls = [{"name": name, "args": {}, "id": str(at), "type": "tool_call"} for at, name in enumerate(names)]
        async with asyncio.timeout(10):
            return await run_batch(executor, [executor.request(call, ToolRuntime()) for call in calls], policy=policy, limit=limit)

    outcomes = asyncio.run(main())
    answers = [outcome.result for outcome in outcomes]
    assert [answer.tool_call_id for answer in answers if isinstance(answer, ToolMessage)] == [str(at) for at in range(len(names))]
    ran = {name for name, outcome in zip(names, outcomes, strict=True) if not outcome.failed}
    for name in ran:
        assert all(
            needed in ran and max(at for at, one in enumerate(log) if one == needed) < log.index(name) for needed in after[name] - {name}
        )
