"""A tool by itself, in every place a program may call it from."""

import asyncio
import threading
from typing import Any

import pytest

from holter.errors import ArgumentError, ToolExit, ToolTimeout
from holter.messages import ToolMessage
from holter.tools import Interruption, Tool, ToolRuntime, interrupt, tool
from holter.tools.alone import is_call

CALL = {"name": "double", "args": {"x": "2"}, "id": "c1", "type": "tool_call"}


@tool
def double(x: int) -> int:
    """Twice a number."""
    return 2 * x


@tool("double")
async def double_async(x: int) -> int:
    """Twice a number."""
    await asyncio.sleep(0)
    return 2 * x


def in_notebook(made: Tool, given: Any) -> Any:
    """Synchronously, inside a loop."""

    async def cell() -> Any:
        return made.invoke(given)

    return asyncio.run(cell())


def awaited(made: Tool, given: Any) -> Any:
    """Asynchronously."""
    return asyncio.run(made.ainvoke(given))


@pytest.mark.parametrize("made", [double, double_async])
@pytest.mark.parametrize("way", [Tool.invoke, in_notebook, awaited])
def test_arguments_and_calls_from_everywhere(made: Tool, way: Any) -> None:
    """The value of arguments, the message of a call."""
    assert way(made, {"x": "2"}) == 4
    assert way(made, CALL) == ToolMessage("4", tool_call_id="c1", name="double")
    assert way(made, {**CALL, "id": None}) == ToolMessage("4", tool_call_id=None, name="double")
    with pytest.raises(ArgumentError, match="x: is missing"):
        way(made, {})


def test_what_counts_as_a_call() -> None:
    """What says so; arguments may have any names."""
    assert is_call(CALL)
    assert not is_call({"name": "a", "args": {}, "id": "1"})
    assert not is_call({"type": "tool_call"})
    assert not is_call("text")


@pytest.mark.parametrize("way", [Tool.invoke, in_notebook, awaited])
def test_ends_of_arguments_are_raised(way: Any) -> None:
    """A timeout, an exit, Ctrl-C; of a call they are messages, but for Ctrl-C and questions."""

    @tool(timeout_s=0.05)
    def endless() -> None:
        """Never returns."""
        threading.Event().wait()

    @tool
    def leave() -> None:
        """Leaves."""
        raise SystemExit

    @tool
    def stop() -> None:
        """Is stopped."""
        raise KeyboardInterrupt

    @tool
    def ask() -> Any:
        """Asks."""
        return interrupt("sure?")

    ends: list[tuple[Tool, type[BaseException]]] = [
        (endless, ToolTimeout),
        (leave, ToolExit),
        (stop, KeyboardInterrupt),
        (ask, RuntimeError),
    ]
    for made, error in ends:
        with pytest.raises(error):
            way(made, {})
    for made in (endless, leave):
        assert way(made, {"name": made.name, "args": {}, "id": "1", "type": "tool_call"}).status == "error"
    ends = [(stop, KeyboardInterrupt), (ask, Interruption)]
    for made, error in ends:
        with pytest.raises(error):
            way(made, {"name": made.name, "args": {}, "id": "1", "type": "tool_call"})


def test_it_runs_on_the_callers_thread() -> None:
    """So that a debugger works."""

    @tool
    def thread(runtime: ToolRuntime) -> str:
        """Where it runs."""
        return threading.current_thread().name

    assert thread.invoke({}) == threading.current_thread().name
    assert in_notebook(thread, {}) == threading.current_thread().name
    assert awaited(thread, {}) == "holter-tool"


def test_repairs_of_a_call_are_told() -> None:
    """Arguments that came as text are read, and a value that was made to fit is reported."""
    events: list[Any] = []
    runtime = ToolRuntime(emit=events.append)
    assert double.invoke({**CALL, "args": '{"x": 2,}'}, runtime=runtime).content == "4"
    assert double.invoke({**CALL, "args": "nonsense"}, runtime=runtime).status == "error"
    assert double.invoke(CALL, runtime=runtime).content == "4"
    assert {event.kind for event in events} == {"repair", "tool_started"}
