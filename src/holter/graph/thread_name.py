"""The name of a thread, as callers give it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from holter.errors import GraphError
from holter.messages.surrogate import is_valid

_SHOWN = 60
"""Characters of a wrong name that are said."""


def thread_name(given: Any) -> str:
    """The id of a thread: text, or a number or UUID as text. GraphError for what not every journal can hold."""
    name = str(given) if isinstance(given, int | UUID) and not isinstance(given, bool) else given
    if isinstance(name, str) and name and "\0" not in name and is_valid(name):
        return name
    raise GraphError(f"a thread's id is a text (not empty, without NUL and lone surrogates), found {ascii(given)[:_SHOWN]}")
