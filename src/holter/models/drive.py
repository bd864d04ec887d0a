"""From asynchronous bodies to synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")

_GRACE_S = 1.0
"""How long what was cancelled may take to clean up."""


def drive(body: Awaitable[Value]) -> Value:
    """The result of something that never suspends, here and without a loop."""
    steps = body.__await__()
    try:
        next(steps)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    steps.close()
    raise RuntimeError("something asynchronous was awaited where only synchronous code may run")


def drive_each(source: AsyncIterator[Value]) -> Iterator[Value]:
    """The items of something that never suspends, here and without a loop."""
    while True:
        try:
            item = drive(anext(source))
        except StopAsyncIteration:
            return
        yield item


def block_on(body: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine, waited for here: in a loop of its own, in another thread where a loop runs in this one already (a
    notebook). Ctrl-C while it is waited for cancels it."""
    if not _has_loop():  # asked apart from running it, or every error would be one "during the handling of" no loop
        return asyncio.run(body)
    return Beside(body).result()


def _has_loop() -> bool:
    """Whether a loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def each(source: AsyncIterator[Value]) -> Iterator[Value]:
    """The items of an asynchronous source as they come. It runs in another thread, ahead of whoever takes them; leaving it cancels it."""
    queue: SimpleQueue[tuple[Value, ...]] = SimpleQueue()

    async def pass_on() -> None:
        try:
            async for item in source:
                queue.put((item,))
        finally:
            queue.put(())

    beside = Beside(pass_on())
    try:
        while item := queue.get():
            yield item[0]
        beside.result()
    finally:
        beside.cancel()


class Beside(Generic[Value]):
    """A coroutine that runs in another thread, in a loop of its own, with the caller's context variables. It begins at once."""

    def __init__(self, body: Coroutine[Any, Any, Value]) -> None:
        self._body = body
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()
        self._ended: Future[Value] = Future()
        threading.Thread(target=copy_context().run, args=(self._run,), name="holter-model", daemon=True).start()

    def result(self) -> Value:
        """What it returned; raises what it raised."""
        try:
            return self._ended.result()
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Cancels it, where it is not done."""
        if self._ended.done():
            return
        loop, task = self._started.result()
        if task is not None:
            with suppress(RuntimeError):  # the loop has ended in the meantime
                loop.call_soon_threadsafe(task.cancel)

    def leave(self) -> None:
        """Cancels it, where it is not done, and gives it a second to end."""
        self.cancel()
        wait([self._ended], timeout=_GRACE_S)

    def _run(self) -> None:
        try:
            value = asyncio.run(self._main())
        except BaseException as error:  # noqa: BLE001 - the waiter gets it, whatever it is
            self._ended.set_exception(error)
        else:
            self._ended.set_result(value)

    async def _main(self) -> Value:
        self._started.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await self._body
