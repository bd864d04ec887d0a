"""How long to wait before the next try."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

Wait: TypeAlias = float | Callable[[int], float]
"""Seconds, or what gives them for the number of the try that failed, from 1."""


def exponential(first_s: float = 0.5, *, factor: float = 2.0, max: float = 30.0, jitter: bool = True) -> Callable[[int], float]:
    """Seconds to wait after each failed try: `first_s`, then `factor` times as long each time, never longer than `max`.

    With jitter it is a random part of that, from half of it up, so that many who failed together do not come back together. ValueError for
    numbers that make no wait.
    """
    if first_s < 0 or max < 0 or factor < 1:
        raise ValueError(
            f"exponential waits {first_s!r} s at first, at most {max!r} s, times {factor!r}: none is below 0, the factor not below 1"
        )

    def seconds(attempt: int) -> float:
        whole = min(first_s * factor ** min(attempt - 1, 200), max)
        return whole * random.uniform(0.5, 1.0) if jitter else whole

    return seconds
