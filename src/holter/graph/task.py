"""One task of a step while it runs: what a node sees of the run around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from holter.errors import GraphError
from holter.graph.feed import Delta, Feed, Namespace
from holter.graph.program import Program
from holter.graph.recorder import Recorder
from holter.graph.runtime import Runtime
from holter.graph.update import Update
from holter.journal.event import Event
from holter.journal.frontier import NO_ARG
from holter.messages.chunks import AIMessageChunk
from holter.tools.command import Seat, seat
from holter.tools.inject import StreamWriter, ToolRuntime

_UNMADE: Any = object()


class Surroundings(Protocol):
    """The run around a task."""

    @property
    def recorder(self) -> Recorder: ...
    @property
    def program(self) -> Program: ...
    @property
    def run(self) -> str: ...
    @property
    def kept(self) -> dict[object, Any]: ...
    @property
    def writers(self) -> dict[str, str]: ...
    @property
    def at_once(self) -> int | None: ...
    @property
    def is_inline(self) -> bool: ...
    @property
    def is_waited_for(self) -> bool: ...

    def input_of(self, node: str, arg: Any) -> Any: ...

    def runtime(self, node: str = "", task: str = "") -> Runtime[Any]: ...

    def tool_runtime(self, task: TaskRun, call_id: str | None, state: Any) -> ToolRuntime[Any, Any]: ...

    def asked_before(self, call_id: str | None) -> Mapping[str, int]: ...

    def leave_running(self, node: str) -> None: ...


class TaskRun(Seat):
    """A task that runs, which is where its questions are asked. Nodes of the engine's own kind get it whole; functions get its input and,
    where they ask for it, its runtime."""

    __slots__ = ("_input", "_run", "_runtime", "arg", "fold", "is_alone", "is_shared", "name", "node", "program", "recorder")

    def __init__(
        self, run: Surroundings, name: str, node: str, arg: Any, answers: Sequence[Any] = (), *, is_shared: bool, is_alone: bool
    ) -> None:
        """`answers` are those to the questions that it asked before."""
        super().__init__(name, answers)
        self._run = run
        self.name = name
        """"3.0": the first task of step 3."""
        self.node = node
        self.arg = arg
        """What a Send gave; `NO_ARG` where the node gets the state."""
        self.is_shared = is_shared
        """Whether the step has other tasks."""
        self.is_alone = is_alone
        """Whether no other task of the step runs now."""
        self.recorder = run.recorder
        self.fold = run.recorder.fold
        """The thread so far."""
        self.program = run.program
        """The graph."""
        self._input: Any = _UNMADE
        self._runtime: Runtime[Any] | None = None

    @property
    def input(self) -> Any:
        """The state as the node gets it, or what a Send gave. Made when it is first asked for."""
        if self._input is _UNMADE:
            self._input = self._run.input_of(self.node, self.arg)
        return self._input

    @property
    def has_own_input(self) -> bool:
        """Whether a Send gave the input, in the place of the state."""
        return self.arg is not NO_ARG

    @property
    def runtime(self) -> Runtime[Any]:
        """What surrounds the node. Made when it is first asked for."""
        if self._runtime is None:
            self._runtime = self._run.runtime(self.node, self.name)
        return self._runtime

    @property
    def run(self) -> str:
        """The run's id."""
        return self._run.run

    @property
    def kept(self) -> dict[object, Any]:
        """What nodes know of the run beside its thread, each under its own key."""
        return self._run.kept

    @property
    def writers(self) -> dict[str, str]:
        """Calls of the step ("3.0.1") -> who that is, for errors."""
        return self._run.writers

    @property
    def limit(self) -> int | None:
        """How many calls may run at once; None for any number."""
        return self._run.at_once

    @property
    def is_inline(self) -> bool:
        """Whether the caller is synchronous and no loop runs: nothing may suspend. Raise NeedsLoop, before anything is done, where
        something has to."""
        return self._run.is_inline

    @property
    def is_sync(self) -> bool:
        """Whether a synchronous function runs on this thread: the caller waits for it here, and nothing runs beside it."""
        return self.is_alone and self._run.is_waited_for

    @property
    def messages_key(self) -> str:
        """The state's field whose messages the journal keeps; empty when there is none."""
        return self.program.messages_key

    @property
    def thread(self) -> str:
        """The thread's id."""
        return self.recorder.thread

    def tool_runtime(self, call_id: str | None, state: Any) -> ToolRuntime[Any, Any]:
        """What surrounds a call of a tool that sees this state."""
        return self._run.tool_runtime(self, call_id, state)

    def asked_before(self, call_id: str | None) -> Mapping[str, int]:
        """How many calls of each tool the run asked for before this one."""
        return self._run.asked_before(call_id)

    def leave_running(self) -> None:
        """Says that the node's function did not stop when it was cancelled."""
        self._run.leave_running(self.node)

    def record(self, *events: Event) -> Awaitable[None] | None:
        """Puts events into the journal; they are there when it returns. From any thread. What comes back waits for the device."""
        return self.recorder.record(events)

    def record_soon(self, event: Event) -> None:
        """Puts an event into the journal before the next ones: what is good to know and nothing rests on."""
        self.recorder.record_soon(event)

    def teller(self) -> Callable[[AIMessageChunk], None] | None:
        """What hands on the pieces of an answer; None when nobody listens."""
        feed = self.recorder.feed
        return None if feed is None else _teller(feed, self.node, self.name, self.recorder.namespace)


def _teller(feed: Feed, node: str, task: str, namespace: Namespace) -> Callable[[AIMessageChunk], None]:
    return lambda chunk: feed.put(Delta(chunk, node, task), namespace)


class TaskNode(Protocol):
    """An action of the engine's own kind: it sees the run around it."""

    async def run_task(self, task: TaskRun) -> Update:
        """What the task comes to."""
        ...


def running() -> TaskRun | None:
    """The task in which this code runs; None outside of a graph."""
    here = seat.get()
    while here is not None and not isinstance(here, TaskRun):
        here = here.around
    return here


def get_stream_writer() -> StreamWriter:
    """A function that sends a value to whoever listens to the run's "custom" stream. Only inside a node or a tool that a graph runs:
    elsewhere GraphError."""
    task = running()
    if task is None:
        raise GraphError("get_stream_writer() sends in the name of a node or a tool of a running graph, and none is running here")
    return task.runtime.stream_writer
