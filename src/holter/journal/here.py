"""The methods of a journal for those who cannot await them: waited for on the caller's own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from holter.journal.event import Event
from holter.journal.journal import Journal
from holter.journal.pause import waiting_here

if TYPE_CHECKING:
    import asyncio

Value = TypeVar("Value")


class Direct(Protocol):
    """What a journal offers beside the protocol that never suspends within `waiting_here`."""

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """As `append`, without a coroutine."""
        ...

    def length_here(self, thread: str) -> int:
        """As `length`, without a coroutine."""
        ...


def here(journal: Journal, ask: Callable[[Journal], Coroutine[Any, Any, Value]]) -> Value:
    """What `ask` gets from the journal, without letting an event loop of this thread go on meanwhile.

    A journal without `append_here` may suspend; it is asked in a loop of its own, in another thread.
    """
    if not hasattr(journal, "append_here"):
        return _apart(ask(journal))
    with waiting_here():
        body = ask(journal)
        try:
            body.send(None)
        except StopIteration as done:
            return cast(Value, done.value)
        body.close()
    raise RuntimeError(f"a {type(journal).__name__} suspends, although it has append_here")


def direct(journal: Journal) -> Direct:
    """The journal for those who append and ask for lengths without awaiting it: itself, where it has both methods."""
    is_direct = hasattr(journal, "append_here") and hasattr(journal, "length_here")
    return cast(Direct, journal) if is_direct else _Awaited(journal)


class _Awaited:
    """A journal that has to be waited for, at least for a length."""

    __slots__ = ("_journal",)

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        own = getattr(self._journal, "append_here", None)
        if own is not None:
            return cast(int, own(thread, expected_seq, events))
        return here(self._journal, lambda journal: journal.append(thread, expected_seq, events))

    def length_here(self, thread: str) -> int:
        return here(self._journal, lambda journal: journal.length(thread))


_lock = threading.Lock()
_beside: tuple[threading.Thread, asyncio.AbstractEventLoop] | None = None
"""The loop in which journals are asked that suspend; one for the process."""


def _apart(body: Coroutine[Any, Any, Value]) -> Value:
    import asyncio

    return asyncio.run_coroutine_threadsafe(body, _loop()).result()


def _loop() -> asyncio.AbstractEventLoop:
    global _beside
    import asyncio

    with _lock:
        if _beside is None or not _beside[0].is_alive():  # in a child process the thread is its parent's
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="holter-journal", daemon=True)
            thread.start()
            _beside = thread, loop
        return _beside[1]
