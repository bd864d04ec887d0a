"""The states that a thread went through, and what somebody outside does with it: asks for a state, branches off, writes, answers, ends it.

A position is a number of events. A state is told for each at which a step was over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from holter.errors import GraphError, JournalConflict, UnknownThread
from holter.graph.edge import END, START
from holter.graph.input import answered
from holter.graph.lease import LEASE_S
from holter.graph.program import Program
from holter.graph.runtime import Runtime
from holter.graph.snapshot import Interrupt, StateSnapshot, asking, config_of, fold_of, snapshot_of
from holter.graph.thread_name import thread_name
from holter.graph.update import update_of
from holter.graph.written import Written
from holter.journal.entry import Entry
from holter.journal.event import Cancelled, Event, Interrupted, MessageAdded, NodeEnded, Repaired, RunEnded, RunStarted
from holter.journal.fold import Fold
from holter.journal.frontier import OUTSIDE, UPDATE
from holter.journal.journal import Journal


async def state_at(journal: Journal, program: Program, thread: str, seq: int | None) -> StateSnapshot:
    """The state of a thread after so many events; None for all."""
    entries = await journal.read(thread, 0, seq)
    return snapshot_of(program, fold_of(program, entries), thread, entries[-1] if entries else None)


def states(program: Program, entries: Sequence[Entry], thread: str) -> Iterator[StateSnapshot]:
    """The states that the entries, from the first of a thread on, went through, oldest first, each with what its step asked."""
    fold = fold_of(program)
    newest: Entry | None = None
    told: StateSnapshot | None = None
    source, parent, is_over = "loop", None, False
    for entry in entries:
        if is_over and not _belongs_to_end(entry.event, fold):
            if told is not None:
                yield told
            told = snapshot_of(program, fold, thread, newest, source=source, parent=parent)
            source, parent, is_over = "loop", fold.length, False
        if told is not None and isinstance(entry.event, Interrupted):
            told = asking(told, Interrupt(fold.redaction.value(entry.event.value), entry.event.key))
        step = fold.frontier.step
        fold.add(entry)
        newest = entry
        if fold.frontier.step != step or _is_update(entry.event):
            is_over = True
            source = "input" if isinstance(entry.event, RunStarted) else "update" if _is_update(entry.event) else source
    if told is not None:
        yield told
    if newest is not None:
        yield snapshot_of(program, fold, thread, newest, source=source, parent=parent)


def _is_update(event: Event) -> bool:
    return isinstance(event, NodeEnded) and event.task == OUTSIDE


def _belongs_to_end(event: Event, fold: Fold) -> bool:
    """Whether the event, behind the end of a step, still says what the step came to."""
    match event:
        case NodeEnded(task=task) if task != OUTSIDE:
            step = task.partition(".")[0]
            return event.node == START or (step.isdecimal() and int(step) < fold.frontier.step)
        case MessageAdded():
            return event.node is None
        case Repaired() | RunEnded() | Cancelled():
            return True
        case _:
            return False


async def history_of(journal: Journal, program: Program, thread: str, before: int | None) -> list[StateSnapshot]:
    """The states that a thread went through, newest first; those up to the position `before`, which is not included."""
    found: list[StateSnapshot] = []
    for state in states(program, await journal.read(thread), thread):
        if found and found[-1].metadata["step"] == state.metadata["step"] and state.metadata["source"] == "loop":
            state = state._replace(parent_config=found.pop().parent_config)  # the same step, with what it asked
        found.append(state)
    return [state for state in reversed(found) if before is None or int(state.config["configurable"]["checkpoint_id"]) < before]


async def fork(journal: Journal, thread: str, seq: int | None, new_thread: str | None) -> str:
    """The id of a new thread that shares the first events of another, all of them for None. UnknownThread where there is none, ValueError
    where it has fewer events, JournalConflict where the new one is there already."""
    length = await journal.length(thread)
    if not length:
        raise UnknownThread(thread)
    at = length if seq is None else seq
    if new_thread is not None:
        named = thread_name(new_thread)
        await journal.fork(thread, at, named)
        return named
    number = 1
    while True:
        name = f"{thread}@{at}" if number == 1 else f"{thread}@{at}-{number}"
        try:
            await journal.fork(thread, at, name)
        except JournalConflict:
            number += 1
        else:
            return name


async def branch(journal: Journal, thread: str, seq: int | None) -> str:
    """The thread itself where that is its end, else a fork of it."""
    if seq is None or seq == await journal.length(thread):
        return thread
    return await fork(journal, thread, seq, None)


async def branch_to_answer(journal: Journal, program: Program, thread: str, seq: int) -> str:
    """As `branch`, where answers are given: where nothing is asked yet, behind the questions that the step which begins there asked."""
    entries = await journal.read(thread)
    fold = fold_of(program, entries[:seq])
    step = fold.frontier.step
    is_asked = any(not question.is_answered for question in fold.questions)
    for entry in [] if is_asked else entries[seq:]:
        fold.add(entry)
        if fold.frontier.step != step:
            break
        if isinstance(entry.event, RunEnded) and entry.event.status == "interrupted":
            return await branch(journal, thread, fold.length)
    return await branch(journal, thread, seq)


Values = Callable[[Fold], dict[str, Any]]


async def update(journal: Journal, program: Program, thread: str, given: Any, as_node: str | None, runtime: Runtime[Any]) -> dict[str, Any]:
    """Writes to the state of a thread that nobody drives, as the node would; where one is named, the graph goes on behind it. The
    configuration that names the new state comes back.

    GraphError for a node that is not there, InvalidUpdate for what the state cannot take, LeaseHeld while a run drives the thread.
    """
    if as_node not in (None, START, END) and as_node not in program.nodes:
        raise GraphError(f"there is no node {as_node!r}; the nodes are {', '.join(map(repr, program.nodes))}")
    holder = f"update-{uuid4().hex}"
    await journal.lease(thread, holder, LEASE_S)
    try:
        entries = await journal.read(thread)
        node = as_node or (UPDATE if entries else START)
        events = await _update_events(program, fold_of(program, entries), given, node, runtime)
        length = await journal.append(thread, len(entries), events) if events else len(entries)
    finally:
        await journal.release(thread, holder)
    return config_of(thread, length)


async def _update_events(program: Program, fold: Fold, given: Any, node: str, runtime: Runtime[Any]) -> list[Event]:
    made = update_of(node, given, program.fields)
    written = Written(node, program.messages_key)
    written.add(made.writes)
    events: list[Event] = [*written.repairs, *(MessageAdded(message=message) for message in written.messages)]
    events += [NodeEnded(node=UPDATE, task=OUTSIDE, writes=part) for part in (*written.parts[1:], written.parts[0]) if part]
    for event in events:
        fold.add_new(event)
    if fold.faults:
        raise GraphError(f"the update wrote {fold.faults[-1].key!r}, and {fold.faults[-1].error}")
    if node == UPDATE:
        return events or [NodeEnded(node=UPDATE, task=OUTSIDE)]
    sends: list[Any] = []
    if node != END:
        values = {**fold.fields, **({program.messages_key: fold.messages()} if program.messages_key else {})}
        sends = await program.routes.behind(node, made.goto, lambda: values, lambda: runtime, is_inline=False)
    return [*events, NodeEnded(node=node, task=OUTSIDE, sends=sends)]


async def answer(journal: Journal, program: Program, thread: str, given: Any) -> None:
    """Puts answers into a thread, whoever drives it. GraphError for answers that nobody asked for."""
    await _append(journal, program, thread, lambda fold: answered(fold.questions, given))


async def cancel(journal: Journal, program: Program, thread: str, reason: str) -> None:
    """Says in the thread that its run is to end. Nothing happens where none runs."""
    await _append(journal, program, thread, lambda fold: [Cancelled(reason=reason)] if fold.status == "running" else [])


async def _append(journal: Journal, program: Program, thread: str, make: Callable[[Fold], Sequence[Event]]) -> None:
    """Appends what is made of the thread as it stands; again, when somebody else was faster."""
    fold = fold_of(program)
    while True:
        for entry in await journal.read(thread, fold.length):
            fold.add(entry)
        if not fold.length:
            raise UnknownThread(thread)
        events = make(fold)
        try:
            if events:
                await journal.append(thread, fold.length, events)
        except JournalConflict:
            continue
        return
