"""Entering a tool's function: where it runs, how long it may take, and what becomes of its exits and its generators.

One asynchronous body serves both worlds. *Inline* a synchronous function runs right here, on the caller's own thread, so that a
debugger and thread-locals work, and the body never suspends. Otherwise it runs in a worker thread, so that the loop goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import aclosing
from inspect import isawaitable
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, TypeVar

from holter.errors import ToolExit, ToolTimeout
from holter.tools.declaration import Declaration
from holter.tools.drive import Ended, block_on, caught, ended, leave
from holter.tools.worker import submit

Value = TypeVar("Value")

_GRACE_S = 1.0
"""How long a cancelled function may take to clean up before it is left to itself."""


async def enter(tool: Declaration, kwargs: dict[str, Any], write: Callable[[Any], None], *, inline: bool) -> Any:
    """What the tool's function returns; of a generator the last value, and `write` gets those before it.

    Raises what the function raises; ToolTimeout when it takes too long, ToolExit when it tries to end the process. An exception that
    came while the function was left running has a true `unknown`.
    """
    try:
        return await entering(tool, kwargs, write, inline=inline)
    except SystemExit as leaving:
        raise ToolExit(tool.name, leaving.code) from leaving


def entering(tool: Declaration, kwargs: dict[str, Any], write: Callable[[Any], None], *, inline: bool) -> Awaitable[Any]:
    """As `enter`, but for exits, which pass. An asynchronous function is called at once; where nothing has to be done around it, its own
    coroutine comes back, since each coroutine more costs each step and the memory of each run."""
    if not tool.is_async:
        return _entered(tool, kwargs, write, inline=inline)
    value = tool.function(**kwargs)
    is_whole = value.__class__ is CoroutineType and tool.timeout_s is None and not inline
    return value if is_whole else _finished(tool, value, write, inline=inline)


async def _entered(tool: Declaration, kwargs: dict[str, Any], write: Callable[[Any], None], *, inline: bool) -> Any:
    value = await _synchronous(tool, kwargs, write, inline=inline)
    return value if type(value) is str else await _finished(tool, value, write, inline=inline)


async def _finished(tool: Declaration, value: Any, write: Callable[[Any], None], *, inline: bool) -> Any:
    """What a function returned, when that is there."""
    if not isinstance(value, AsyncGeneratorType) and not isawaitable(value):
        return value
    body = _last_of_async(value, write) if isinstance(value, AsyncGeneratorType) else _awaited(value)
    in_time = body if tool.timeout_s is None else within(tool.name, tool.timeout_s, body)
    return block_on(in_time) if inline else await in_time


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


async def within(name: str, timeout_s: float, body: Awaitable[Value]) -> Value:
    """The result of what runs for the tool of this name, if it comes in time. Raises ToolTimeout, whose `unknown` is true when something
    was left running."""
    task = asyncio.create_task(ended(body))
    try:
        await asyncio.wait((task,), timeout=timeout_s)
    except asyncio.CancelledError:
        await _stop(task)
        raise
    if not task.done():
        await _stop(task)
        if not task.done():
            raise ToolTimeout(name, timeout_s, unknown=True)
        if (late := task.result().error) is not None:
            raise ToolTimeout(name, timeout_s, unknown=bool(getattr(late, "unknown", False))) from late
    return task.result().unpacked()


async def _stop(task: asyncio.Task[Any]) -> None:
    """Cancels the task and waits for its end; one that does not end is left to itself."""
    task.cancel()
    try:
        await asyncio.wait((task,), timeout=_GRACE_S)
    finally:
        if not task.done():
            leave(task)


async def _synchronous(tool: Declaration, kwargs: dict[str, Any], write: Callable[[Any], None], *, inline: bool) -> Any:
    if tool.timeout_s is None and inline:
        return _value(tool, kwargs, write)
    future: Future[Ended[Any]] = submit(lambda: caught(lambda: _value(tool, kwargs, write)))
    try:
        if inline:
            return future.result(tool.timeout_s).unpacked()
        return (await asyncio.wait_for(asyncio.wrap_future(future), tool.timeout_s)).unpacked()
    except TimeoutError:
        future.cancel()
        if future.done() and not future.cancelled():
            return future.result().unpacked()  # its own TimeoutError, or it ended in this very moment
        raise ToolTimeout(tool.name, tool.timeout_s or 0, unknown=not future.cancelled()) from None
    except BaseException as error:
        if not future.done():
            error.unknown = True  # type: ignore[attr-defined]
        raise


def _value(tool: Declaration, kwargs: dict[str, Any], write: Callable[[Any], None]) -> Any:
    try:
        value = tool.function(**kwargs)
        return _last_of(value, write) if isinstance(value, GeneratorType) else value
    except StopIteration as stopped:  # no future and no coroutine can carry it
        raise RuntimeError(f"{tool.name} let a StopIteration out; next() found nothing") from stopped


def _last_of(values: Generator[Any, Any, Any], write: Callable[[Any], None]) -> Any:
    """The value that the generator returns, else the last one it yields; what it yields before goes to the stream writer."""
    held: list[Any] = []
    while True:
        try:
            value = next(values)
        except StopIteration as done:
            if done.value is None:
                return held[0] if held else None
            for earlier in held:
                write(earlier)
            return done.value
        for earlier in held:
            write(earlier)
        held = [value]


async def _last_of_async(values: AsyncGenerator[Any, Any], write: Callable[[Any], None]) -> Any:
    held: list[Any] = []
    async with aclosing(values):
        async for value in values:
            for earlier in held:
                write(earlier)
            held = [value]
    return held[0] if held else None
