"""From events to what they come to: messages, state, and what a run that goes on has to know.

The fold knows no graph: reducers come as arguments. Adding an entry costs the event, not the history. Every prefix of a thread folds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Self, assert_never

import msgspec

from holter.journal.batch import Batches, OpenCall
from holter.journal.entry import Entry
from holter.journal.event import (
    Answered,
    CacheHit,
    CacheMissed,
    CacheSkipped,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    NodeEnded,
    Noticed,
    Redacting,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolRefused,
    ToolStarted,
    Trimmed,
)
from holter.journal.frontier import OUTSIDE, UPDATE, Frontier
from holter.journal.pending import Path, Pending, Writer, changes_list, in_order, path_of, result_of, write
from holter.journal.question import Question, Questions
from holter.journal.redaction import NOTHING
from holter.journal.thread import Status
from holter.journal.values import Fault, Field, Values, is_overwrite
from holter.messages.history import Renamed, Snapshot
from holter.messages.message import AIMessage, Message, ToolMessage


class Folded(msgspec.Struct, frozen=True):
    """What a thread came to at one time."""

    length: int
    """How many events that is."""
    messages: Snapshot
    fields: dict[str, Any]
    """The state without the messages."""


_NONE: list[Any] = []
"""Stands for an empty one, and is never written to: most threads need no other."""


class Fold:
    """The events of one thread so far, from the first on."""

    __slots__ = (
        "_batches",
        "_is_stored",
        "_pending",
        "_questions",
        "_step",
        "asked",
        "began",
        "cancelled",
        "frontier",
        "length",
        "limit",
        "program",
        "redaction",
        "run",
        "runs",
        "settled",
        "status",
    )

    def __init__(self, fields: Mapping[str, Field] | None = None, *, messages_key: str = "messages") -> None:
        """`fields` says how state fields take writes; one that is not named takes the value written last. Messages under `messages_key`
        always follow `add_messages`."""
        self.settled = Values(fields or {}, messages_key)
        """The values without what a step that is not over wrote: what its tasks were given. Not to be changed."""
        self._batches = Batches()
        self._questions = Questions()
        self.asked = self._questions.asked
        """What calls and tasks that have not ended asked; nothing, mostly."""
        self._pending: list[Pending] = _NONE
        self._is_stored = True
        self.length = 0
        """How many events were added; the `seq` of the next one."""
        self.status: Status = "new"
        """How the newest run stands."""
        self.run: str | None = None
        """The run that has begun and not ended, or None."""
        self.runs = 0
        """How many have begun."""
        self.program = ""
        """What the newest run runs."""
        self.cancelled: Cancelled | None = None
        """That the newest run was cancelled, or None."""
        self.limit: LimitReached | None = None
        """The limit that ended the newest run, or None."""
        self.began = 0
        """`seq` of the event with the input of the newest run."""
        self.redaction = NOTHING
        """What is not to be shown of this thread."""
        self.frontier = Frontier()
        """Where the graph stands."""
        self._step: int | None = None
        """The step whose writes are pending."""

    @classmethod
    def of(cls, entries: Iterable[Entry], fields: Mapping[str, Field] | None = None, *, messages_key: str = "messages") -> Self:
        """What the entries, from the first of a thread on, come to."""
        made = cls(fields, messages_key=messages_key)
        made.extend(list(entries))
        return made

    # Adding

    def add(self, entry: Entry) -> None:
        """Takes in the next entry, as it was read from a journal. ValueError for one that is not the next."""
        if entry.seq != self.length:
            raise ValueError(f"the next entry is that with seq {self.length}, found {entry.seq}")
        self._is_stored = True
        self.length += 1
        self._add(entry.event, entry.seq)

    def extend(self, entries: Sequence[Entry]) -> None:
        """As `add`, for one after another."""
        self._is_stored = True
        add_message, add = self._add_message, self._add
        at, last = 0, len(entries) - 1
        while at <= last:
            entry = entries[at]
            event, seq = entry.event, entry.seq
            if seq != self.length:
                self.add(entry)  # which says so
            if event.__class__ is not MessageAdded:
                self.length = seq + 1
                add(event, seq)
            elif at + 1 < last and self._add_step(event, entries[at + 1], entries[at + 2]):
                at += 2
            else:
                self.length = seq + 1
                add_message(event, seq)
            at += 1

    def _add_step(self, asked: MessageAdded, second: Entry, third: Entry) -> bool:
        """Takes in a step (`_result_of`) at once: a third of what its entries cost one after another. False where they are none, or are
        to be taken in one after another."""
        ended, history = result_of(asked, second.event, third.event), self.settled.history
        if (
            ended is None
            or not second.seq + 1 == third.seq == self.length + 2
            or self._pending
            or self.asked
            or self._batches.holding
            or history.has(asked.message.id)
            or history.has(ended.message.id)
        ):
            return False
        self.length += 3
        for event in (asked, ended):
            history.append(event.message)
            if event.node is not None:
                self.frontier.message(event.node)
        return True

    def add_aside(self, entry: Entry) -> None:
        """Takes in an entry that came into the thread before events that were taken in already, and are not appended yet. Neither rests
        on the other: what comes from outside into a run is answers and cancellations."""
        self._is_stored = True
        self.length += 1
        self._add(entry.event, entry.seq)

    def add_new(self, event: Event) -> None:
        """Takes in the next event, as it was just appended: what was written is of its own type, and not of JSON's."""
        self._is_stored = False
        seq = self.length
        self.length = seq + 1
        if event.__class__ is MessageAdded:
            self._add_message(event, seq)
        else:
            self._add(event, seq)

    def _add(self, event: Event, seq: int) -> None:
        match event:
            case MessageAdded():
                self._add_message(event, seq)
            case ToolStarted():
                self._batches.started(event)
                self._questions.started(event.call_id)
            case ModelStarted():
                pass
            case NodeEnded():
                self._end_node(event, seq)
            case RunStarted():
                self._start_run(event, seq)
            case RunEnded():
                self._end_run(event)
            case ModelFailed() | Repaired() | Noticed() | Trimmed():
                pass
            case CacheHit() | CacheMissed() | CacheSkipped() | ToolRefused():
                pass
            case Redacting():
                self.redaction = self.redaction.and_also(event.patterns)
            case ToolFailed():
                self._batches.failed(event)
            case Interrupted():
                base = self._questions.ask(event.key, event.value)
                if base != event.key and self._questions.is_of_unknown(base, event.key):
                    return  # it goes on to be unknown
                self._batches.interrupted(base)
            case Answered():
                self._questions.answer(event.key, event.value)
            case Discarded():
                self._discard(event.key)
            case Cancelled():
                self.cancelled = event
            case LimitReached():
                self.limit = event
            case ThreadCreated():
                self.run, self.status = None, "new"  # the run whose beginning a fork shares goes on in the other thread
            case _:
                assert_never(event)

    def _discard(self, key: str) -> None:
        self._pending = [written for written in self._pending if written.key != key]

    def _start_run(self, event: RunStarted, seq: int) -> None:
        """A run begins. Its input is written; one without goes on with a step that may not be over."""
        self.run, self.program, self.status = event.run, event.program, "running"
        self.runs += 1
        self.cancelled = self.limit = None
        if isinstance(event.input, dict):
            for key, value in event.input.items():
                self._write((), key, value, seq)
        if event.input is not None:
            self.began = seq
            self.settle()
            self._forget_questions()
            self.frontier.begin()

    def _end_run(self, event: RunEnded) -> None:
        self.run, self.status = None, event.status
        if event.status == "done":
            self.settle()

    def _end_node(self, event: NodeEnded, seq: int) -> None:
        path = path_of(event.task)
        self._enter(path)
        self._questions.forget(event.task)
        for key, value in event.writes.items():
            self._write(path, key, value, seq)
        if event.task == OUTSIDE and event.node != UPDATE:
            self._move(event)
        elif len(path) == 2:
            self.frontier.end(event, path[1], path[0])
        elif len(path) > 2:
            self.frontier.jump(event, path[1])

    def _move(self, event: NodeEnded) -> None:
        """Somebody says where the graph goes on: nobody waits for what was asked before."""
        self.frontier.move(event)
        self._forget_questions()
        if self.status != "running":
            self.status = "new"

    def _forget_questions(self) -> None:
        self._questions = Questions()
        self.asked = self._questions.asked

    def _write(self, path: Path, key: str, value: Any, seq: int) -> None:
        self._put(path, key, self.settled.decoded(key, value) if self._is_stored else value, seq)

    def _add_message(self, event: MessageAdded, seq: int) -> None:
        message = event.message
        if event.task is not None or self._pending or self.settled.history.has(message.id):
            self._take(message, seq, path_of(event.task))
        else:
            self._take_plain(message, seq)
        if event.task is None and event.node is not None:
            self.frontier.message(event.node)

    def _take_plain(self, message: Message, seq: int) -> None:
        """As `_take`, for the usual message: of no task, new, with no step half done."""
        results, history = self._batches.take(message, seq), self.settled.history
        if results is None:
            if self._batches.holding and message.__class__ is not ToolMessage:
                self._list_held()
                history.add(message)  # one that was held may have come under its id
            else:
                history.append(message)
            return
        if self.asked:
            self._questions.forget(message.tool_call_id)  # type: ignore[union-attr]  # only results answer
        if len(results) == 1:
            history.append(message)
            return
        for result in results:
            if history.replaces(result):  # one that was held came under an id that was new then
                self._put((), None, result, seq)
            else:
                history.add(result)

    def _take(self, message: Message, seq: int, path: Path) -> None:
        """A message comes. A result of an open call waits for the others; everything else stands where it comes."""
        if self.settled.history.replaces(message):
            changes_calls = message.__class__ is AIMessage and message.calls  # results may come before the step is over
            self._put(() if changes_calls else path, self.settled.messages_key, [message], seq)
            return
        results = self._batches.take(message, seq)
        if results is None:
            self._put(path, None, message, seq)
            return
        self._questions.forget(message.tool_call_id if isinstance(message, ToolMessage) else None)
        for result in results:
            if path or self.settled.history.replaces(result):
                self._put(path, None, result, seq)
            else:
                self._list(result)  # before what is pending: results stand right behind their calls
        if results and not path:
            self.settle()

    # Steps: what the tasks of one write counts in the order of the tasks

    def _enter(self, path: Path) -> None:
        """Settles what was written before, when the path is one of another step."""
        if not path or path[0] != self._step:
            self.settle()
            self._step = path[0] if path else self._step

    def _put(self, path: Path, key: str | None, value: Any, seq: int) -> None:
        """Writes at once what belongs to no task, and else when the step is over."""
        self._enter(path)
        if path:
            self._pending = self._pending or []
            self._pending.append(Pending(path, len(self._pending), key, value, seq))
        elif key is None and not self.settled.history.replaces(value):
            self._list(value)
        else:
            self._apply([Pending(path, 0, key, value, seq)])

    def _list(self, message: Message, unlisted: Container[int] = ()) -> None:
        """Appends a message. One that is no result stands behind the results that wait for others, but for those of messages that are
        not listed yet."""
        if message.__class__ is not ToolMessage and self._batches.holding:
            self._list_held(unlisted)
        self.settled.history.add(message)

    def settle(self) -> None:
        """Says that all tasks of the newest step have ended, so that what they wrote is written, in their order. The next step's first
        write says so, too; until then, asking for the state costs as much as writing it."""
        if self._pending:
            pending, self._pending = in_order(self._pending), _NONE
            self._apply(pending)

    def _apply(self, pending: list[Pending]) -> None:
        """Writes, in this order."""
        unlisted = {id(written.value) for written in pending if written.key is None}
        rebuilt: int | None = None
        for written in pending:
            if changes_list(written, self.settled):
                rebuilt = written.seq
            if written.key is None:
                self._list(written.value, unlisted)
                unlisted.discard(id(written.value))
            else:
                if written.key == self.settled.messages_key:
                    self._list_held(unlisted)
                self.settled.write(written.key, written.value, written.seq, written.task)
        if rebuilt is not None:
            self._rebuild(rebuilt)

    def _rebuild(self, seq: int) -> None:
        """Finds the calls anew, after messages were replaced or removed."""
        self._list_held()
        self._batches = self._batches.again(self.settled.history.messages(), seq)

    def _list_held(self, unlisted: Container[int] = ()) -> None:
        for result in self._batches.release(unlisted):
            self.settled.history.add(result)

    # Asking

    def messages(self) -> list[Message]:
        """The messages as they stand, pending calls included; results of a batch that is not complete stand behind what was there when its
        step began. A list of the caller's own; `sendable` makes of it what a provider takes."""
        return [*self._view().history.messages(), *self._tail()]

    @property
    def fields(self) -> dict[str, Any]:
        """The state without the messages. A dict of the caller's own; its values are not."""
        return self._view().fields.copy()

    def snapshot(self) -> Folded:
        """What the thread comes to now. Costs nothing between two steps, whatever the length."""
        view = self._view()
        return Folded(self.length, view.history.snapshot(self._tail()), view.fields.copy())

    def _tail(self) -> tuple[Message, ...]:
        """The held results that `_view` does not hold."""
        return () if self._pending else tuple(self._batches.held())

    def _view(self) -> Values:
        """The values, with what the tasks of a step that is not over wrote so far."""
        if not self._pending:
            return self.settled
        values = self.settled
        view = values.copy(history=values.history.copy())
        for result in self._batches.held():
            view.history.add(result)
        for written in in_order(self._pending):
            write(view, written)
        return view

    def preview(self, parts: Iterable[Mapping[str, Any]], *, is_settled: bool) -> Values:
        """The values as they would be with these writes; `is_settled` leaves out what a step that is not over wrote."""
        base = self.settled if is_settled else self._view()
        changes_list = any(base.messages_key in part for part in parts)
        values = base.copy(history=base.history.copy() if changes_list else base.history)
        for part in parts:
            for key, value in part.items():
                values.write(key, value, self.length)
        return values

    @property
    def held(self) -> list[ToolMessage]:
        """Results that stand in the journal and not yet in the settled list, since their step is not over."""
        pending = [written.value for written in self._pending if isinstance(written.value, ToolMessage)]
        return [*pending, *self._batches.held()]

    @property
    def has_held(self) -> bool:
        """Whether some results are `held`."""
        return bool(self._pending) or self._batches.holding > 0

    @property
    def has_pending(self) -> bool:
        """Whether a step that is not over wrote something."""
        return bool(self._pending)

    @property
    def is_step_over(self) -> bool:
        """Whether something is pending of a step all of whose tasks have ended."""
        return bool(self._pending) and self._step != self.frontier.step

    @property
    def writers(self) -> dict[str, list[Writer]]:
        """Fields that a step that is not over wrote -> who wrote them, in the order of the tasks."""
        found: dict[str, list[Writer]] = {}
        for written in sorted(self._pending, key=lambda written: written[:2]):
            if written.key is not None:
                found.setdefault(written.key, []).append(Writer(written.task, is_overwrite(written.value)))
        return found

    def seq_of(self, call_id: str | None) -> int | None:
        """`seq` of the event whose message made the open call; None where there is no such call."""
        return self._batches.seq_of(call_id)

    def answered_inside(self, prefix: str) -> dict[str, Any]:
        """The answers to questions of a run inside a call or task, by their keys in that run."""
        return self._questions.answered_inside(prefix)

    @property
    def open_calls(self) -> list[OpenCall]:
        """Calls without a result, oldest first."""
        return self._batches.open

    def waits(self, base: str) -> bool:
        """Whether a call or task has an open question, and no answer since it asked."""
        return self._questions.waits(base)

    @property
    def questions(self) -> list[Question]:
        """What calls and tasks that have not ended asked, with the answers there are."""
        return self._questions.all

    def answers(self, base: str) -> list[Any]:
        """The answers that a call or task is given when it starts again, in the order of its questions."""
        return self._questions.answers(base)

    @property
    def has_news(self) -> bool:
        """Whether a call or task was answered and has not begun again."""
        return self._questions.has_news

    def begins(self, base: str) -> None:
        """Takes in that a call or task begins again, with the answers there are."""
        self._questions.started(base)

    def call(self, call_id: str | None) -> OpenCall | None:
        """The newest open call of this id, or None."""
        return self._batches.call(call_id)

    def unknown(self, call_id: str, attempts: int) -> Question | None:
        """The question what became of a call that was started so often; None where it was not asked."""
        return self._questions.unknown(call_id, attempts)

    @property
    def faults(self) -> list[Fault]:
        """Writes that a reducer refused, in order. They changed nothing."""
        return self.settled.faults

    @property
    def renamed(self) -> list[Renamed]:
        """Messages that came under the id of another one, in order."""
        return self.settled.history.renamed
