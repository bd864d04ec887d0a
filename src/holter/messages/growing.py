"""JSON values that come in deltas. Taking a delta in costs the delta, not what came before."""

from __future__ import annotations

from typing import Any

_JOINED = frozenset(
    "text thinking reasoning reasoning_content refusal transcript signature partial_json data arguments content output input".split()
)
"""Fields whose texts are pieces; a text under any other name is whole."""

_RUNNING = frozenset({"text", "reasoning", "thinking"})
"""Types of items that go on in the next delta although neither has an index."""


class GrowingText:
    """A text that comes in pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def take(self, piece: str) -> None:
        """Takes in the next piece."""
        self._pieces.append(piece)

    def value(self) -> str:
        """The text so far."""
        return "".join(self._pieces)


class GrowingObject:
    """A JSON object that comes in deltas: pieces of text are joined, objects and lists merged, of anything else the latest value holds."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {}

    def take(self, delta: dict[str, Any]) -> None:
        """Takes in the next delta."""
        for key, value in delta.items():
            kind = value.__class__
            if kind is dict or kind is list or (kind is str and key in _JOINED):
                self._grow(key, value)
            elif key not in self._fields or (value is not None and key != "type"):
                self._fields[key] = value

    def value(self) -> dict[str, Any]:
        """The object so far, a new one each time."""
        return {key: part.value() if part.__class__ in _PARTS else part for key, part in self._fields.items()}

    def _grow(self, key: str, value: Any) -> None:
        kind = _PART_OF[value.__class__]
        part = self._fields.get(key)
        if part.__class__ is not kind:
            part = self._fields[key] = kind()
        part.take(value)


class GrowingList:
    """A list that comes in deltas: items of one "index" are one item, and so is a text that goes on without one."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._by_index: dict[int | str, GrowingObject] = {}
        self._running: tuple[str, GrowingObject] | None = None

    def take(self, items: list[Any]) -> None:
        """Takes in the items of one delta."""
        for item in items:
            self.add(item)

    def add(self, item: Any) -> None:
        """Takes in one item."""
        index, kind = (item.get("index"), item.get("type")) if item.__class__ is dict else (None, None)
        if isinstance(index, int | str):
            part = self._by_index.get(index)
            if part is None:
                part = self._by_index[index] = self._new()
        elif isinstance(kind, str) and kind in _RUNNING:
            part = self._running[1] if self._running is not None and self._running[0] == kind else self._new()
            self._running = (kind, part)
        else:
            self._items.append(item)
            self._running = None
            return
        part.take(item)

    def value(self) -> list[Any]:
        """The list so far, a new one each time."""
        return [item.value() if item.__class__ is GrowingObject else item for item in self._items]

    def _new(self) -> GrowingObject:
        part = GrowingObject()
        self._items.append(part)
        self._running = None
        return part


_PART_OF: dict[type, type[GrowingText | GrowingObject | GrowingList]] = {str: GrowingText, dict: GrowingObject, list: GrowingList}
_PARTS = frozenset(_PART_OF.values())
