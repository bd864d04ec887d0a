"""The thread that a run writes: what happens is appended to the journal, folded, and handed on to whoever listens, in this order."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from operator import is_
from typing import Any

from holter.errors import JournalConflict, JournalDamaged, JournalUnavailable, NotStorable
from holter.graph.feed import Feed, Namespace, StreamItem
from holter.journal.entry import Entry
from holter.journal.event import Answered, Cancelled, Event, Interrupted, MessageAdded, Redacting, Repaired, ToolStarted
from holter.journal.fold import Fold
from holter.journal.here import direct, here
from holter.journal.journal import Journal
from holter.journal.mended import mended_events
from holter.journal.redaction import NOTHING
from holter.journal.stored import is_kept


class Recorder:
    """One run's hand on its thread. May be used from several threads of the process."""

    __slots__ = (
        "_direct",
        "_flushed",
        "_folded",
        "_later",
        "_lock",
        "clean_calls",
        "feed",
        "flushing",
        "fold",
        "has_failed",
        "has_open_calls",
        "is_own",
        "journal",
        "namespace",
        "thread",
    )

    def __init__(self, journal: Journal, thread: str, fold: Fold, feed: Feed | None, namespace: Namespace, *, is_own: bool = False) -> None:
        """`is_own`: nobody but the run knows the thread, and it ends with the process."""
        self.journal = journal
        self.thread = thread
        self.fold = fold
        self.feed = feed
        self.namespace = namespace
        self.is_own = is_own
        self._lock = threading.Lock()
        self.clean_calls: list[Any] | None = None
        """The calls of an answer that was looked through for repairs already, and needed none: this very list."""
        self._later: list[Event] = []
        """What is appended before the next events."""
        self._folded = 0
        """How many of these the fold has taken in already."""
        self._direct = direct(journal)
        self._flushed: Callable[[Sequence[Event]], Awaitable[None] | None] | None = getattr(journal, "flushed", None)
        """What waits for the device, where the journal has one."""
        self.has_open_calls = False
        """Whether the thread held calls without a result when it was loaded."""
        self.has_failed = False
        """Whether the journal could not be written, so that something is missing in the thread."""
        self.flushing: Awaitable[None] | None = None
        """What waits until the newest events that somebody outside acts on are on the device."""

    async def load(self, *, is_here: bool) -> None:
        """Folds what the thread holds already. `is_here`: without letting a loop go on meanwhile."""
        start = self.fold.length
        entries = self._read(start) if is_here else await self.journal.read(self.thread, start)
        self.fold.extend(entries)
        self.has_open_calls = bool(self.fold.open_calls)

    def _read(self, start: int) -> list[Entry]:
        return here(self.journal, lambda journal: journal.read(self.thread, start))

    def record_soon(self, event: Event) -> None:
        """Appends the event before the next ones; at once where somebody listens. For what is good to know and nothing rests on."""
        if self.feed is not None:
            self.record([event])
        else:
            self._later.append(event)  # without the lock, which would cost as much as the rest

    def hold(self, event: MessageAdded) -> None:
        """Takes an event in, and appends it with the next ones: one write less in each step. `flush` has to be called before the run waits
        for something, and before anything is done that others see. At once where somebody listens, and where the event is not kept as it
        is. What came from outside is taken in first, as an append would: the run may have been cancelled."""
        if self.feed is not None or self.fold.redaction is not NOTHING or not is_kept(event):
            self.record((event,))
            return
        if not self.is_own:
            try:
                self._look()
            except (JournalUnavailable, JournalDamaged):
                self.has_failed = True
                raise
        with self._lock:
            later, known = self._later, len(self._later)
            for waiting in later[self._folded : known]:
                self.fold.add_new(waiting)
            self.fold.add_new(event)
            later.insert(known, event)  # in front of what came from another thread meanwhile
            self._folded = known + 1

    def flush(self) -> None:
        """Appends what was to come before the next events."""
        if self._later:
            self.record(())

    def record(self, events: Sequence[Event]) -> Awaitable[None] | None:
        """Appends the events; when it returns they are in the journal. What comes back waits until they are on the device, where the
        journal flushes what others act on. Raises JournalConflict when another run has taken the thread over, and NotStorable."""
        if self.is_own and self.feed is None and len(events) == 1 and events[0].__class__ is ToolStarted:
            self._later.append(events[0])  # it tells whoever comes after this process what may have been done: nobody
            return None
        with self._lock:
            later, known, folded = self._later, len(self._later), self._folded
            if known:
                events = [*later[:known], *events]
            if self.fold.redaction is not NOTHING:
                events = self.fold.redaction.kept(events)
                if not events:
                    del later[:known]
                    return None
            try:
                self._direct.append_here(self.thread, self.fold.length - folded, events)
            except (JournalConflict, NotStorable):  # nothing was appended
                events = self._append(events, folded)
            except (JournalUnavailable, JournalDamaged):
                self.has_failed = True
                raise
            if known:
                del later[:known]  # and not what came from another thread meanwhile
                self._folded = 0
            add = self.fold.add_new
            for event in events[folded:] if folded else events:
                add(event)
            if self.feed is not None:
                now, first = time.time(), self.fold.length - len(events)
                for seq, event in enumerate(events, first):
                    if event.__class__ is Redacting:
                        self.feed.redact(event.patterns)
                    self.feed.put(Entry(seq, now, event), self.namespace)
            if self._flushed is None:
                return None
            flushing = self._flushed(events)
            self.flushing = flushing or self.flushing
            return flushing

    def ask(self, questions: Sequence[tuple[str, Any]]) -> None:
        """Puts questions into the journal, as (key, value), that do not stand there yet."""
        known = {asked.key: asked for asked in self.fold.questions}
        events: list[Event] = [
            Interrupted(key=key, value=value)
            for key, value in questions
            if key not in known or not (known[key].is_answered or known[key].value == value)
        ]
        if events:
            self.record(events)

    def _append(self, events: Sequence[Event], folded: int) -> Sequence[Event]:
        """Appends, and gives what was appended: a message that cannot be stored is made one that can. The fold has `folded` of them."""
        while True:
            try:
                self._direct.append_here(self.thread, self.fold.length - folded, events)
                return events
            except JournalConflict as conflict:
                self._read_on(conflict, folded)
            except (JournalUnavailable, JournalDamaged):
                self.has_failed = True
                raise
            except NotStorable:
                made = mended_events(events)
                if len(made) == len(events) and all(map(is_, made, events)):
                    raise
                events = made

    def _read_on(self, conflict: JournalConflict, folded: int = 0) -> None:
        """Takes in what came from outside: an answer, that the run is to end, or that something was redacted. Anything else is another
        run's. The fold has `folded` events that are not appended yet."""
        entries = self._read(self.fold.length - folded)
        if not entries or not all(isinstance(entry.event, Answered | Cancelled | Repaired) for entry in entries):
            raise conflict
        for entry in entries:
            if folded:
                self.fold.add_aside(entry)
            else:
                self.fold.add(entry)
            self.put(entry)

    @property
    def cancelled(self) -> str | None:
        """Why somebody cancelled the run; None when nobody did."""
        return None if self.fold.cancelled is None else self.fold.cancelled.reason

    async def length(self) -> int:
        """How many events the thread has by now."""
        return await self.journal.length(self.thread)

    def look(self, length: int | None = None) -> bool:
        """Takes in what came from outside since the last append, where the thread has another length by now; None: to be asked for. Whether
        the run is cancelled."""
        with suppress(JournalConflict):  # another run has the thread: the next append says so
            self._look(length)
        return self.fold.cancelled is not None

    def _look(self, length: int | None = None) -> None:
        with self._lock:
            if length is None:
                length = self._direct.length_here(self.thread)
            known = self.fold.length - self._folded
            if length > known:
                self._read_on(JournalConflict(self.thread, known, length), self._folded)

    def put(self, item: StreamItem) -> None:
        """Hands an item on that stands in no journal."""
        if self.feed is not None:
            self.feed.put(item, self.namespace)
