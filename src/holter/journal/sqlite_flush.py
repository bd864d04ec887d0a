"""Flushing the write-ahead log to the device, once for all who wait for it at the same time."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from holter.errors import JournalUnavailable
from holter.journal.pause import running_loop

if TYPE_CHECKING:
    import asyncio


_QUICK_S = 0.0005
"""A device that takes no longer is waited for here: to ask another thread costs more than that flush does (CPU: 65 against 40 µs)."""
_SURE = 16
"""How many flushes in a row have to be quick before one is believed to be."""


class _Waiter(NamedTuple):
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]


class Flush:
    """Flushes a file. In an event loop another thread does it as long as the device takes its time."""

    def __init__(self, path: str, quick_s: float = _QUICK_S) -> None:
        """`path` is that of the write-ahead log; `quick_s` is how long a flush may keep a loop from going on."""
        self._path = path
        self._quick_s = quick_s
        self._quick = 0
        """How many flushes in a row were quick."""
        self._file: int | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._line: SimpleQueue[_Waiter | None] = SimpleQueue()
        """Who waits for a flush that has not begun; None ends the thread."""

    def begin(self) -> asyncio.Future[None] | None:
        """Flushes what was written before. Where an event loop runs, another thread does so: what comes back is done when it is on the
        device, and raises JournalUnavailable when the device fails. None comes back where it was flushed here: without a loop, which
        raises at once, and where the device has proved to be quick."""
        loop = running_loop()
        if loop is None:
            self._flush()
            return None
        error = None
        if self._quick >= _SURE and (error := self._tried()) is None:
            return None
        future = loop.create_future()
        future.add_done_callback(_looked_at)
        if error is not None:
            future.set_exception(error)
        else:
            self._start()
            self._line.put(_Waiter(loop, future))
        return future

    def close(self) -> None:
        """Ends the thread, after what is asked of it, and lets go of the file."""
        if self._thread is not None:
            self._line.put(None)
            self._thread.join()
        if self._file is not None:
            os.close(self._file)
        self._thread = self._file = None

    def _start(self) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="holter-flush", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while (waiter := self._line.get()) is not None:
            waiters, is_last = self._taken(waiter)
            error = self._tried()
            for each in waiters:
                with suppress(RuntimeError):  # its loop was closed
                    each.loop.call_soon_threadsafe(_resolve, each.future, error)
            if is_last:
                return

    def _taken(self, first: _Waiter) -> tuple[list[_Waiter], bool]:
        """All who wait now, and whether the thread is to end."""
        waiters = [first]
        with suppress(Empty):
            while (waiter := self._line.get_nowait()) is not None:
                waiters.append(waiter)
            return waiters, True
        return waiters, False

    def _tried(self) -> JournalUnavailable | None:
        """Flushes, and gives what went wrong."""
        try:
            self._flush()
        except JournalUnavailable as error:
            return error
        return None

    def _flush(self) -> None:
        before, self._quick = self._quick, 0
        try:
            with self._lock:
                self._file = self._open() if self._file is None else self._file
            began = time.perf_counter()
            _to_device(self._file)
            if time.perf_counter() - began <= self._quick_s:
                self._quick = before + 1
        except OSError as error:
            raise JournalUnavailable(f"{self._path} cannot be flushed to the device: {error.strerror}") from error

    def _open(self) -> int:
        """The log, whose name in its folder is on the device from here on. SQLite takes no lock on this file, so closing it loses none."""
        folder = os.open(os.path.dirname(os.path.abspath(self._path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return os.open(self._path, os.O_RDWR | os.O_CLOEXEC)


_to_device = getattr(os, "fdatasync", os.fsync)


def _looked_at(future: asyncio.Future[None]) -> None:
    """Takes note of a failure, so that the loop does not report one that a later wait will tell."""
    if not future.cancelled():
        future.exception()


def _resolve(future: asyncio.Future[None], error: JournalUnavailable | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
