"""The leases of the runs of this process: each ends soon after the process does, and is renewed while the run lives."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from holter.errors import JournalError, LeaseHeld
from holter.journal.here import here
from holter.journal.journal import Journal

LEASE_S = 30.0
"""How long a lease holds: so long others are kept from the thread of a run whose process died."""
_RENEW_S = 10.0


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


keeper = Keeper()
"""The one of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=keeper.forget)
