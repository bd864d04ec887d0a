"""Token counts in words."""

from collections.abc import Iterator
from typing import Any

from holter.render.control import one_line
from holter.render.quantity import amount

_DETAIL = {"cache_read": "cached", "cache_creation": "written to the cache"}


def tokens(usage: dict[str, Any]) -> Iterator[str]:
    """`1,234 in (320 cached)`, `92 out (48 reasoning)`; nothing where nothing is known."""
    for key, word in (("input", "in"), ("output", "out")):
        count = usage.get(f"{key}_tokens")
        if isinstance(count, int):
            details = usage.get(f"{key}_token_details") or {}
            parts = [
                f"{amount(part)} {_DETAIL.get(name, one_line(name))}" for name, part in details.items() if isinstance(part, int) and part
            ]
            yield f"{amount(count)} {word}" + (f" ({', '.join(parts)})" if parts else "")
