"""The engine: one drive of a thread, from what a caller gave it to an end.

Read the thread; run the tasks that it is at; append what they come to; again. Where a thread stands is what its journal says
(`holter.journal.frontier`), so that a drive that was cut off goes on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any

from msgspec.structs import replace

from holter.errors import GraphError, InvalidUpdate, JournalConflict, JournalError, RecursionLimit, RunCancelled
from holter.graph import sight
from holter.graph.admission import Admission
from holter.graph.asked import Asked
from holter.graph.bounds import UNBOUND, Bounds
from holter.graph.clash import clashes, name_of
from holter.graph.ending import Ended, LimitHit, NeedsLoop, broken_off
from holter.graph.enter import enter, writer_of
from holter.graph.feed import StepEnded, TaskBegan, TaskFailed
from holter.graph.input import begun
from holter.graph.lease import Held, lease_of, release
from holter.graph.nested import asked, go_on, input_inside, output_writes, place, with_calls
from holter.graph.node import Node
from holter.graph.options import RunOptions
from holter.graph.program import Program
from holter.graph.recorder import Recorder
from holter.graph.runtime import Runtime
from holter.graph.task import TaskRun
from holter.graph.update import Update, update_of
from holter.graph.written import Written
from holter.journal.closing import closings
from holter.journal.event import Discarded, Event, MessageAdded, NodeEnded, Redacting, RunEnded
from holter.journal.fold import Fold
from holter.journal.frontier import Planned
from holter.messages.history import History
from holter.tools.command import Command, Interruption, Seat, seat
from holter.tools.drive import block_on, drive
from holter.tools.failure import exception_text
from holter.tools.inject import ToolRuntime

_RECURSION_LIMIT = 1_000


class Execution:
    """One drive of a thread."""

    __slots__ = (
        "_admission",
        "_asked",
        "_faults",
        "_given",
        "_has_begun",
        "_has_loop",
        "_held",
        "_left_running",
        "_limit",
        "_node",
        "_over",
        "_parent",
        "_steps",
        "_task",
        "at_once",
        "fold",
        "kept",
        "options",
        "program",
        "recorder",
        "writers",
    )

    def __init__(self, program: Program, given: Any, options: RunOptions) -> None:
        self.program = program
        self.options = options
        self.fold = Fold(program.journal_fields, messages_key=program.messages_key)
        self.recorder = Recorder(options.journal, options.thread, self.fold, options.feed, options.namespace, is_own=options.is_own)
        self.writers: dict[str, str] = {}
        """Tasks that have others beside them, and calls -> who that is, for errors."""
        self.kept: dict[object, Any] = {}
        """What nodes know of the run beside its thread."""
        self._left_running: Sequence[str] = ()
        """Nodes whose functions did not stop when they were cancelled."""
        self._given = given
        self._has_begun = False
        self._held: Held | None = None
        """The lease of the thread."""
        self._has_loop = not options.inline
        self._steps = 0
        self._over: list[str] | None = None
        """The nodes of a step that is over, of which who listens was not told yet."""
        self._faults = 0
        self._parent: Sequence[Command[Any]] = ()
        self._admission = Admission(self.fold, program.messages_key)
        self._node: str | None = None
        """The node whose task runs, where a step has only one."""
        self._task = ""
        """That task."""
        self._asked: Asked | None = None
        """The calls of the run, once somebody asks for their number."""
        self._limit = _count(options.config, "recursion_limit", "steps") or _RECURSION_LIMIT
        self.at_once = _count(options.config, "max_concurrency", "tasks that may run at once")

    @property
    def is_inline(self) -> bool:
        """Whether nothing may suspend, since no loop runs."""
        return not self._has_loop

    @property
    def is_waited_for(self) -> bool:
        """Whether the caller waits for it on this thread."""
        return self.options.inline and self.options.deadline_s is None

    @property
    def run(self) -> str:
        """The run's id."""
        return self.options.run

    def enter_loop(self) -> None:
        """Says that a loop runs from here on."""
        self._has_loop = True

    # The drive

    async def drive(self) -> Ended:
        """How the drive ended. Raised are only NeedsLoop, after which it can be driven on in a loop, and what keeps it from beginning."""
        if not self._has_begun and (early := await self._begin()) is not None:
            return early
        try:
            async with self._bounds():
                is_heard = self._enter()
                while True:
                    if is_heard or (tasks := self._quick()) is None:
                        tasks = await (self._announced() if is_heard else self._planned())
                    if not tasks:
                        break
                    step, is_shared = self._start(tasks)
                    if len(tasks) == 1:
                        has_ended = await self._run(self._task_of(step, *tasks[0], is_shared, True))
                    else:
                        has_ended = await self._together(step, tasks)
                    if self._has_to_stop(tasks, is_over=has_ended and not (is_shared and self.fold.frontier.step == step)):
                        break
                ended = self._leave()
        except NeedsLoop:
            self.recorder.flush()  # a run inside another one begins anew from what its thread holds
            raise
        except BaseException as error:  # noqa: BLE001 - whatever ends a run stands in its journal; the caller raises it on
            ended = self._broken_off(error)
        if self.recorder.flushing is not None and not self.is_inline:
            await self.recorder.flushing
        if self._held is not None:
            await release(self._held, self.options, is_inline=self.is_inline)
        return ended

    async def _begin(self) -> Ended | None:
        """Reads the thread, and appends what the drive begins with. What comes back is the end of a nested run that has nothing to do."""
        options = self.options
        if options.is_leased:
            self._held = await lease_of(options, is_inline=self.is_inline)
        try:
            if not options.is_own or options.around is not None:  # a thread of the run's own is empty
                await self.recorder.load(is_here=self.is_inline)
            if self.fold.is_step_over and (self.fold.status != "running" or self._given is not None):
                self.fold.settle()  # what was wrong with it, the run before has said
            self._faults = len(self.fold.faults)
            given, early = (self._given, None) if options.around is None else go_on(self.fold, self._given, options.around)
            if early is not None:
                return early
            events = begun(self.program, self.fold, given, options.run, options.program)
            self.recorder.record([*self._redacting(), *events] if self._patterns else events)
        except BaseException:
            if self._held is not None:
                await release(self._held, self.options, is_inline=self.is_inline)
            raise
        self._has_begun, self._given = True, None
        return None

    @property
    def _patterns(self) -> tuple[str, ...]:
        """What is not to be shown of the thread: what the program says, the thread, and the one around it."""
        around = () if self.options.around is None else self.options.around.task.fold.redaction.patterns
        return (*self.fold.redaction.patterns, *self.program.patterns, *around)

    def _redacting(self) -> list[Event]:
        """Says what is not to be shown, before anything is: to whoever listens, and in the thread what it does not say yet."""
        known = self.fold.redaction.patterns
        if self.options.feed is not None:
            self.options.feed.redact(self._patterns)
        new = [pattern for pattern in dict.fromkeys(self._patterns) if pattern not in known]
        return [Redacting(patterns=new)] if new else []

    def _bounds(self) -> AbstractAsyncContextManager[None]:
        """What ends the drive from outside of it. NeedsLoop where that takes a loop that does not run."""
        options = self.options
        if self.is_inline:
            if options.deadline_s is not None:
                raise NeedsLoop
            return UNBOUND
        is_bound = options.deadline_s is not None or options.is_leased
        return Bounds(self.recorder, options.deadline_s, is_watched=options.is_leased) if is_bound else UNBOUND

    def _enter(self) -> bool:
        """Before the steps: settles what a drive that was cut off left. Whether somebody listens."""
        if self.fold.is_step_over or len(self.fold.faults) > self._faults:  # the input does not fit
            self._settle()
        is_heard = self.options.feed is not None
        if is_heard and not self._steps:
            self._over = []
        return is_heard

    def _start(self, tasks: list[tuple[int, Planned]]) -> tuple[int, bool]:
        """Before the tasks of a step: its number, and whether it has others. Raises what keeps them from running."""
        if self.fold.cancelled is not None:
            raise RunCancelled(self.fold.cancelled.reason)
        if self._steps >= self._limit:
            self._node = tasks[0][1].node if len(tasks) == 1 else None
            raise RecursionLimit(self._limit, tuple(dict.fromkeys(planned.node for _, planned in tasks)))
        of_step = self.fold.frontier.planned
        is_shared = of_step is not None and len(of_step) > 1
        self._node = None if is_shared else tasks[0][1].node
        return self.fold.frontier.step, is_shared

    def _has_to_stop(self, tasks: list[tuple[int, Planned]], *, is_over: bool) -> bool:
        """Behind the tasks of a step, which may be over: whether nothing comes next in this drive."""
        if is_over:
            self._settle()
            if self.writers:
                self.writers.clear()
            if self.options.feed is not None:
                self._over = [planned.node for _, planned in tasks]
        self._steps += 1
        return bool(self._parent) or (bool(self.fold.asked) and self._is_interrupted() and not self.fold.has_news)

    def _leave(self) -> Ended:
        """Behind the steps."""
        if self._is_interrupted():
            self.recorder.record([RunEnded(run=self.options.run, status="interrupted")])
            return Ended("interrupted")
        self.recorder.record([RunEnded(run=self.options.run)])
        return Ended("done", parent=self._parent)

    # Planning

    async def _announced(self) -> list[tuple[int, Planned]]:
        """As `_planned`; who listens hears of the step that is over, now that it is known what comes next."""
        try:
            tasks = await self._planned()
        except NeedsLoop:
            raise
        except BaseException:
            self._step_over([])
            raise
        self._step_over([planned.node for _, planned in tasks])
        return tasks

    def _quick(self) -> list[tuple[int, Planned]] | None:
        """The task to run next, where the newest messages alone say it; None where it has to be asked for."""
        fold, routes = self.fold, self.program.routes
        if fold.frontier.planned is not None or fold.asked or self.program.messages_key != "messages":
            return None
        way = routes.quick.get(fold.frontier.last)
        return None if way is None else routes.alone[way(fold.settled.history.since_answer())]

    async def _planned(self) -> list[tuple[int, Planned]]:
        """The tasks to run next, with their places in the step; none at the end."""
        self.recorder.flush()
        frontier = self.fold.frontier
        if frontier.planned is None:
            if (tasks := self._quick()) is not None:
                return tasks
            node = frontier.last
            history = self.fold.settled.history if self.program.messages_key == "messages" else None
            sends = await self._asked_again(node, f"{frontier.step - 1}.0", history)
            if not sends:
                return []
            if len(sends) == 1 and isinstance(sends[0], str):
                is_waiting = self.fold.asked and self.fold.waits(f"{frontier.step}.0")
                return [] if is_waiting else [(0, Planned(sends[0]))]
            self.recorder.record([NodeEnded(node=node, task=f"{frontier.step - 1}.0", sends=sends)])
        tasks = [(place, (frontier.planned or [])[place]) for place in frontier.open()]
        return [task for task in tasks if not self.fold.waits(f"{frontier.step}.{task[0]}")] if self.fold.asked else tasks

    async def _asked_again(self, node: str, task: str, history: History | None) -> list[Any]:
        """What comes behind a task that has ended, where its end does not say; nothing while a path waits for an answer."""
        if self.fold.asked and self.fold.waits(task):
            return []
        here = seat.set(Seat(task, self.fold.answers(task) if self.fold.asked else (), seat.get()))
        try:
            values = partial(sight.settled, self.program, self.fold)
            return await self.program.routes.behind(node, (), values, self.runtime, is_inline=self.is_inline, history=history)
        except Interruption as question:
            if self.options.feed is not None:
                self._step_over(self.program.routes.named(node))
            self.recorder.ask(question.all)
            return []
        finally:
            seat.reset(here)

    def values(self) -> dict[str, Any]:
        """The state, with what a step that is not over wrote."""
        return sight.whole(self.program, self.fold)

    def input_of(self, node: str, arg: Any) -> Any:
        """What a node gets: the state, or what a Send gave."""
        return sight.input_of(self.program, self.fold, node, arg)

    def runtime(self, node: str = "", task: str = "") -> Runtime[Any]:
        """What surrounds a node."""
        options = self.options
        writer = writer_of(options.feed, options.namespace, node, task)
        return Runtime(options.context, options.store, writer, options.config, lambda event: self.recorder.record([event]))

    def tool_runtime(self, task: TaskRun, call_id: str | None, state: Any) -> ToolRuntime[Any, Any]:
        """What surrounds a call of a tool in the task."""
        options = self.options
        writer = writer_of(options.feed, options.namespace, task.node, task.name)
        key = f"{options.thread}:{self.fold.seq_of(call_id)}:{call_id}"
        return ToolRuntime(state, options.context, options.config, call_id, writer, options.store, 1, key, task.record)

    def asked_before(self, call_id: str | None) -> Mapping[str, int]:
        """How many calls of each tool the run asked for before this one."""
        self.recorder.flush()
        if self._asked is None:
            self._asked = Asked(self.recorder)
        return self._asked.before(call_id)

    # A step

    async def _together(self, step: int, tasks: Sequence[tuple[int, Planned]]) -> bool:
        """Runs the tasks beside each other; True, since whether all have ended the journal says. One that fails takes the others along."""
        if self.is_inline:
            raise NeedsLoop
        turns = asyncio.Semaphore(self.at_once or len(tasks))

        async def run(place: int, planned: Planned) -> BaseException | None:
            async with turns:
                try:
                    await self._run(self._task_of(step, place, planned, True, False))
                except asyncio.CancelledError:
                    raise
                except BaseException as error:  # noqa: BLE001 - raised on below; an exit would take the loop along
                    return error
            return None

        left = {asyncio.create_task(run(*task)) for task in tasks}
        failure: BaseException | None = None
        try:
            while left and failure is None:
                done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                failure = next((task.result() for task in done if task.result() is not None), None)
        finally:
            for task in left:
                task.cancel()
            if left:
                await asyncio.wait(left)
        if failure is not None:
            raise failure
        return True

    def _task_of(self, step: int, place: int, planned: Planned, is_shared: bool, is_alone: bool) -> TaskRun:
        """A task that begins now. NeedsLoop where it takes a loop that does not run."""
        name = f"{step}.{place}"
        node = self.program.node(planned.node)
        if not self._has_loop and node.name in self.program.routes.suspending:
            raise NeedsLoop
        if is_shared:
            self.writers[name] = self.program.said[node.name]
        else:
            self._task = name
        answers: Sequence[Any] = ()
        if self.fold.asked:
            answers = self.fold.answers(name)
            self.fold.begins(name)
        if node.form != "task" or not getattr(node.action, "takes_held", False):
            self.recorder.flush()
        if self.options.feed is not None:
            self.recorder.put(TaskBegan(node.name, name, sight.input_later(self.program, self.fold, node.name, planned.arg)))
        return TaskRun(self, name, node.name, planned.arg, answers, is_shared=is_shared, is_alone=is_alone)

    async def _run(self, task: TaskRun) -> bool:
        """Runs a task to its end, or to its questions; whether it has ended."""
        node = self.program.nodes[task.node]
        outside = seat.set(task)
        try:
            match node.form:
                case "task":
                    update: Update = await node.action.run_task(task)
                case "graph":
                    update = await self._inside(node.action.compiled.program, task)
                case _:
                    update = update_of(task.node, await self._entered(node, task), self.program.fields)
            if (written := self._end(task, update)) is not None:
                await self._end_with(task, written, update)
            return True
        except Interruption as question:
            self.recorder.ask(question.all)
            return False
        except NeedsLoop:
            raise
        except BaseException as error:
            error.add_note(f"in node {task.node!r}, task {task.name} of thread {self.options.thread!r}")
            if self.options.feed is not None:
                self.recorder.put(TaskFailed(task.node, task.name, exception_text(error)))
            raise
        finally:
            seat.reset(outside)

    def _entered(self, node: Node, task: TaskRun) -> Coroutine[Any, Any, Any]:
        """What gives what a function comes to."""
        takes_config = self.program.takes_config.get(node.name, False)
        return enter(node, task, takes_config=takes_config)

    def leave_running(self, node: str) -> None:
        """Says that a node's function did not stop when it was cancelled."""
        self._left_running = [*self._left_running, f"node {node!r}"]

    async def _inside(self, program: Program, task: TaskRun) -> Update:
        """What a graph that is a node comes to."""
        around = place()
        assert around is not None
        before = input_inside(self.program, program, task)
        inner = Execution(program, before, self.options.inside(around, program.name))
        inner._has_loop = self._has_loop
        ended = await inner.drive()
        if ended.error is not None:
            raise ended.error
        if ended.limit is not None:
            raise LimitHit(ended.limit.limit, ended.limit.value, ended.limit.text)
        if ended.status == "interrupted":
            raise asked(inner.fold.questions, around)
        if ended.parent:
            mine = [replace(with_calls(command, program.messages_key, inner.fold.messages()), graph=None) for command in ended.parent]
            return update_of(task.node, mine, self.program.fields)
        after = {name: value for name, value in inner.values().items() if name in self.program.fields and name in program.output_fields}
        writes = output_writes(task.node, program.messages_key, before if isinstance(before, dict) else {}, after, self.program.fields)
        return Update(writes, [], [])

    def _end(self, task: TaskRun, update: Update) -> Written | None:
        """Puts what a task came to into the journal, where a message shows that it has ended (see `Frontier`); else what it wrote."""
        is_shown = not (task.is_shared or update.goto or update.parent or task.asked or task.node in self.program.routes.asking)
        if is_shown and update.is_shown and not update.writes:
            return None
        if is_shown and (message := self._admission.only_answer(update)) is not None:
            self.recorder.hold(MessageAdded(message=message, node=task.node))
            return None
        written = Written(task.node, self.program.messages_key)
        written.add(update.writes)
        self._admission.admit(written, are_new=update.is_new)
        if update.parent:
            self._parent = [*self._parent, *update.parent]
        if is_shown and written.is_plain and (update.is_shown or written.messages):
            if events := written.message_events(None):
                self.recorder.record(events)
            return None
        return written

    async def _end_with(self, task: TaskRun, written: Written, update: Update) -> None:
        """Puts what a task wrote into the journal, and its end, which says where the graph goes on."""
        sends = [] if update.parent else await self._behind(task, written, update)
        events = [*written.message_events(task.name if task.is_shared else None), *written.end_events(task.name, sends)]
        self.recorder.record(events)

    async def _behind(self, task: TaskRun, written: Written, update: Update) -> list[Any]:
        def values() -> dict[str, Any]:
            """The state with what this task wrote, and no other of the step."""
            seen = self.fold.preview(written.parts, is_settled=task.is_shared)
            if new := seen.faults[len(self.fold.faults) :]:
                raise InvalidUpdate(f"node {task.node!r} wrote {new[0].key!r}, and {new[0].error}") from new[0].error
            if key := self.program.messages_key:
                seen.fields[key] = [*seen.history.messages(), *written.messages]
            return seen.fields

        return await self.program.routes.behind(task.node, update.goto, values, lambda: task.runtime, is_inline=self.is_inline)

    def _settle(self) -> None:
        """Says that a step is over. InvalidUpdate where its writes clash, or a reducer refuses one."""
        fold = self.fold
        if fold.has_pending:
            found = clashes(self.program.fields, fold.writers, self._names)
            if found:
                self.recorder.record([Discarded(key=clash.key, writers=clash.writers) for clash in found])
            fold.settle()
            if found:
                raise InvalidUpdate("; ".join(clash.text for clash in found))
        if len(fold.faults) > self._faults:
            fault = fold.faults[self._faults]
            self._faults = len(fold.faults)
            raise InvalidUpdate(f"{name_of(fault.task, self._names)} wrote {fault.key!r}, and {fault.error}") from fault.error

    @property
    def _names(self) -> dict[str, str]:
        """Tasks and calls -> who that is."""
        return self.writers if self._node is None else {self._task: self.program.said[self._node], **self.writers}

    def _step_over(self, coming: list[str]) -> None:
        """Says that a step is over, and which nodes come."""
        if self._over is not None:
            self.recorder.put(StepEnded(self.fold.frontier.step, sight.whole_later(self.program, self.fold), coming, self._over))
            self._over = None

    def _is_interrupted(self) -> bool:
        return bool(self.fold.asked) and any(not question.is_answered for question in self.fold.questions)

    # Ends

    def _broken_off(self, error: BaseException) -> Ended:
        """Puts the end of a run that did not come to its own into the journal: open calls get a result that says what is known."""
        for name in self._left_running:
            error.add_note(f"{name} did not stop when it was cancelled; its thread was left running")
        if self.recorder.has_failed:
            return Ended("failed", error=error)  # the thread stands where it stands: what its calls did is asked when it goes on
        broken = broken_off(error, self.options.run, self._left_running)
        try:
            self.recorder.flush()
            self.recorder.record([*closings(self.fold, broken.reason, self._node), *broken.events])
        except JournalConflict:
            return Ended("failed", error=error)  # another run has the thread; what it holds is that one's to say
        except JournalError:
            return Ended("failed", error=error)  # the journal cannot be written: the thread stands where it stands, and goes on from there
        return broken.ended


def _count(config: Mapping[str, Any], key: str, what: str) -> int | None:
    """A number of the configuration; None where it is left out. GraphError for what is none."""
    value = config.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise GraphError(f"{key} is a number of {what}, from 1 on; found {value!r}")
    return value


def run_here(execution: Execution) -> Ended:
    """How a drive ends for a synchronous caller: on the caller's own thread, and in a loop from where it needs one."""
    with suppress(NeedsLoop):
        return drive(execution.drive())
    execution.enter_loop()
    return block_on(execution.drive())
