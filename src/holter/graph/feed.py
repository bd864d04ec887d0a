"""From a run to whoever listens: what happens, as it happens. Putting never waits, so a slow listener never stops a run."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from typing import Any

from holter.graph.item import Custom, Delta, Namespace, StepEnded, StreamItem, TaskBegan, TaskFailed
from holter.graph.veil import Veil
from holter.messages.chunks import AIMessageChunk

__all__ = ["Custom", "Delta", "Feed", "Namespace", "StepEnded", "StreamItem", "TaskBegan", "TaskFailed"]

_BACKLOG = 1_000
"""So many items may wait before deltas that follow each other are joined."""


class _Pile:
    """Text deltas of one task that came behind a backlog: they are joined when somebody takes them."""

    __slots__ = ("chunks", "first", "is_taken")

    def __init__(self, first: Delta) -> None:
        self.first = first
        self.chunks = [first.chunk]
        self.is_taken = False

    def takes(self, delta: Delta) -> bool:
        """Whether the delta can be joined to these."""
        return not self.is_taken and self.first.task == delta.task and self.first.chunk.id == delta.chunk.id

    def joined(self) -> Delta:
        """All of it as one delta. Nothing can be joined to it any more."""
        self.is_taken = True
        content = "".join(str(chunk.content) for chunk in self.chunks)
        reasoning = "".join(chunk.reasoning or "" for chunk in self.chunks)
        first = self.first.chunk
        return Delta(AIMessageChunk(content, reasoning=reasoning or None, id=first.id, name=first.name), self.first.node, self.first.task)


def _is_text(chunk: AIMessageChunk) -> bool:
    """Whether the delta holds nothing but text."""
    others = (chunk.response_metadata, chunk.additional_kwargs, chunk.extra)
    return chunk.content.__class__ is str and not chunk.tool_call_chunks and chunk.usage_metadata is None and not any(others)


class Feed:
    """The items of a run, each once and in order. One listener takes them: `async for` or `for`.

    A delta comes and goes without a lock, which would cost as much as the rest. A queue's ends are safe by themselves. Who puts something
    appends first and looks for a sleeper then; who sleeps says so first and looks at the queue then: so one of the two sees the other. A
    sleeper who is woken for nothing looks again.
    """

    def __init__(self) -> None:
        self._items: deque[tuple[Namespace, Any]] = deque()
        self._lock = threading.Lock()
        """Held to redact, and where deltas are joined."""
        self._sleeper: asyncio.Future[None] | threading.Event | None = None
        """What the listener waits for, while it waits."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._home = 0
        """The loop of a listener that has one, and the thread in which it runs."""
        self._is_closed = False
        self._veil: Veil | None = None

    def redact(self, patterns: Iterable[str]) -> None:
        """Says what is not to be shown: it is replaced in all that is taken from here on."""
        with self._lock:
            self._veil = Veil() if self._veil is None else self._veil
            self._veil.add(patterns)

    # Putting

    def put(self, item: StreamItem, namespace: Namespace = ()) -> None:
        """Hands an item on. May be called from any thread; does nothing when the feed is closed."""
        if self._is_closed:
            return
        made: Any = item
        if item.__class__ is Delta and len(self._items) >= _BACKLOG and _is_text(item.chunk):
            if self._join(item, namespace):
                return
            made = _Pile(item)
        self._items.append((namespace, made))
        if self._sleeper is not None:
            self._rouse()

    def close(self) -> None:
        """Says that nothing comes any more. What waits can still be taken."""
        self._is_closed = True
        self._rouse()

    def _rouse(self) -> None:
        sleeper, self._sleeper = self._sleeper, None
        if isinstance(sleeper, threading.Event):
            sleeper.set()
        elif sleeper is not None and threading.get_ident() == self._home:
            _resolve(sleeper)
        elif sleeper is not None:
            with suppress(RuntimeError):  # the listener's loop has ended
                sleeper.get_loop().call_soon_threadsafe(_resolve, sleeper)

    def _join(self, delta: Delta, namespace: Namespace) -> bool:
        """Whether the delta could be joined to what waits last."""
        with self._lock:
            try:
                last_namespace, last = self._items[-1]
            except IndexError:  # all was taken meanwhile
                return False
            if last_namespace != namespace or last.__class__ is not _Pile or not last.takes(delta):
                return False
            last.chunks.append(delta.chunk)
            return True

    # Taking

    def listen(self) -> None:
        """Says that from here on somebody listens in the running loop. Not asked each time: that takes a call of the system."""
        self._loop, self._home = asyncio.get_running_loop(), threading.get_ident()

    @property
    def is_over(self) -> bool:
        """Whether the feed is closed and nothing is left."""
        return self._is_closed and not self._items

    def wait(self) -> asyncio.Future[None] | None:
        """What the listener has to await, in the loop where it called `listen`, before it looks again whether something can be taken; None
        where something can, or nothing comes any more. No coroutine, since each delta would make one."""
        if self._items:
            return None
        assert self._loop is not None
        waiting = self._loop.create_future()
        return waiting if self._sleep(waiting) else None

    def taken(self) -> Iterator[tuple[Namespace, StreamItem]]:
        """(namespace, item) of what waits to be taken, as it is to be shown."""
        items = self._items
        while items:
            namespace, item = items.popleft()
            if item.__class__ is _Pile:
                with self._lock:  # nothing is joined to what is being taken
                    item = item.joined()
            if self._veil is None:
                yield namespace, item
            else:
                yield from self._veil.of(namespace, item)

    def rest(self) -> Iterator[tuple[Namespace, StreamItem]]:
        """What was held back until it could be told whether it may be shown, when the feed is closed and nothing is left."""
        return iter(()) if self._veil is None else self._veil.rest()

    def _sleep(self, sleeper: asyncio.Future[None] | threading.Event) -> bool:
        """Whether the listener has to wait for this."""
        self._sleeper = sleeper
        if self._items or self._is_closed:
            self._sleeper = None
            return False
        return True

    async def __aiter__(self) -> AsyncIterator[tuple[Namespace, StreamItem]]:
        """(namespace, item), until the feed is closed."""
        self.listen()
        while not self.is_over:
            if (waiting := self.wait()) is not None:
                await waiting
            for taken in self.taken():
                yield taken
        for taken in self.rest():
            yield taken

    def __iter__(self) -> Iterator[tuple[Namespace, StreamItem]]:
        """(namespace, item), until the feed is closed. Blocks while nothing comes."""
        while True:
            yield from self.taken()
            event = threading.Event()
            if self._sleep(event):
                event.wait()
            elif not self._items:
                yield from self.rest()
                return


def _resolve(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
