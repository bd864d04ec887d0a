"""Threads for functions that block. They are daemons: one that never returns is left behind and does not keep the process alive."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, TypeAlias

_Job: TypeAlias = tuple[Callable[[], Any], "Future[Any]"]

_IDLE_WORKERS = 64
"""How many threads wait for more work; what is over that ends."""

_lock = threading.Lock()
_idle: list[SimpleQueue[_Job]] = []


def submit(function: Callable[[], Any]) -> Future[Any]:
    """Runs the function in a thread of its own, with the caller's context variables. Whatever it raises, exits included, is the future's.
    Not every exception can be awaited: see `holter.tools.drive.caught`."""
    future: Future[Any] = Future()
    job = (_in_context(function), future)
    with _lock:
        queue = _idle.pop() if _idle else None
    if queue is None:
        queue = SimpleQueue()
        threading.Thread(target=_work, args=(queue,), name="holter-tool", daemon=True).start()
    queue.put(job)
    return future


def _in_context(function: Callable[[], Any]) -> Callable[[], Any]:
    context = copy_context()
    return lambda: context.run(function)


def _work(queue: SimpleQueue[_Job]) -> None:
    while True:
        function, future = queue.get()
        _run(function, future)
        del function, future
        with _lock:
            if len(_idle) >= _IDLE_WORKERS:
                return
            _idle.append(queue)


def _run(function: Callable[[], Any], future: Future[Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = function()
    except BaseException as error:  # noqa: BLE001 - the waiter gets it, whatever it is
        future.set_exception(error)
    else:
        future.set_result(value)
