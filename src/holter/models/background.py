"""One loop in a thread of its own, for all that is asked from synchronous code: connections last from one call to the next."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

from holter.models.drive import block_on, each

Value = TypeVar("Value")


def run(body: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine, waited for here. Ctrl-C while it is waited for cancels it, and waits until it has ended."""
    if _LOOPS.runs_here:
        return block_on(body)
    return _wait(*_start(body))


def run_each(source: AsyncIterator[Value]) -> Iterator[Value]:
    """The items of an asynchronous source as they come. It runs ahead of whoever takes them; leaving it cancels it."""
    if _LOOPS.runs_here:
        yield from each(source)
        return
    queue: SimpleQueue[tuple[Value, ...]] = SimpleQueue()

    async def pass_on() -> None:
        try:
            async for item in source:
                queue.put((item,))
        finally:
            try:
                if close := getattr(source, "aclose", None):
                    await close()
            finally:
                queue.put(())

    task, ended = _start(pass_on())
    try:
        while item := queue.get():
            yield item[0]
    except BaseException:
        _cancel(task, ended)
        raise
    _wait(task, ended)


def _start(body: Coroutine[Any, Any, Value]) -> tuple[Future[asyncio.Task[None]], Future[Value]]:
    loop = _LOOPS.get()
    started: Future[asyncio.Task[None]] = Future()
    ended: Future[Value] = Future()
    context = copy_context()

    async def main() -> None:
        try:
            value = await body
        except BaseException as error:  # noqa: BLE001 - the waiter gets it, whatever it is
            ended.set_exception(error)
        else:
            ended.set_result(value)

    def begin() -> None:
        started.set_result(loop.create_task(main(), context=context))

    loop.call_soon_threadsafe(begin)
    return started, ended


def _wait(task: Future[asyncio.Task[None]], ended: Future[Value]) -> Value:
    try:
        return ended.result()
    except BaseException:
        _cancel(task, ended)
        raise
    finally:
        del ended  # an exception that is raised here would otherwise hold itself, through this frame


def _cancel(task: Future[asyncio.Task[None]], ended: Future[Any]) -> None:
    """Cancels what runs and waits until it has, so that its connection is closed when the caller goes on."""
    if ended.done():
        return
    running = task.result()
    with suppress(RuntimeError):  # the loop has ended in the meantime
        running.get_loop().call_soon_threadsafe(running.cancel)
        with suppress(BaseException):
            ended.exception(_CANCEL_S)


_CANCEL_S = 2.0
"""How long the end of something cancelled is waited for."""


class _Loops:
    """The loop of this process; a forked one begins its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = 0

    @property
    def runs_here(self) -> bool:
        """Whether this is the loop's own thread, which must not wait for itself."""
        return self._thread is threading.current_thread()

    def get(self) -> asyncio.AbstractEventLoop:
        """The loop, begun where it is not."""
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._process = os.getpid()
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._run, args=(self._loop,), name="holter-models", daemon=True)
                self._thread.start()
            return self._loop

    def stop(self) -> None:
        """Ends the loop, with the connections that it kept."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None or self._process != os.getpid():
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CANCEL_S)

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()


_LOOPS = _Loops()
atexit.register(_LOOPS.stop)
os.register_at_fork(after_in_child=lambda: _forked())


def _forked() -> None:
    """A lock that another thread held while the process was forked would never be released in the child."""
    global _LOOPS
    _LOOPS = _Loops()
