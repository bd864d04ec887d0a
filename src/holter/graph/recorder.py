"""The thread that a run writes: what happens is appended to the journal, folded, and handed on to whoever listens, in this order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import is_
from typing import Any

from holter.errors import JournalConflict, NotStorable
from holter.graph.feed import Feed, Namespace, StreamItem
from holter.journal.entry import Entry
from holter.journal.event import Answered, Cancelled, Event, Redacting
from holter.journal.fold import Fold
from holter.journal.journal import Journal
from holter.journal.mended import mended_events
from holter.journal.redaction import NOTHING
from holter.tools.drive import drive


class Recorder:
    """One run's hand on its thread. May be used from several threads of the process."""

    def __init__(self, journal: Journal, thread: str, fold: Fold, feed: Feed | None, namespace: Namespace) -> None:
        self.journal = journal
        self.thread = thread
        self.fold = fold
        self.feed = feed
        self.namespace = namespace
        self._lock = threading.Lock()
        self.clean_calls: list[Any] | None = None
        """The calls of an answer that was looked through for repairs already, and needed none: this very list."""
        self._later: list[Event] = []
        self._append_here: Callable[[str, int, Sequence[Event]], int] | None = getattr(journal, "append_here", None)
        """How a journal appends that needs no coroutine for it."""

    def load(self) -> None:
        """Folds what the thread holds already."""
        for entry in drive(self.journal.read(self.thread, self.fold.length)):
            self.fold.add(entry)

    def record_soon(self, event: Event) -> None:
        """Appends the event before the next ones; at once where somebody listens. For what is good to know and nothing rests on."""
        if self.feed is not None:
            self.record([event])
        else:
            with self._lock:
                self._later.append(event)

    def record(self, events: Sequence[Event]) -> None:
        """Appends the events; when it returns they are in the journal. Raises JournalConflict when another run has taken the thread
        over, and NotStorable."""
        with self._lock:
            if self._later:
                events, self._later = [*self._later, *events], []
            if self.fold.redaction is not NOTHING:
                events = [self.fold.redaction.kept(event) for event in events]
            events = self._append(events)
            add = self.fold.add_new
            for event in events:
                add(event)
            if self.feed is not None:
                now, first = time.time(), self.fold.length - len(events)
                for seq, event in enumerate(events, first):
                    if event.__class__ is Redacting:
                        self.feed.redact(event.patterns)
                    self.feed.put(Entry(seq, now, event), self.namespace)

    def _append(self, events: Sequence[Event]) -> Sequence[Event]:
        """Appends, and gives what was appended: a message that cannot be stored is made one that can."""
        while True:
            try:
                if self._append_here is not None:
                    self._append_here(self.thread, self.fold.length, events)
                else:
                    drive(self.journal.append(self.thread, self.fold.length, events))
                return events
            except JournalConflict as conflict:
                self._read_on(conflict)
            except NotStorable:
                made = mended_events(events)
                if len(made) == len(events) and all(map(is_, made, events)):
                    raise
                events = made

    def _read_on(self, conflict: JournalConflict) -> None:
        """Takes in what came from outside: an answer, or that the run is to end. Anything else is another run's."""
        entries = drive(self.journal.read(self.thread, self.fold.length))
        if not entries or not all(isinstance(entry.event, Answered | Cancelled) for entry in entries):
            raise conflict
        for entry in entries:
            self.fold.add(entry)
            self.put(entry)

    @property
    def cancelled(self) -> str | None:
        """Why somebody cancelled the run; None when nobody did."""
        return None if self.fold.cancelled is None else self.fold.cancelled.reason

    def look(self) -> bool:
        """Takes in what came from outside since the last append. Whether the run is cancelled."""
        with self._lock:
            length = drive(self.journal.length(self.thread))
            if length > self.fold.length:
                with suppress(JournalConflict):  # another run has the thread: the next append says so
                    self._read_on(JournalConflict(self.thread, self.fold.length, length))
        return self.fold.cancelled is not None

    def put(self, item: StreamItem) -> None:
        """Hands an item on that stands in no journal."""
        if self.feed is not None:
            self.feed.put(item, self.namespace)
