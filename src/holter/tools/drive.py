"""From asynchronous bodies to synchronous callers, and from one side's cancellation to the other's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from holter.tools.worker import submit

Value = TypeVar("Value")


def drive(body: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine that never suspends."""
    try:
        body.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    body.close()
    raise RuntimeError("something asynchronous was awaited where only synchronous code may run")


def block_on(body: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine, waited for here: in a loop of its own, in another thread where a loop runs in this one already (a
    notebook).

    Ctrl-C while it is waited for cancels it.
    """
    if not _has_loop():  # asked apart from running it, or every error would be one "during the handling of" no loop
        return asyncio.run(body)
    return _beside(body)


def _has_loop() -> bool:
    """Whether a loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_LOOK_S = 0.2
"""How often a blocked caller looks whether it was cancelled."""
_GRACE_S = 1.0
"""How long what was cancelled may take to clean up."""

_Started: TypeAlias = "tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]"


def _beside(body: Coroutine[Any, Any, Value]) -> Value:
    started: Future[_Started] = Future()

    async def main() -> Value:
        started.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await body

    future = submit(lambda: asyncio.run(main()))
    try:
        return _waited_for(future)  # type: ignore[no-any-return]
    except BaseException:
        if not future.done():
            loop, task = started.result()
            with suppress(RuntimeError):  # the loop has ended in the meantime
                loop.call_soon_threadsafe(task.cancel if task else loop.stop)
            wait([future], timeout=_GRACE_S)
        raise


def _waited_for(future: Future[Any]) -> Any:
    """The future's result. `asyncio.run` turns a first Ctrl-C into a cancellation of the task that waits here; only we can see it."""
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    while wait([future], timeout=_LOOK_S).not_done:
        if task is not None and task.cancelling() > before:
            raise asyncio.CancelledError
    return future.result()


@dataclass(slots=True)
class Ended(Generic[Value]):
    """How something ended. Between threads and tasks all ends travel as values: a task that raised an exit or Ctrl-C would take its
    loop with it, no future that is awaited carries a StopIteration, and a GeneratorExit would close those who wait for it."""

    value: Value | None = None
    error: BaseException | None = None

    def unpacked(self) -> Value:
        """The value; raises the error."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


async def ended(body: Awaitable[Value]) -> Ended[Value]:
    """How the body ended. Raises nothing."""
    try:
        return Ended(await body)
    except BaseException as error:  # noqa: BLE001 - the one who unpacks it gets it, whatever it is
        return Ended(error=error)


def caught(function: Callable[[], Value]) -> Ended[Value]:
    """How the function ended. Raises nothing."""
    try:
        return Ended(function())
    except BaseException as error:  # noqa: BLE001 - as above
        return Ended(error=error)


def is_cancelled() -> bool:
    """Whether somebody cancelled the task that runs here; a CancelledError without that is the tool's own."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


_left: set[asyncio.Task[Any]] = set()
"""Tasks that went on when they were cancelled. Kept, since a task that nobody holds may be destroyed while it runs."""


def leave(task: asyncio.Task[Any]) -> None:
    """Lets a task that does not end run on by itself; its loop may end without it."""
    _left.add(task)
    task.add_done_callback(_left.discard)
    asyncio.tasks._unregister_task(task)  # documented for such ends: https://docs.python.org/3/library/asyncio-extending.html
