"""From a run to whoever listens: what happens, as it happens. Putting never waits, so a slow listener never stops a run."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from holter.graph.item import Custom, Delta, Namespace, StepEnded, StreamItem, TaskBegan, TaskFailed
from holter.graph.veil import Veil
from holter.messages.chunks import AIMessageChunk

__all__ = ["Custom", "Delta", "Feed", "Namespace", "StepEnded", "StreamItem", "TaskBegan", "TaskFailed"]

_BACKLOG = 1_000
"""So many items may wait before deltas that follow each other are joined."""


class _Pile:
    """Text deltas of one task that are joined when somebody takes them."""

    __slots__ = ("chunks", "first")

    def __init__(self, first: Delta) -> None:
        self.first = first
        self.chunks = [first.chunk]

    def joined(self) -> Delta:
        content = "".join(str(chunk.content) for chunk in self.chunks)
        reasoning = "".join(chunk.reasoning or "" for chunk in self.chunks)
        first = self.first.chunk
        return Delta(AIMessageChunk(content, reasoning=reasoning or None, id=first.id, name=first.name), self.first.node, self.first.task)


def _is_text(chunk: AIMessageChunk) -> bool:
    """Whether the delta holds nothing but text."""
    others = (chunk.response_metadata, chunk.additional_kwargs, chunk.extra)
    return chunk.content.__class__ is str and not chunk.tool_call_chunks and chunk.usage_metadata is None and not any(others)


class Feed:
    """The items of a run, each once and in order. One listener takes them: `async for` or `for`."""

    def __init__(self) -> None:
        self._items: deque[tuple[Namespace, Any]] = deque()
        self._lock = threading.Lock()
        self._wake: Callable[[], None] | None = None
        self._is_closed = False
        self._veil: Veil | None = None

    def redact(self, patterns: Iterable[str]) -> None:
        """Says what is not to be shown: it is replaced in all that is taken from here on."""
        with self._lock:
            self._veil = Veil() if self._veil is None else self._veil
            self._veil.add(patterns)

    def put(self, item: StreamItem, namespace: Namespace = ()) -> None:
        """Hands an item on. May be called from any thread; does nothing when the feed is closed."""
        with self._lock:
            if self._is_closed:
                return
            if item.__class__ is Delta and len(self._items) >= _BACKLOG and self._join(item, namespace):
                return
            self._items.append((namespace, item))
            wake, self._wake = self._wake, None
        if wake is not None:
            wake()

    def close(self) -> None:
        """Says that nothing comes any more. What waits can still be taken."""
        with self._lock:
            self._is_closed = True
            wake, self._wake = self._wake, None
        if wake is not None:
            wake()

    def _join(self, delta: Delta, namespace: Namespace) -> bool:
        last_namespace, last = self._items[-1]
        if last_namespace != namespace or last.__class__ not in (Delta, _Pile):
            return False
        pile = last if isinstance(last, _Pile) else _Pile(last)
        first = pile.first
        if first.task != delta.task or first.chunk.id != delta.chunk.id or not (_is_text(first.chunk) and _is_text(delta.chunk)):
            return False
        pile.chunks.append(delta.chunk)
        self._items[-1] = (namespace, pile)
        return True

    def _take(self) -> tuple[Namespace, StreamItem]:
        """What waits longest to be taken."""
        with self._lock:  # nothing is joined to what is being taken
            namespace, item = self._items.popleft()
        return namespace, item.joined() if item.__class__ is _Pile else item

    def _taken(self) -> Iterator[tuple[Namespace, StreamItem]]:
        """What waits to be taken, as it is to be shown."""
        while self._items:
            if self._veil is None:
                yield self._take()
            else:
                yield from self._veil.of(*self._take())

    def _rest(self) -> Iterator[tuple[Namespace, StreamItem]]:
        return iter(()) if self._veil is None else self._veil.rest()

    def _sleep(self, wake: Callable[[], None]) -> bool:
        """Whether the listener has to wait; `wake` is called when something comes."""
        with self._lock:
            if self._items or self._is_closed:
                return False
            self._wake = wake
            return True

    async def __aiter__(self) -> AsyncIterator[tuple[Namespace, StreamItem]]:
        """(namespace, item), until the feed is closed."""
        loop = asyncio.get_running_loop()
        here, lock = threading.get_ident(), self._lock
        waiting: asyncio.Future[None] | None = None

        def wake() -> None:
            if threading.get_ident() == here:
                if waiting is not None and not waiting.done():
                    waiting.set_result(None)
            else:
                with suppress(RuntimeError):  # the listener's loop has ended
                    loop.call_soon_threadsafe(_resolve, waiting)

        while True:
            while items := self._items:
                with lock:
                    namespace, item = items.popleft()
                if item.__class__ is _Pile:
                    item = item.joined()
                if self._veil is None:
                    yield namespace, item
                else:
                    for sent in self._veil.of(namespace, item):
                        yield sent
            waiting = loop.create_future()
            if self._sleep(wake):
                await waiting
            elif not self._items:
                for sent in self._rest():
                    yield sent
                return

    def __iter__(self) -> Iterator[tuple[Namespace, StreamItem]]:
        """(namespace, item), until the feed is closed. Blocks while nothing comes."""
        while True:
            yield from self._taken()
            event = threading.Event()
            if self._sleep(event.set):
                event.wait()
            elif not self._items:
                yield from self._rest()
                return


def _resolve(waiting: asyncio.Future[None] | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
