"""What a listener gets of a run of which something is not to be shown.

A secret may come in pieces, so an answer's deltas are held back until it is whole, and come as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any, TypeAlias

from msgspec.structs import replace

from holter.graph.item import Custom, Delta, Namespace, StepEnded, StreamItem, TaskBegan, TaskFailed
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded, RunEnded
from holter.journal.redaction import NOTHING
from holter.messages.message import AIMessage

_Sent: TypeAlias = "tuple[Namespace, StreamItem]"


class Veil:
    """Replaces what matches in the items of a run."""

    def __init__(self) -> None:
        self._redaction = NOTHING
        self._held: dict[tuple[Namespace, str], list[Delta]] = {}
        """Deltas of answers that are not whole, by the task that asks for them."""

    def add(self, patterns: Iterable[str]) -> None:
        """Takes in what else is not to be shown."""
        self._redaction = self._redaction.and_also(patterns)

    def of(self, namespace: Namespace, item: StreamItem) -> Iterator[_Sent]:
        """What the listener gets when an item comes."""
        match item:
            case Delta():
                self._held.setdefault((namespace, item.task), []).append(item)
                return
            case Entry(event=MessageAdded(message=AIMessage(), node=node, task=task)):
                yield from self._whole(namespace, lambda delta: delta.node == node and task in (None, delta.task))
            case Entry(event=RunEnded()) | StepEnded():
                yield from self._whole(namespace, lambda _: True)
            case _:
                pass
        yield namespace, self._veiled(item)

    def rest(self) -> Iterator[_Sent]:
        """What was held back, when nothing more comes."""
        for namespace, task in list(self._held):
            yield namespace, self._joined(self._held.pop((namespace, task)))

    def _whole(self, namespace: Namespace, has_ended: Any) -> Iterator[_Sent]:
        for key in [key for key, deltas in self._held.items() if key[0] == namespace and has_ended(deltas[0])]:
            yield namespace, self._joined(self._held.pop(key))

    def _joined(self, deltas: list[Delta]) -> Delta:
        whole = reduce(add, (delta.chunk for delta in deltas))
        calls: dict[Any, dict[str, Any]] = {}
        for piece in whole.tool_call_chunks:
            key = piece.get("index", piece.get("id"))
            known = calls.setdefault(key, {**piece, "args": ""})
            known.update({name: value for name, value in piece.items() if name != "args" and value is not None})
            known["args"] += piece.get("args") or ""
        return replace(deltas[0], chunk=self._redaction.struct(replace(whole, tool_call_chunks=list(calls.values()))))

    def _veiled(self, item: StreamItem) -> StreamItem:
        redaction = self._redaction
        match item:
            case Entry():
                return Entry(item.seq, item.ts, redaction.struct(item.event))
            case Custom():
                return replace(item, value=redaction.value(item.value))
            case TaskBegan():
                return replace(item, make_input=lambda: redaction.value(item.input))
            case TaskFailed():
                return replace(item, error=redaction.text(item.error))
            case StepEnded():
                return replace(item, make_values=lambda: redaction.value(item.values))
            case Delta():
                return replace(item, chunk=redaction.struct(item.chunk))
