"""Numbers in texts, by what they are worth: "1,000" and "1000.0" are one number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

Number: TypeAlias = int | float
"""Whole ones stay whole: ids have more digits than a float holds."""

_NUMBER = re.compile(r"(?<![a-z0-9_.])-?\d+(?:\.\d+)?(?!\.?\d|_|[a-z_]+\d)")
"""Units may follow ("100kg", "3元"); what goes on with digits is a part of an id."""
_GROUPED = re.compile(r"(?<![\w.,])-?\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?(?![\d,，])")


def numbers(text: str) -> Iterator[Number]:
    """The numbers that stand in a lower-case text. Groups of thousands are read as one number and as several, since `1,200` is both."""
    for found in _NUMBER.findall(text):
        if (value := worth(found)) is not None:
            yield value
    for found in _GROUPED.findall(text):
        if (value := worth(found.replace(",", "").replace("，", ""))) is not None:
            yield value


def worth(value: Any) -> Number | None:
    """What a number, or a text that is one, is worth; None for all else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return value
    try:
        return float(value) if "." in value else int(value)
    except (ValueError, OverflowError):
        return None
