"""What the wrappers that come with Holter share: one asynchronous body for both worlds, and the tools they apply to.

*Inline* the body never suspends: it runs on the caller's own thread, and what it waits for blocks that thread, as in `holter.tools.enter`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import Future, wait
from inspect import isawaitable
from typing import Any, ClassVar, TypeVar

from holter.tools.declaration import Declaration
from holter.tools.drive import Ended, caught, drive
from holter.tools.request import AsyncExecute, Execute, Result, ToolCallRequest
from holter.tools.worker import submit

Value = TypeVar("Value")

_LOOK_S = 0.2
"""How often a blocked caller looks whether it was cancelled."""


def _cancellations() -> int:
    """How often the task that runs here was cancelled. A blocked one sees it only so: `asyncio.run` turns Ctrl-C into it."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return 0
    return task.cancelling() if task is not None else 0


class Inner:
    """What is inside a wrapper, to be executed; and how to wait in its world, which may have a loop or not."""

    __slots__ = ("_execute", "inline")

    def __init__(self, execute: AsyncExecute, inline: bool) -> None:
        self._execute = execute
        self.inline = inline
        """Whether nothing may suspend, since this runs on the caller's own thread."""

    def __call__(self, request: ToolCallRequest) -> Awaitable[Result]:
        """The result of a request."""
        return self._execute(request)

    async def pause(self, seconds: float) -> None:
        """Waits. Cancellation and Ctrl-C end it."""
        if not self.inline:
            await asyncio.sleep(seconds)
            return
        before, end = _cancellations(), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_S))
            if _cancellations() > before:
                raise asyncio.CancelledError

    async def settled(self, future: Future[Value]) -> Value:
        """The result of a future that another thread or task sets. It must be running, so that who waits cannot cancel it."""
        if not self.inline:
            return await asyncio.wrap_future(future)
        before = _cancellations()
        while not wait([future], timeout=_LOOK_S).done:
            if _cancellations() > before:
                raise asyncio.CancelledError
        return future.result()

    async def beside(self, function: Callable[[], Value]) -> Value:
        """What a function that may block returns; a loop is not blocked by it."""
        if self.inline:
            return function()
        future: Future[Ended[Value]] = submit(lambda: caught(function))
        return (await asyncio.wrap_future(future)).unpacked()


class Around:
    """A wrapper with one body, used by synchronous and asynchronous callers alike. Subclasses give `wrap`."""

    needs_loop: ClassVar[bool] = False
    """Whether the body has to run on a loop, so that synchronous callers make one."""
    patterns: tuple[str, ...] = ()
    """What is not to be shown of a thread in which this wrapper is used, as regular expressions."""

    def __init__(self, tools: Collection[str] | None = None) -> None:
        """`tools` are the names of those it applies to; None for all."""
        if isinstance(tools, str):
            tools = (tools,)
        self.tools = None if tools is None else frozenset(tools)
        self.__name__ = type(self).__name__

    def applies_to(self, name: Any) -> bool:
        """Whether calls of this name are its business."""
        return self.tools is None or name in self.tools

    def check(self, tools: Iterable[Declaration]) -> None:
        """Raises ValueError, naming the tool, when this wrapper must not be put around one of the tools, or names one that is not there."""
        given = list(tools)
        missing = (self.tools or frozenset()) - {tool.name for tool in given}
        if missing:
            there = ", ".join(tool.name for tool in given) or "none"
            raise ValueError(f"{self.__name__}: there is no tool {', '.join(map(repr, sorted(missing)))}; the tools are {there}")
        for tool in given:
            if self.applies_to(tool.name):
                self.check_tool(tool)

    def check_tool(self, tool: Declaration) -> None:
        """Raises ValueError when this wrapper must not be put around the tool."""

    def around(self, request: ToolCallRequest, execute: AsyncExecute, *, inline: bool = False) -> Awaitable[Result]:
        """The result of a call. `execute` is asynchronous; inline it never suspends."""
        if not self.applies_to(request.tool_call.get("name")):
            return execute(request)
        return self.wrap(request, Inner(execute, inline))

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result of a call that is this wrapper's business."""
        raise NotImplementedError

    def __call__(self, request: ToolCallRequest, execute: Execute) -> Result:
        """The result of a call, for a synchronous wrapper that uses this one by hand; `around` is for asynchronous ones."""
        if self.needs_loop:
            raise TypeError(f"{self.__name__} needs a loop: put it into the list of wrappers, or await its around(request, execute)")

        async def executed(request: ToolCallRequest) -> Result:
            result = execute(request)
            if isawaitable(result):
                raise TypeError(f"{self.__name__} was called with an asynchronous execute; await its around(request, execute)")
            return result

        async def body() -> Result:
            return await self.around(request, executed, inline=True)

        return drive(body())


def check_wrappers(wrappers: Iterable[Any], tools: Iterable[Declaration]) -> None:
    """Raises ValueError when a wrapper must not be put around one of the tools, TypeError for what is no wrapper. Those of the user's own
    may be put around all tools."""
    given = list(tools)
    for wrapper in wrappers:
        if not callable(wrapper):
            raise TypeError(f"a wrapper is a function (request, execute), found {wrapper!r}")
        if isinstance(wrapper, Around):
            wrapper.check(given)


def patterns_of(wrappers: Iterable[Any], tools: Iterable[Declaration]) -> tuple[str, ...]:
    """What the wrappers, and those that the tools have, say is not to be shown; each pattern once."""
    every = [*wrappers, *(wrapper for tool in tools for wrapper in tool.wrappers)]
    return tuple(dict.fromkeys(pattern for wrapper in every if isinstance(wrapper, Around) for pattern in wrapper.patterns))
