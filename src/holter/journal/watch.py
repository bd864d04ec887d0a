"""Looking again and again at the threads that somebody waits for, because another process may append to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from holter.errors import JournalError
from holter.journal.waiting import Waiting


class Watch:
    """A daemon thread that looks while somebody waits, and ends when nobody does."""

    def __init__(self, waiting: Waiting, lengths: Callable[[Sequence[str]], Mapping[str, int] | None], pause_s: float) -> None:
        """`lengths` gives the lengths of those of the threads that exist, or None where nothing was appended since it was last asked."""
        self._waiting = waiting
        self._lengths = lengths
        self._pause_s = pause_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begins to look, unless it does already. To be called when the waiter stands in line."""
        with self._lock:
            # One that was started before a fork of the process is not alive in the child.
            if (self._thread is None or not self._thread.is_alive()) and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="holter-watch", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ends looking for good."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._pause_s):
            self._waiting.forget_closed()
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
            self._look()

    def _look(self) -> None:
        threads = self._waiting.threads()
        try:
            lengths = self._lengths(threads)
        except JournalError:  # asked again in a moment; whoever appends or reads is told what is wrong
            return
        if lengths is not None:
            for thread in threads:
                self._waiting.wake(thread, lengths.get(thread, 0))
