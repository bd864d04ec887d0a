"""Trying again: what, how often, after which wait, and what is said of it."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.event import ToolFailed, ToolStarted
from holter.messages import ToolMessage
from holter.tools import Tool, ToolRuntime, tool
from holter.tools.wrap import check_wrappers, exponential, retry, timeout
from tests.tools.wrap.calls import WAYS, Recorded, Way, asking, call


def flaky(failures: int, error: type[Exception] = ConnectionError, **options: Any) -> Tool:
    """A tool that fails so often, and then says which try it was."""

    @tool(**{"idempotent": True, **options})
    def fetch(runtime: ToolRuntime) -> str:
        """Fetch."""
        if runtime.attempt <= failures:
            raise error(f"try {runtime.attempt} failed")
        return f"try {runtime.attempt}"

    return fetch


@pytest.mark.parametrize("way", WAYS)
def test_it_tries_again_and_each_try_and_wait_is_an_event(way: Way) -> None:
    """Two failures and a success: three starts, and two failures that tell how long the next try waited."""
    run = Recorded(ToolNode([flaky(2)], wrap_tool_call=retry(wait=0.01)), way)
    assert run("fetch") == ToolMessage("try 3", tool_call_id="c1", name="fetch")
    assert run.kinds == ["tool_started", "tool_failed", "tool_started", "tool_failed", "tool_started"]
    assert [(event.attempt, event.wait_s) for event in run.of(ToolFailed)] == [(1, 0.01), (2, 0.01)]


@pytest.mark.parametrize("way", WAYS)
def test_the_last_failure_is_raised_on_with_what_was_tried(way: Way) -> None:
    """Outer wrappers see the exception and its notes; the journal's last failure has no wait and tells the story in its traceback."""
    seen: list[BaseException] = []

    def outer(request: Any, execute: Any) -> Any:
        try:
            return execute(request)
        except ConnectionError as error:
            seen.append(error)
            raise

    run = Recorded(ToolNode([flaky(9)], wrap_tool_call=[outer, retry(wait=0.001)]), way)
    message = run("fetch")
    assert message.status == "error"
    assert "ConnectionError: try 3 failed" in str(message.content)
    (note,) = seen[0].__notes__
    assert note.startswith("tried 3 times in ")
    assert "1. ConnectionError: try 1 failed, then waited 0.001 s\n2. " in note
    last = run.of(ToolFailed)[-1]
    assert (last.attempt, last.wait_s) == (3, None)
    assert "tried 3 times" in last.traceback
    assert len(run.of(ToolFailed)) == 3


@pytest.mark.parametrize(
    ("options", "tries"),
    [
        ({"attempts": 1}, 1),
        ({"attempts": lambda request: 2}, 2),
        ({"attempts": "max_attempts"}, 4),
        ({"on": ValueError}, 1),
        ({"on": (ValueError, OSError)}, 3),
        ({"should_retry": lambda error: "try 1" in str(error)}, 2),
        ({"max_seconds": 0.05, "wait": 0.03, "attempts": 50}, 2),
        ({"tools": []}, 1),
    ],
)
def test_when_it_stops(options: dict[str, Any], tries: int) -> None:
    """The number of tries, from wherever it comes, the kind of failure, the time and the names end it."""

    @dataclass
    class Context:
        max_attempts: int = 4

    run = Recorded(ToolNode([flaky(99)], wrap_tool_call=retry(**{"wait": 0.0, **options})), context=Context())
    assert run("fetch").status == "error"
    assert len(run.of(ToolStarted)) == tries


def test_a_context_without_the_number() -> None:
    """What the context has to say and does not is an error that names it."""
    run = Recorded(ToolNode([flaky(1)], wrap_tool_call=retry(attempts="max_attempts")), context={"other": 1})
    assert "'max_attempts'" in str(run("fetch").content)


def test_a_tool_that_is_not_idempotent_is_refused() -> None:
    """The wrapper names the tool when it is put around it; `unsafe` and `tools` are the ways out."""
    send, read = flaky(1, idempotent=False), flaky(1, name="read")
    with pytest.raises(ValueError, match="fetch is not idempotent"):
        send.wrapped(retry())
    with pytest.raises(ValueError, match="fetch is not idempotent"):
        check_wrappers([retry()], [read, send])
    check_wrappers([retry(tools=["read"])], [read, send])
    with pytest.raises(ValueError, match=r"no tool 'raed'; the tools are read, fetch"):
        check_wrappers([retry(tools=["raed"])], [read, send])
    assert send.wrapped(retry(unsafe=True, wait=0)).invoke(call("fetch")).content == "try 2"


def test_a_tool_that_a_wrapper_supplied_is_tried_again_only_if_it_may() -> None:
    """What is not idempotent fails once, wherever it came from."""
    send = flaky(1, idempotent=False)

    def supply(request: Any, execute: Any) -> Any:
        return execute(request.override(tool=send))

    orders: list[list[Any]] = [[supply, retry(wait=0)], [retry(wait=0), supply]]
    for wrappers in orders:
        run = Recorded(ToolNode([flaky(1, name="other")], wrap_tool_call=wrappers))
        assert run("fetch").status == "error"
        assert len(run.of(ToolStarted)) == 1


def test_cancellation_ends_the_wait() -> None:
    """A call that waits for its next try ends at once."""

    async def main() -> float:
        node = ToolNode([flaky(9)], wrap_tool_call=retry(wait=60))
        task = asyncio.create_task(node.ainvoke(asking(call("fetch"))))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(main()) < 1


def test_cancellation_ends_the_wait_inside_a_synchronous_wrapper() -> None:
    """Also where a wrapper of the user's own runs in a thread around it."""

    def plain(request: Any, execute: Any) -> Any:
        return execute(request)

    async def main() -> float:
        task = asyncio.create_task(ToolNode([flaky(9)], wrap_tool_call=[plain, retry(wait=60)]).ainvoke(asking(call("fetch"))))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(main()) < 1


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: retry(attempts=0), "attempts"),
        (lambda: retry(on=BaseException), "on is"),  # type: ignore[arg-type]
        (lambda: retry(max_seconds=0), "max_seconds"),
        (lambda: timeout(0), "seconds"),
        (lambda: exponential(-1), "exponential"),
    ],
)
def test_what_cannot_be(make: Any, text: str) -> None:
    """Options that cannot be are refused when the wrapper is made."""
    with pytest.raises(ValueError, match=text):
        make()


def test_the_seed_works_as_written() -> None:
    """A retry by hand that takes its number from the context, and makes its own message in the end."""

    @dataclass
    class UserContext:
        max_attempts: int

    def wrap_tool_call(request: Any, execute: Any) -> Any:
        tool_msg: Any = ""
        for _ in range(request.runtime.context.max_attempts):
            try:
                tool_msg = execute(request)
                break
            except ConnectionError:
                pass
        if not tool_msg:
            tool_msg = ToolMessage(tool_call_id=request.runtime.tool_call_id, content="调用次数到达上限，调用失败")
        return tool_msg

    node = ToolNode(tools=[flaky(2)], wrap_tool_call=wrap_tool_call)
    assert node.invoke(asking(call("fetch")), context=UserContext(3))[0].content == "try 3"
    assert node.invoke(asking(call("fetch")), context=UserContext(2))[0].content == "调用次数到达上限，调用失败"
