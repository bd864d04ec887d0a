"""Wrappers around a call, the first outermost, synchronous and asynchronous ones in any order.

A synchronous wrapper never blocks a loop: beside one it runs in a worker thread, and what it executes runs in that thread, or on the
loop where it is asynchronous.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from inspect import isawaitable, iscoroutinefunction
from typing import Any, TypeAlias

from holter.messages import ToolMessage
from holter.tools.around import Around
from holter.tools.command import Command
from holter.tools.declaration import Declaration
from holter.tools.drive import Ended, caught, drive, ended
from holter.tools.request import AsyncExecute, Execute, Result, ToolCallRequest, Wrapper
from holter.tools.worker import submit

Attempt: TypeAlias = Callable[[ToolCallRequest, bool], Awaitable[Result]]
"""Enters the tool; the second argument is whether inline (see `holter.tools.enter`)."""


def is_async(wrapper: Wrapper) -> bool:
    """Whether a wrapper is a coroutine function, or an object that is called like one, or needs a loop otherwise."""
    if isinstance(wrapper, Around):
        return wrapper.needs_loop
    inner = wrapper.func if isinstance(wrapper, functools.partial) else wrapper
    return iscoroutinefunction(inner) or iscoroutinefunction(type(inner).__call__)


def chained(wrappers: Sequence[Wrapper], attempt: Attempt, *, inline: bool) -> AsyncExecute:
    """What the wrappers and, inside them, the attempts make of a request."""
    if not wrappers:
        return lambda request: attempt(request, inline)
    wrapper, inner = wrappers[0], wrappers[1:]
    if isinstance(wrapper, Around):
        return lambda request: wrapper.around(request, chained(inner, attempt, inline=inline), inline=inline)
    if is_async(wrapper):
        return lambda request: _settled(wrapper, request, chained(inner, attempt, inline=inline))
    if inline:
        return lambda request: _settled(wrapper, request, _here(inner, attempt))
    return lambda request: _Beside(wrapper, inner, attempt).run(request)


async def _settled(wrapper: Any, request: ToolCallRequest, execute: Any) -> Result:
    """The wrapper's result, awaited where one that is no coroutine function gave an awaitable."""
    result = wrapper(request, execute)
    return _checked(wrapper, await result if isawaitable(result) else result)


def _checked(wrapper: Any, result: Any) -> Result:
    items = result if isinstance(result, list) and result else [result]
    if all(isinstance(item, ToolMessage | Command) for item in items):
        return result  # type: ignore[no-any-return]
    name = getattr(wrapper, "__name__", type(wrapper).__name__)
    raise TypeError(
        f"the wrapper {name} returned {type(result).__name__}; it has to return what execute(request) gave, or a ToolMessage or Command"
    )


def _here(wrappers: Sequence[Wrapper], attempt: Attempt) -> Execute:
    def execute(request: ToolCallRequest) -> Result:
        return drive(_awaited(chained(wrappers, attempt, inline=True)(request)))

    return execute


async def _awaited(body: Awaitable[Result]) -> Result:
    return await body


class _Beside:
    """A synchronous wrapper in a worker thread, for a caller on a loop."""

    def __init__(self, wrapper: Any, inner: Sequence[Wrapper], attempt: Attempt) -> None:
        self._wrapper = wrapper
        self._inner = inner
        self._attempt = attempt
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Ended[Result]]] = set()
        self._is_cancelled = False

    async def run(self, request: ToolCallRequest) -> Result:
        """The wrapper's result. Cancelled, it takes what the wrapper had executed on the loop along."""
        try:
            future: Future[Ended[Any]] = submit(lambda: caught(lambda: self._wrapper(request, self._execute)))
            result = (await asyncio.wrap_future(future)).unpacked()
            return _checked(self._wrapper, await result if isawaitable(result) else result)
        except asyncio.CancelledError:
            self._is_cancelled = True
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
            raise

    def _execute(self, request: ToolCallRequest) -> Result:
        """Called in the wrapper's thread."""
        if self._is_cancelled:
            raise asyncio.CancelledError
        if self._waits(request.tool):
            return self._on_loop(request).result().unpacked()
        return _here(self._inner, self._attempt)(request)

    def _waits(self, tool: Declaration | None) -> bool:
        """Whether what is executed may wait for something, so that only on the loop a cancellation ends that."""
        wrappers = (*self._inner, *(tool.wrappers if tool is not None else ()))
        return (tool is not None and tool.is_async) or any(is_async(wrapper) or isinstance(wrapper, Around) for wrapper in wrappers)

    def _on_loop(self, request: ToolCallRequest) -> Future[Ended[Result]]:
        """How the request ends, executed on the loop in this thread's context."""
        future: Future[Ended[Result]] = Future()
        context = copy_context()

        def finish(task: asyncio.Task[Ended[Result]]) -> None:
            self._tasks.discard(task)
            future.set_result(Ended(error=asyncio.CancelledError()) if task.cancelled() else task.result())

        def start() -> None:
            body = chained(self._inner, self._attempt, inline=False)(request)
            task = self._loop.create_task(ended(body), context=context)
            self._tasks.add(task)
            task.add_done_callback(finish)
            if self._is_cancelled:
                task.cancel()

        self._loop.call_soon_threadsafe(start)
        return future
