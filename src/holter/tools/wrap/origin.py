"""Tells functions apart that were made by the same code: one closure from the other, a method of one object from that of another."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary


class Origins:
    """Numbers functions of one code in the order in which they are seen."""

    def __init__(self) -> None:
        self._numbers: WeakKeyDictionary[Any, dict[str, int]] = WeakKeyDictionary()
        self._strong: dict[int, tuple[Any, dict[str, int]]] = {}
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def number(self, code: str, function: Callable[..., Any]) -> int:
        """0 for the first function of this code, and for every one that has no more to it than the code."""
        holder = _holder(function)
        if holder is None:
            return 0
        with self._lock:
            numbers = self._of(holder)
            if code not in numbers:
                numbers[code] = self._counts[code]
                self._counts[code] += 1
            return numbers[code]

    def _of(self, holder: Any) -> dict[str, int]:
        try:
            return self._numbers.setdefault(holder, {})
        except TypeError:  # neither hashable nor weakly referable: held, so that its id stays its own
            return self._strong.setdefault(id(holder), (holder, {}))[1]


def _holder(function: Any) -> Any:
    """What a function has besides its code: the object of a method, itself where it is a closure or a callable object; None for nothing."""
    if (bound := getattr(function, "__self__", None)) is not None:
        return bound
    return None if getattr(function, "__code__", None) is not None and not function.__closure__ else function
