"""Names of tools: which rule tells of one that is no offered tool's, and how several are said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holter.tools.naming import is_wrapper, resolve


def odd_name(name: Any, known: frozenset[str]) -> tuple[str | None, str | None]:
    """(rule, the tool that is meant) of a name that is no offered tool's; (None, None) where nothing can be said of it."""
    if not isinstance(name, str) or not name.strip():
        return "NAME06", None
    if is_wrapper(name):
        return "NAME04", None
    if not known:
        return None, None
    resolved = resolve(name, known)
    return resolved.repair.code if resolved.repair is not None else "NAME01", resolved.name


def listed(names: Iterable[str | None]) -> str:
    """Names in one phrase, a dozen at most."""
    given = [name if name else "?" for name in names]
    return ", ".join(given[:12]) + (f" and {len(given) - 12} more" if len(given) > 12 else "")
