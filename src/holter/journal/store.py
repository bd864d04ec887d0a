"""Long-term memory beside the threads: values under a namespace and a key.

The names and their meaning are LangGraph's `BaseStore` (langgraph 1.2, seen 2026-11), so that tools written for it work.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec

from holter.journal.pause import apart

Namespace: TypeAlias = tuple[str, ...]
"""Where a value stands, outermost first: `("users", "ann", "notes")`."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A value of a store."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    """UTC."""
    updated_at: datetime
    """UTC."""

    def dict(self) -> dict[str, Any]:
        """The item as JSON has it."""
        return {**msgspec.to_builtins(self), "namespace": list(self.namespace)}


class Store(Protocol):
    """What keeps values longer than a thread lives. All methods are safe to call from several threads; those with an `a` in front wait
    without blocking the event loop, and whoever inherits from this class has them."""

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> None:
        """Keeps the value, in place of one that stands there. ValueError for an empty namespace or key."""

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """The value that stands there, or None."""

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Forgets the value; nothing happens when there is none."""

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
        """Items whose namespace begins like this, newest change first.

        `filter` keeps those whose fields equal the given ones; `query` those whose text holds every word of it, case ignored.
        """

    def list_namespaces(
        self, *, prefix: Sequence[str] = (), max_depth: int | None = None, limit: int = 100, offset: int = 0
    ) -> list[Namespace]:
        """The namespaces that hold something, sorted, cut to `max_depth` parts."""

    async def aput(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> None:
        """As `put`."""
        await apart(lambda: self.put(namespace, key, value))

    async def aget(self, namespace: Sequence[str], key: str) -> Item | None:
        """As `get`."""
        return await apart(lambda: self.get(namespace, key))

    async def adelete(self, namespace: Sequence[str], key: str) -> None:
        """As `delete`."""
        await apart(lambda: self.delete(namespace, key))

    async def asearch(self, namespace_prefix: Sequence[str], /, **wanted: Any) -> list[Item]:
        """As `search`, with its options."""
        return await apart(lambda: self.search(namespace_prefix, **wanted))

    async def alist_namespaces(self, **wanted: Any) -> list[Namespace]:
        """As `list_namespaces`, with its options."""
        return await apart(lambda: self.list_namespaces(**wanted))


def checked(namespace: Sequence[str], key: str, value: dict[str, Any]) -> Namespace:
    """The namespace of a value that can be kept. ValueError for an empty namespace or key, and for what is no dict."""
    if isinstance(namespace, str) or not namespace or not all(map(_is_text, namespace)):
        raise ValueError(f"a namespace is a sequence of texts that are not empty, found {namespace!r}")
    if not _is_text(key):
        raise ValueError(f"a key is a text that is not empty, found {key!r}")
    if not isinstance(value, dict):
        raise ValueError(f"a value is a dict, found {type(value).__name__}")
    return tuple(namespace)


def fits(item: Item, query: str | None, wanted: dict[str, Any] | None) -> bool:
    """Whether a search finds the item: see `Store.search`."""
    if wanted and any(key not in item.value or item.value[key] != value for key, value in wanted.items()):
        return False
    if not query:
        return True
    text = f"{item.key} {item.value}".casefold()
    return all(word in text for word in query.casefold().split())


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
