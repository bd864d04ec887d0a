"""Where a cache keeps results, and how it is asked so that a broken one costs a miss and no answer."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Protocol, TypeVar

from holter.tools.around import Inner
from holter.tools.drive import block_on

Value = TypeVar("Value")

_REST_S = 1.0
"""How long a store that failed is left alone: one that does not answer would cost every call its timeout."""


class CacheStore(Protocol):
    """Any object with these two. What else it may have: `delete(key)` and `delete_label(label)`, each of which gives how many that were;
    `lease(key, token, seconds)` and `release(key, token)`, so that of several processes one makes a value, and `renew(key, token,
    seconds)`, so that this may take longer than the lease; `set` with `ttl_s` and `labels`; `holds_objects`, when it keeps any value and
    not only bytes; `is_quick`, when it never waits. Methods may be coroutine functions."""

    def get(self, key: str) -> Any:
        """The value that was set, or None."""

    def set(self, key: str, value: Any) -> Any:
        """Keeps the value: bytes, unless the store says `holds_objects`."""


class StoreFailed(Exception):
    """The store did not do it; the text says what it said."""


class Port:
    """One store, asked from both worlds. Whatever it raises is StoreFailed, and then it is left alone for a second."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.holds_objects = bool(getattr(store, "holds_objects", False))
        self.is_quick = bool(getattr(store, "is_quick", False))
        self.has_leases = callable(getattr(store, "lease", None)) and callable(getattr(store, "release", None))
        self.renews = self.has_leases and callable(getattr(store, "renew", None))
        self._options = _options(store.set)
        self._rests_until = 0.0

    async def get(self, key: str, inner: Inner) -> Any:
        """The value, or None."""
        return await self._asked(lambda: self.store.get(key), inner)

    async def set(self, key: str, value: Any, inner: Inner, *, ttl_s: float | None, labels: tuple[str, ...]) -> None:
        """Keeps the value; for a time and under labels, if the store knows such."""
        options = {name: item for name, item in (("ttl_s", ttl_s), ("labels", labels)) if name in self._options}
        await self._asked(lambda: self.store.set(key, value, **options), inner)

    async def lease(self, key: str, token: str, seconds: float, inner: Inner) -> bool:
        """Whether this one may make the value; always, where the store has no leases."""
        return not self.has_leases or bool(await self._asked(lambda: self.store.lease(key, token, seconds), inner))

    async def renew(self, key: str, token: str, seconds: float, inner: Inner) -> None:
        """Holds on to the lease for so long from now."""
        await self._asked(lambda: self.store.renew(key, token, seconds), inner)

    async def release(self, key: str, token: str, inner: Inner) -> None:
        """Gives the lease back."""
        if self.has_leases:
            await self._asked(lambda: self.store.release(key, token), inner)

    async def _asked(self, ask: Callable[[], Any], inner: Inner) -> Any:
        if time.monotonic() < self._rests_until:
            raise StoreFailed("it failed a moment ago and is left alone")
        try:
            value = ask() if self.is_quick else await inner.beside(ask)
            if not isawaitable(value):
                return value
            return block_on(_awaited(value)) if inner.inline else await value
        except Exception as error:
            self._rests_until = time.monotonic() + _REST_S
            raise StoreFailed(f"{type(error).__name__}: {error}") from error

    def forget(self, *, key: str | None = None, label: str | None = None) -> int:
        """How many values were forgotten. Raises TypeError where the store cannot forget."""
        method = getattr(self.store, "delete" if label is None else "delete_label", None)
        if not callable(method):
            raise TypeError(f"{type(self.store).__name__} has no {'delete' if label is None else 'delete_label'}, so it cannot forget")
        value = method(key if label is None else label)
        return int((block_on(_awaited(value)) if isawaitable(value) else value) or 0)


async def _awaited(value: Awaitable[Value]) -> Value:
    return await value


def _options(function: Callable[..., Any]) -> frozenset[str]:
    """Which of our options a `set` takes."""
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return frozenset()
    return frozenset({"ttl_s", "labels"} & parameters.keys())
