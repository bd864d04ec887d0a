"""From events to what they come to: messages, state, and what a run that goes on has to know.

The fold knows no graph: reducers come as arguments. Adding an entry costs the event, not the history. Every prefix of a thread folds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple, Self, TypeAlias, assert_never

import msgspec

from holter.journal.batch import Batches, OpenCall
from holter.journal.entry import Entry
from holter.journal.event import (
    Answered,
    CacheHit,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolStarted,
    Trimmed,
)
from holter.journal.question import Question, Questions
from holter.journal.thread import Status
from holter.journal.values import Fault, Field, Values
from holter.messages.history import Renamed, Snapshot
from holter.messages.message import Message, ToolMessage


class Folded(msgspec.Struct, frozen=True):
    """What a thread came to at one time."""

    length: int
    """How many events that is."""
    messages: Snapshot
    fields: dict[str, Any]
    """The state without the messages."""


_Path: TypeAlias = tuple[int, ...]


class _Pending(NamedTuple):
    """What a task of a step that is not over wrote."""

    path: _Path
    arrival: int
    key: str | None
    """The field; None for a message."""
    value: Any
    seq: int


class Fold:
    """The events of one thread so far, from the first on."""

    def __init__(self, fields: Mapping[str, Field] | None = None, *, messages_key: str = "messages") -> None:
        """`fields` says how state fields take writes; one that is not named takes the value written last. Messages under `messages_key`
        always follow `add_messages`."""
        self._values = Values(fields or {}, messages_key)
        self._batches = Batches()
        self._questions = Questions()
        self._pending: list[_Pending] = []
        self.length = 0
        """How many events were added; the `seq` of the next one."""
        self.status: Status = "new"
        """How the newest run stands."""
        self.run: str | None = None
        """The run that has begun and not ended, or None."""
        self.program = ""
        """What the newest run runs."""
        self.cancelled: Cancelled | None = None
        """That the newest run was cancelled, or None."""
        self.limit: LimitReached | None = None
        """The limit that ended the newest run, or None."""
        self.step: int | None = None
        """The newest step of which something ended, or None."""
        self.ended: list[NodeEnded] = []
        """What ended in that step, in the order in which it did."""

    @classmethod
    def of(cls, entries: Iterable[Entry], fields: Mapping[str, Field] | None = None, *, messages_key: str = "messages") -> Self:
        """What the entries, from the first of a thread on, come to."""
        made = cls(fields, messages_key=messages_key)
        for entry in entries:
            made.add(entry)
        return made

    # Adding

    def add(self, entry: Entry) -> None:
        """Takes in the next entry. ValueError for one that is not the next."""
        if entry.seq != self.length:
            raise ValueError(f"the next entry is that with seq {self.length}, found {entry.seq}")
        self.length += 1
        self._add(entry.event, entry.seq)

    def _add(self, event: Event, seq: int) -> None:
        match event:
            case MessageAdded():
                self._take(event.message, seq, _path(event.task))
            case ToolStarted():
                self._batches.started(event)
            case ModelStarted() | ModelFailed() | Repaired() | CacheHit() | Trimmed():
                pass
            case ToolFailed():
                self._batches.failed(event)
            case NodeEnded():
                self._end_node(event, seq)
            case RunStarted():
                self._start_run(event, seq)
            case RunEnded():
                self._end_run(event)
            case Interrupted():
                self._batches.interrupted(self._questions.ask(event.key, event.value))
            case Answered():
                self._questions.answer(event.key, event.value)
            case Discarded():
                self._pending = [written for written in self._pending if written.key != event.key]
            case Cancelled():
                self.cancelled = event
            case LimitReached():
                self.limit = event
            case ThreadCreated():
                self.run, self.status = None, "new"  # the run whose beginning a fork shares goes on in the other thread
            case _:
                assert_never(event)

    def _start_run(self, event: RunStarted, seq: int) -> None:
        """A run begins. Its input is written; one without goes on with a step that may not be over."""
        self.run, self.program, self.status = event.run, event.program, "running"
        self.cancelled = self.limit = None
        if isinstance(event.input, dict):
            for key, value in event.input.items():
                self._put((), key, value, seq)

    def _end_run(self, event: RunEnded) -> None:
        self.run, self.status = None, event.status
        if event.status == "done":
            self.settle()

    def _end_node(self, event: NodeEnded, seq: int) -> None:
        path = _path(event.task)
        self._enter(path)
        self.ended.append(event)
        self._questions.forget(event.task)
        for key, value in event.writes.items():
            self._put(path, key, value, seq)

    def _take(self, message: Message, seq: int, path: _Path) -> None:
        """A message comes. A result of an open call waits for the others; everything else stands where it comes."""
        if self._values.history.replaces(message):
            self._put((), self._values.messages_key, [message], seq)
            return
        results = self._batches.take(message, seq)
        if results is None:
            self._put(path, None, message, seq)
            return
        self._questions.forget(message.tool_call_id if isinstance(message, ToolMessage) else None)
        for result in results:
            self._put(path, None, result, seq)

    # Steps: what the tasks of one write counts in the order of the tasks

    def _enter(self, path: _Path) -> None:
        """Settles what was written before, when the path is one of another step."""
        if not path or path[0] != self.step:
            self.settle()
            self.step, self.ended = (path[0], []) if path else (self.step, self.ended)

    def _put(self, path: _Path, key: str | None, value: Any, seq: int) -> None:
        """Writes at once what belongs to no task, and else when the step is over."""
        self._enter(path)
        if path:
            self._pending.append(_Pending(path, len(self._pending), key, value, seq))
        elif key is None and not self._values.history.replaces(value):
            self._list(value)
        else:
            self._apply([_Pending(path, 0, key, value, seq)])

    def _list(self, message: Message, unlisted: Container[int] = ()) -> None:
        """Appends a message. One that is no result stands behind the results that wait for others, but for those of messages that are
        not listed yet."""
        if not isinstance(message, ToolMessage):
            self._list_held(unlisted)
        self._values.history.add(message)

    def settle(self) -> None:
        """Says that all tasks of the newest step have ended, so that what they wrote is written, in their order. The next step's first
        write says so, too; until then, asking for the state costs as much as writing it."""
        if self._pending:
            pending, self._pending = self._in_order(), []
            self._apply(pending)

    def _in_order(self) -> list[_Pending]:
        return sorted(self._pending, key=lambda written: written[:2])

    def _apply(self, pending: list[_Pending]) -> None:
        """Writes, in this order."""
        unlisted = {id(written.value) for written in pending if written.key is None}
        rebuilt: int | None = None
        for written in pending:
            if _changes_list(written, self._values):
                rebuilt = written.seq
            if written.key is None:
                self._list(written.value, unlisted)
                unlisted.discard(id(written.value))
            else:
                if written.key == self._values.messages_key:
                    self._list_held(unlisted)
                self._values.write(written.key, written.value, written.seq)
        if rebuilt is not None:
            self._rebuild(rebuilt)

    def _rebuild(self, seq: int) -> None:
        """Finds the calls anew, after messages were replaced or removed."""
        self._list_held()
        self._batches = self._batches.again(self._values.history.messages(), seq)

    def _list_held(self, unlisted: Container[int] = ()) -> None:
        for result in self._batches.release(unlisted):
            self._values.history.add(result)

    # Asking

    def messages(self) -> list[Message]:
        """The messages as they stand, pending calls included; results of a batch that is not complete are at the end. A list of the
        caller's own; `sendable` makes of it what a provider takes."""
        return [*self._view().history.messages(), *self._batches.held()]

    @property
    def fields(self) -> dict[str, Any]:
        """The state without the messages. A dict of the caller's own; its values are not."""
        return self._view().fields.copy()

    def snapshot(self) -> Folded:
        """What the thread comes to now. Costs nothing between two steps, whatever the length."""
        view = self._view()
        return Folded(self.length, view.history.snapshot(tuple(self._batches.held())), view.fields.copy())

    def _view(self) -> Values:
        """The values, with what the tasks of a step that is not over wrote so far."""
        if not self._pending:
            return self._values
        values = self._values
        has_messages = any(written.key in (None, values.messages_key) for written in self._pending)
        view = values.copy(history=values.history.copy() if has_messages else values.history)
        for written in self._in_order():
            _write(view, written)
        return view

    @property
    def open_calls(self) -> list[OpenCall]:
        """Calls without a result, oldest first."""
        return self._batches.open

    @property
    def questions(self) -> list[Question]:
        """What calls and tasks that have not ended asked, with the answers there are."""
        return self._questions.all

    def answers(self, base: str) -> list[Any]:
        """The answers that a call or task is given when it starts again, in the order of its questions."""
        return self._questions.answers(base)

    @property
    def faults(self) -> list[Fault]:
        """Writes that a reducer refused, in order. They changed nothing."""
        return self._values.faults

    @property
    def renamed(self) -> list[Renamed]:
        """Messages that came under the id of another one, in order."""
        return self._values.history.renamed


def _write(values: Values, written: _Pending) -> None:
    if written.key is None:
        values.history.add(written.value)
    else:
        values.write(written.key, written.value, written.seq)


def _changes_list(written: _Pending, values: Values) -> bool:
    """Whether the write may do more to the message list than append a message whose calls are known."""
    return written.key == values.messages_key or (written.key is None and values.history.replaces(written.value))


def _path(task: str | None) -> _Path:
    """The places in a task's name; none where there is no task, or one that is named otherwise: what it wrote counts as it comes."""
    if task is None:
        return ()
    try:
        return tuple(map(int, task.split(".")))
    except ValueError:
        return ()
