"""Token counts of several answers, added up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holter.messages.usage import UsageMetadata, count

_COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_DETAILS = ("input_token_details", "output_token_details")


def total_usage(usages: Iterable[UsageMetadata]) -> UsageMetadata:
    """The sum, field by field; zeros where there is nothing to add."""
    total: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), **{name: {} for name in _DETAILS}}
    for usage in usages:
        for name in _COUNTS:
            total[name] += count(usage.get(name)) or 0
        for name in _DETAILS:
            _add(total[name], usage.get(name))
    return total


def _add(total: dict[str, int], details: Any) -> None:
    for name, value in details.items() if isinstance(details, dict) else ():
        if (number := count(value)) is not None:
            total[name] = total.get(name, 0) + number


def tokens_of(usage: UsageMetadata | None) -> int:
    """All tokens of one answer, its request included; 0 where nothing is known."""
    if usage is None:
        return 0
    total = count(usage.get("total_tokens"))
    return total if total is not None else (count(usage.get("input_tokens")) or 0) + (count(usage.get("output_tokens")) or 0)
