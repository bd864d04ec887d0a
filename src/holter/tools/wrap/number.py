"""Checks of the numbers that wrappers are made with. Values come from a program that is not type-checked as well."""

from __future__ import annotations

import math
from typing import Any


def as_count(option: str, value: Any, least: int = 1) -> int:
    """The value, a whole number from `least` up; else ValueError, which names the option."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{option} is a whole number from {least} up, found {value!r}")
    return value


def as_seconds(option: str, value: Any, *, may_be_zero: bool = False) -> float:
    """The value, a number of seconds; else ValueError, which names the option."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value < 0 or (value == 0 and not may_be_zero):
        raise ValueError(
            f"{option} is a number of seconds {'from' if may_be_zero else 'above'} 0{'' if not may_be_zero else ' up'}, found {value!r}"
        )
    return value  # type: ignore[no-any-return]
