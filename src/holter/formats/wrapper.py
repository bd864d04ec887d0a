"""Searches a container that nobody knows for conversations, and for the events of streams."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from holter.formats.decode import json_inside
from holter.formats.detect import form_of, stream_of
from holter.formats.form import Form, inside
from holter.messages import Place

_DEEPEST = 8
"""How deep a wrapper is searched."""

Found: TypeAlias = tuple[Form | None, Any, Place]
"""(its form, or None where it is an event or a record that is refused by name; the value; where it stands)."""


def found_inside(value: Any, place: Place, is_refused: Callable[[dict[str, Any]], bool]) -> Iterator[Found]:
    """What stands inside a list or object, in its order, but not inside what was found. A text that is JSON is searched, too."""
    open_: list[tuple[Iterator[tuple[Any, Any]], Place]] = [(_children(value), place)]
    while open_:
        children, at = open_[-1]
        key, child = next(children, (None, None))
        if key is None:
            open_.pop()
            continue
        inner = json_inside(child) if isinstance(child, str) else child
        if not isinstance(inner, dict | list) or not inner:
            continue
        form = form_of(inner)
        where = inside(at, key)
        if form is not None:
            yield form, inner, where
        elif isinstance(inner, dict) and (stream_of(inner) is not None or is_refused(inner)):
            yield None, inner, where
        elif len(open_) <= _DEEPEST:
            open_.append((_children(inner), where))


def _children(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, dict) else iter(enumerate(value))
