"""Where a function runs, how long it may take, and how it ends."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import pytest

from holter.errors import ToolExit, ToolTimeout
from holter.tools import Tool, tool
from holter.tools.drive import block_on, drive
from holter.tools.enter import enter

WHO: ContextVar[str] = ContextVar("who", default="nobody")


def ignore(_: Any) -> None:
    """Takes what is written."""


def here(made: Tool, **kwargs: Any) -> Any:
    """Inline, on this thread."""
    return drive(enter(made, kwargs, ignore, inline=True))


def beside(made: Tool, **kwargs: Any) -> Any:
    """On a loop."""
    return asyncio.run(enter(made, kwargs, ignore, inline=False))


BOTH = pytest.mark.parametrize("run", [here, beside])


@tool
def thread() -> tuple[str, str]:
    """Where it runs, and for whom."""
    return threading.current_thread().name, WHO.get()


def test_inline_runs_on_the_callers_thread() -> None:
    """Beside a loop it runs in a worker; both see the caller's context variables."""
    WHO.set("ann")
    assert here(thread) == (threading.current_thread().name, "ann")
    assert beside(thread) == ("holter-tool", "ann")


@tool(timeout_s=0.05)
def endless() -> None:
    """Never returns."""
    threading.Event().wait()


@tool(timeout_s=0.05)
async def endless_async() -> None:
    """Never returns."""
    await asyncio.Event().wait()


@tool(timeout_s=0.05)
async def stubborn() -> None:
    """Does not even end when it is cancelled."""
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


@tool(timeout_s=0.05)
async def graceful() -> str:
    """Gives what it has when its time is over."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return "half of it"
    return "all of it"


@tool(timeout_s=0.05)
async def breaking() -> str:
    """Fails while it cleans up."""
    try:
        await asyncio.sleep(60)
    finally:
        raise ValueError("cleaning up failed")


@tool(timeout_s=0.05)
def slow_generator() -> Iterator[int]:
    """Yields and then waits."""
    yield 1
    threading.Event().wait()


@tool(timeout_s=0.05)
async def slow_generator_async() -> AsyncIterator[int]:
    """Yields and then waits."""
    yield 1
    await asyncio.Event().wait()


@tool(timeout_s=0.05)
def hidden_endless() -> Awaitable[None]:
    """Gives a coroutine that never ends."""
    return asyncio.sleep(60)


@BOTH
@pytest.mark.parametrize(
    ("made", "unknown"),
    [
        (endless, True),
        (endless_async, False),
        (breaking, False),
        (slow_generator, True),
        (slow_generator_async, False),
        (hidden_endless, False),
    ],
)
def test_what_takes_too_long(run: Any, made: Tool, unknown: bool) -> None:
    """A coroutine is cancelled; a function is left running, which the error says."""
    with pytest.raises(ToolTimeout) as raised:
        run(made)
    assert (raised.value.tool, raised.value.timeout_s, raised.value.unknown) == (made.name, 0.05, unknown)
    assert isinstance(raised.value, TimeoutError)


def test_what_does_not_end_when_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left running, and no loop waits for it at its end."""
    monkeypatch.setattr("holter.tools.enter._GRACE_S", 0.05)
    with pytest.raises(ToolTimeout) as raised:
        here(stubborn)
    assert raised.value.unknown


@BOTH
def test_what_comes_late_still_counts(run: Any) -> None:
    """A result is better than none."""
    assert run(graceful) == "half of it"


@BOTH
def test_a_timeout_of_the_tools_own_is_its_own(run: Any) -> None:
    """Whether it has a limit or not."""

    def fail() -> None:
        """Fails."""
        raise TimeoutError("the server")

    async def fail_async() -> None:
        """Fails."""
        raise TimeoutError("the server")

    for function in (fail, fail_async):
        for timeout_s in (None, 5):
            with pytest.raises(TimeoutError, match="the server") as raised:
                run(tool(function, timeout_s=timeout_s))
            assert not isinstance(raised.value, ToolTimeout)


