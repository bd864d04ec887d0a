"""What a thread's state looks like from outside. Names are LangGraph's (`StateSnapshot`, `Interrupt`, `PregelTask`; 1.2, seen 2026-11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from holter.graph.program import Program
from holter.journal.entry import Entry
from holter.journal.fold import Fold
from holter.journal.question import Question


class Interrupt(msgspec.Struct, frozen=True):
    """A question that waits for its answer."""

    value: Any
    id: str
    """Its key: the call's id, or the task; answer it with `Command(resume={id: …})`."""


class PregelTask(NamedTuple):
    """A task that has not ended."""

    id: str
    name: str
    interrupts: tuple[Interrupt, ...] = ()


class StateSnapshot(NamedTuple):
    """The state of a thread at one position."""

    values: dict[str, Any]
    next: tuple[str, ...]
    """The nodes that run next; none at the end."""
    config: dict[str, Any]
    """Names the thread, and the position as `checkpoint_id`."""
    metadata: dict[str, Any]
    """`source` (input, loop, update), `step` (how many steps are over; 0 for the first input) and the run's `status`."""
    created_at: str | None
    """When the newest event was appended, in UTC (ISO 8601); None of an empty thread."""
    parent_config: dict[str, Any] | None
    tasks: tuple[PregelTask, ...]
    interrupts: tuple[Interrupt, ...]


def fold_of(program: Program, entries: Iterable[Entry] = ()) -> Fold:
    """What the entries, from the first of a thread on, come to in this graph."""
    return Fold.of(entries, program.journal_fields, messages_key=program.messages_key)


def config_of(thread: str, length: int) -> dict[str, Any]:
    """The configuration that names a position of a thread."""
    return {"configurable": {"thread_id": thread, "checkpoint_id": str(length)}}


def snapshot_of(
    program: Program, fold: Fold, thread: str, newest: Entry | None, *, source: str = "loop", parent: int | None = None
) -> StateSnapshot:
    """What a thread comes to. `newest` is its newest entry; `parent` the position of the state before it."""
    fields = {} if newest is None else fold.fields
    if program.messages_key and newest is not None:
        fields[program.messages_key] = fold.messages()
    declared = {name: fields[name] for name in program.fields if name in fields}
    values = {**declared, **fields}
    questions = [replace(question, value=fold.redaction.value(question.value)) for question in fold.questions if not question.is_answered]
    interrupts = tuple(Interrupt(question.value, question.key) for question in questions)
    places, names = next_nodes(program, fold) if newest is not None else ([], [])
    step = fold.frontier.step
    tasks = tuple(_task(step, place, name, questions, is_only=len(names) == 1) for place, name in zip(places, names, strict=True))
    return StateSnapshot(
        values,
        tuple(names),
        config_of(thread, fold.length),
        {"source": source, "step": step - 1, "status": fold.status, "parents": {}},
        None if newest is None else newest.time.isoformat(),
        None if parent is None else config_of(thread, parent),
        tasks,
        interrupts,
    )


def asking(state: StateSnapshot, asked: Interrupt) -> StateSnapshot:
    """The state of a step that asked this, whether or not it has been answered since."""
    if any(one.id == asked.id for one in state.interrupts):
        return state
    is_only = len(state.tasks) == 1
    tasks = (
        task._replace(interrupts=(*task.interrupts, asked)) if is_only or asked.id.partition("/")[0] == task.id else task
        for task in state.tasks
    )
    return state._replace(tasks=tuple(tasks), interrupts=(*state.interrupts, asked))


def _task(step: int, place: int, name: str, questions: Sequence[Question], *, is_only: bool) -> PregelTask:
    task = f"{step}.{place}"
    own = [question for question in questions if is_only or question.base == task]
    return PregelTask(task, name, tuple(Interrupt(question.value, question.key) for question in own))


def next_nodes(program: Program, fold: Fold) -> tuple[list[int], list[str]]:
    """The places in the step, and the nodes that the thread goes on with, as far as they are known without
    asking a condition; none where it is done."""
    frontier = fold.frontier
    if fold.status == "done":
        return [], []
    if frontier.planned is not None:
        places = frontier.open()
        return places, [frontier.planned[place].node for place in places]
    names = program.routes.named(frontier.last)
    return list(range(len(names))), names
