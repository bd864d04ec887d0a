"""A store in this process's memory; it ends with the process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec

from holter.journal.store import Item, Namespace, Store, checked, fits


class MemoryStore(Store):
    """Keeps values in memory. What is put in is copied, so that a later change of it changes nothing here."""

    def __init__(self) -> None:
        self._items: dict[Namespace, dict[str, Item]] = {}
        self._lock = threading.Lock()

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> None:
        """Keeps a copy of the value, in place of one that stands there. ValueError for an empty namespace or key."""
        place = checked(namespace, key, value)
        now = datetime.now(UTC)
        with self._lock:
            items = self._items.setdefault(place, {})
            old = items.pop(key, None)
            items[key] = Item(namespace=place, key=key, value=deepcopy(value), created_at=old.created_at if old else now, updated_at=now)

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """The value that stands there, or None."""
        with self._lock:
            item = self._items.get(tuple(namespace), {}).get(key)
        return _copy(item) if item is not None else None

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Forgets the value; nothing happens when there is none."""
        place = tuple(namespace)
        with self._lock:
            items = self._items.get(place, {})
            items.pop(key, None)
            if not items:
                self._items.pop(place, None)

    def search(
        self,
        namespace_prefix: Sequence[str],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Item]:
        """Items whose namespace begins like this, newest change first. See `Store.search`."""
        with self._lock:
            found = [item for item in self._below(tuple(namespace_prefix)) if fits(item, query, filter)]
        found.sort(key=lambda item: item.updated_at, reverse=True)
        return [_copy(item) for item in found[offset : offset + limit]]

    def list_namespaces(
        self, *, prefix: Sequence[str] = (), max_depth: int | None = None, limit: int = 100, offset: int = 0
    ) -> list[Namespace]:
        """The namespaces that hold something, sorted, cut to `max_depth` parts."""
        start = tuple(prefix)
        with self._lock:
            places = {place[:max_depth] for place in self._items if place[: len(start)] == start}
        return sorted(places)[offset : offset + limit]

    def _below(self, prefix: Namespace) -> Iterator[Item]:
        for place, items in self._items.items():
            if place[: len(prefix)] == prefix:
                yield from reversed(items.values())


def _copy(item: Item) -> Item:
    return msgspec.structs.replace(item, value=deepcopy(item.value))
