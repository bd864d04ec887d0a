"""What the tasks of a step that is not over wrote, and steps that are over as soon as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from holter.journal.event import Event, MessageAdded, ToolStarted
from holter.journal.values import Values, is_overwrite
from holter.messages.message import AIMessage, ToolMessage

Path: TypeAlias = tuple[int, ...]


class Pending(NamedTuple):
    """What a task of a step that is not over wrote."""

    path: Path
    arrival: int
    key: str | None
    """The field; None for a message."""
    value: Any
    seq: int

    @property
    def task(self) -> str:
        return ".".join(map(str, self.path))


class Writer(NamedTuple):
    """Who wrote a field in a step that is not over."""

    task: str
    """The task or call: "3.0", "3.0.1"."""
    is_overwrite: bool


def in_order(pending: Sequence[Pending]) -> list[Pending]:
    """What is pending, in the order of the tasks; a write that takes a field's place stands for all writes of the field."""
    replaced = {written.key for written in pending if is_overwrite(written.value)}
    return sorted(
        (written for written in pending if written.key not in replaced or is_overwrite(written.value)), key=lambda written: written[:2]
    )


def write(values: Values, written: Pending) -> None:
    """Writes it."""
    if written.key is None:
        values.history.add(written.value)
    else:
        values.write(written.key, written.value, written.seq, written.task)


def changes_list(written: Pending, values: Values) -> bool:
    """Whether the write may do more to the message list than append a message whose calls are known."""
    return written.key == values.messages_key or (written.key is None and values.history.replaces(written.value))


def result_of(asked: MessageAdded, started: Event, ended: Event) -> MessageAdded | None:
    """The last of three events that are an answer with one call, its start and its result: nothing is left to be known of the call behind
    them. None where they are something else."""
    answer = asked.message
    if answer.__class__ is not AIMessage or started.__class__ is not ToolStarted or ended.__class__ is not MessageAdded:
        return None
    result, calls, call_id = ended.message, answer.calls, started.call_id
    if result.__class__ is not ToolMessage or call_id.__class__ is not str or len(calls) != 1:
        return None
    is_answered = calls[0].get("id") == call_id == result.tool_call_id != ""
    return ended if is_answered and answer.id != result.id and asked.task is None and ended.task is None else None


def path_of(task: str | None) -> Path:
    """The places in a task's name; none where there is no task, or one that is named otherwise: what it wrote counts as it comes."""
    if task is None:
        return ()
    try:
        return tuple(map(int, task.split(".")))
    except ValueError:
        return ()
