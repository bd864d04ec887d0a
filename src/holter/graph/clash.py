"""Writes of one step that cannot stand beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from holter.graph.field import Field
from holter.journal.pending import Writer


class Clash(msgspec.Struct, frozen=True):
    """Several wrote one field in one step, and it takes one value."""

    key: str
    writers: list[str]
    """Who they are, in the order of the tasks."""
    text: str
    """What the error says."""


def clashes(fields: Mapping[str, Field], written: Mapping[str, Sequence[Writer]], names: Mapping[str, str]) -> list[Clash]:
    """The clashes among what was written, by field. `names` says who tasks and calls are."""
    found: list[Clash] = []
    for key, writers in written.items():
        over = [writer for writer in writers if writer.is_overwrite]
        field = fields.get(key)
        if field is not None and field.reducer is None and len(writers) > 1:
            text = (
                f"{_said(writers, names)} wrote {key!r} in one step, and it holds one value; let one of them write it, or give the field "
                "a reducer: Annotated[T, function]"
            )
            found.append(Clash(key, [name_of(writer.task, names) for writer in writers], text))
        elif len(over) > 1:
            text = f"{_said(over, names)} overwrote {key!r} in one step; only one of them may"
            found.append(Clash(key, [name_of(writer.task, names) for writer in over], text))
    return found


def name_of(task: str, names: Mapping[str, str]) -> str:
    """Who a task or call is: by itself, or by the task that it is a part of."""
    return names.get(task) or names.get(task.rpartition(".")[0], f"task {task}" if task else "the input")


def _said(writers: Sequence[Writer], names: Mapping[str, str]) -> str:
    """The writers, to stand before "wrote"."""
    known = list(dict.fromkeys(name_of(writer.task, names) for writer in writers))
    if len(known) == 1:
        return known[0] if len(writers) == 1 else f"{known[0]}, {len(writers)} times,"
    return f"{', '.join(known[:-1])} and {known[-1]}"