@BOTH
@pytest.mark.parametrize("timeout_s", [None, 5])
@pytest.mark.parametrize("code", [0, 3, "bye", None])
def test_an_exit_ends_the_tool_only(run: Any, timeout_s: int | None, code: Any) -> None:
    """`sys.exit()` in a tool is an error of the tool."""

    def leave() -> None:
        """Leaves."""
        raise SystemExit(code)

    async def leave_async() -> None:
        """Leaves."""
        raise SystemExit(code)

    for function in (leave, leave_async):
        with pytest.raises(ToolExit) as raised:
            run(tool(function, timeout_s=timeout_s))
        assert raised.value.code == code


@BOTH
@pytest.mark.parametrize("timeout_s", [None, 5])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError, GeneratorExit, MemoryError])
def test_other_errors_are_raised_as_they_are(run: Any, timeout_s: int | None, error: type[BaseException]) -> None:
    """Ctrl-C in a tool is Ctrl-C."""

    def fail() -> None:
        """Fails."""
        raise error

    async def fail_async() -> None:
        """Fails."""
        raise error

    for function in (fail, fail_async):
        with pytest.raises(error):
            run(tool(function, timeout_s=timeout_s))


@BOTH
@pytest.mark.parametrize("timeout_s", [None, 5])
def test_a_next_that_found_nothing_is_an_error(run: Any, timeout_s: int | None) -> None:
    """A StopIteration would end the coroutine that carries it, or never arrive."""

    def fail() -> None:
        """Fails."""
        next(iter([]))

    async def fail_async() -> None:
        """Fails."""
        next(iter([]))

    for function in (fail, fail_async):
        with pytest.raises(RuntimeError, match="StopIteration"):
            run(tool(function, timeout_s=timeout_s))


def test_many_that_block_run_at_once() -> None:
    """Each in a thread of its own."""
    barrier = threading.Barrier(8, timeout=10)

    @tool
    def meet() -> int:
        """Meets the others."""
        return barrier.wait()

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(enter(meet, {}, ignore, inline=False) for _ in range(8)))

    assert sorted(asyncio.run(all_of_them())) == list(range(8))


def test_blocking_works_inside_a_loop() -> None:
    """As in a notebook: in another thread, with the context variables of this one."""

    async def who() -> str:
        await asyncio.sleep(0)
        return WHO.get()

    async def notebook() -> str:
        WHO.set("eve")
        return block_on(who())

    assert asyncio.run(notebook()) == "eve"
    assert block_on(who()) == WHO.get()


def test_a_body_that_suspends_is_not_driven() -> None:
    """The error says that something asynchronous was awaited."""
    with pytest.raises(RuntimeError, match="only synchronous code may run"):
        drive(asyncio.sleep(0))


def test_a_cancelled_coroutine_cleans_up_first() -> None:
    """With a limit or without one: when the caller goes on, nothing of it runs."""
    ended: list[str] = []

    async def work() -> None:
        """Works."""
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append("cleaned up")

    async def main(timeout_s: float | None) -> None:
        task = asyncio.create_task(enter(tool(work, timeout_s=timeout_s), {}, ignore, inline=False))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main(None))
    asyncio.run(main(60))
    assert ended == ["cleaned up"] * 2


def test_a_cancelled_function_is_said_to_run_on() -> None:
    """A thread cannot be stopped."""
    release = threading.Event()

    @tool
    def work() -> None:
        """Works."""
        release.wait(10)

    async def main() -> bool:
        task = asyncio.create_task(enter(work, {}, ignore, inline=False))
        await asyncio.sleep(0.02)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            return bool(getattr(error, "unknown", False))
        return False

    began = time.monotonic()
    assert asyncio.run(main())
    assert time.monotonic() - began < 5
    release.set()
