"""The leases of the runs of this process: each ends soon after the process does, and is renewed while the run lives."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from holter.errors import JournalError, LeaseHeld
from holter.graph.options import RunOptions
from holter.journal.here import here
from holter.journal.journal import Journal

LEASE_S = 30.0
"""How long a lease holds: so long others are kept from the thread of a run whose process died."""
_RENEW_S = 10.0
_WAIT_S = 0.05
"""How often a run that waits for another one looks whether that has ended."""


class Held:
    """One run's lease."""

    def __init__(self, journal: Journal, thread: str, run: str) -> None:
        self._journal = journal
        self._thread = thread
        self._run = run
        self._lock = threading.Lock()
        self.is_over = False

    def renew(self) -> None:
        """Prolongs the lease, unless it is over. One that another run has taken is lost; a journal that does not answer is asked again."""
        with self._lock, suppress(JournalError):
            if self.is_over:
                return
            try:
                here(self._journal, lambda journal: journal.lease(self._thread, self._run, LEASE_S))
            except LeaseHeld:
                self.is_over = True

    def end(self) -> None:
        """Says that it is to be renewed no longer."""
        with self._lock:
            self.is_over = True


class Keeper:
    """Renews leases in a daemon thread, which lives as long as there are any."""

    def __init__(self, pause_s: float = _RENEW_S) -> None:
        self._pause_s = pause_s
        self.forget()

    def forget(self) -> None:
        """Lets go of all leases: in a child process they are the parent's."""
        self._held: set[Held] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def hold(self, journal: Journal, thread: str, run: str) -> Held:
        """Renews a lease that was just taken, from here on."""
        held = Held(journal, thread, run)
        with self._lock:
            self._held.add(held)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="holter-lease", daemon=True)
                self._thread.start()
        return held

    def let_go(self, held: Held) -> None:
        """Renews a lease no longer."""
        held.end()
        with self._lock:
            self._held.discard(held)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._pause_s)
            with self._lock:
                if not self._held:
                    self._thread = None
                    return
                every = list(self._held)
            for held in every:
                held.renew()


async def lease_of(options: RunOptions, *, is_inline: bool) -> Held:
    """The lease of the thread of a run. LeaseHeld where another run has it, unless that is waited for, or to be taken over. It suspends
    only where a loop runs."""
    while True:
        try:
            await _ask(
                options, lambda journal: journal.lease(options.thread, options.run, LEASE_S, takeover=options.takeover), is_inline=is_inline
            )
            return keeper.hold(options.journal, options.thread, options.run)
        except LeaseHeld:
            if not options.waits:
                raise
        if is_inline:
            time.sleep(_WAIT_S)
        else:
            await asyncio.sleep(_WAIT_S)


async def release(held: Held, options: RunOptions, *, is_inline: bool) -> None:
    """Ends the lease; by itself it does so, too, where the journal does not answer."""
    keeper.let_go(held)
    with suppress(JournalError):
        await _ask(options, lambda journal: journal.release(options.thread, options.run), is_inline=is_inline)


async def _ask(options: RunOptions, ask: Callable[[Journal], Coroutine[Any, Any, Any]], *, is_inline: bool) -> None:
    if is_inline:
        here(options.journal, ask)
    else:
        await ask(options.journal)


keeper = Keeper()
"""The one of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=keeper.forget)
