"""A cache in this process's memory; it ends with the process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from typing import Any


class MemoryCache:
    """Keeps up to `max_entries` results; the one that was not asked for the longest goes first. Safe to use from several threads."""

    holds_objects = True
    """What is no JSON can be kept as well."""
    is_quick = True
    """Asking it takes microseconds, so that it may be done on a loop."""

    def __init__(self, max_entries: int | None = None) -> None:
        """None: as many as the wrapper that uses it says."""
        self.max_entries = max_entries
        self._entries: OrderedDict[str, tuple[Any, float, tuple[str, ...]]] = OrderedDict()
        """Key -> value, when it ends (monotonic), labels."""
        self._labelled: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Any:
        """The value, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry[1] <= time.monotonic():
                self._forget(key)
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def set(self, key: str, value: Any, *, ttl_s: float | None = None, labels: Collection[str] = ()) -> None:
        """Keeps the value for `ttl_s`; None for as long as there is room."""
        ends = float("inf") if ttl_s is None else time.monotonic() + ttl_s
        with self._lock:
            self._forget(key)
            self._entries[key] = (value, ends, tuple(labels))
            for label in labels:
                self._labelled.setdefault(label, set()).add(key)
            while self.max_entries is not None and len(self._entries) > self.max_entries:
                self._forget(next(iter(self._entries)))

    def delete(self, key: str) -> int:
        """Forgets the value; gives how many that were."""
        with self._lock:
            return self._forget(key)

    def delete_label(self, label: str) -> int:
        """Forgets the values with this label; gives how many that were."""
        with self._lock:
            return sum(self._forget(key) for key in list(self._labelled.get(label, ())))

    def _forget(self, key: str) -> int:
        entry = self._entries.pop(key, None)
        if entry is None:
            return 0
        for label in entry[2]:
            labelled = self._labelled[label]
            labelled.discard(key)
            if not labelled:
                del self._labelled[label]
        return 1
