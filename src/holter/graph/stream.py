"""The forms in which a run can be read while it goes on: projections of what happens (`holter.graph.feed`).

Names and shapes are those of LangGraph's `stream_mode` (langgraph 1.2.24, seen 2026-11); "events" gives the items themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, get_args

from holter.errors import GraphError
from holter.graph.feed import Custom, Delta, Namespace, StepEnded, StreamItem, TaskBegan, TaskFailed
from holter.graph.snapshot import Interrupt
from holter.journal.entry import Entry
from holter.journal.event import Interrupted, MessageAdded, NodeEnded, ToolFailed, ToolStarted
from holter.journal.question import INSIDE
from holter.journal.values import OVERWRITE
from holter.messages.chunks import AIMessageChunk
from holter.messages.message import AIMessage, ToolMessage

Mode: TypeAlias = Literal["values", "updates", "messages", "custom", "tools", "tasks", "checkpoints", "debug", "events"]
_MODES = get_args(Mode)
_Projection: TypeAlias = Callable[[StreamItem], Iterable[Any]]


class Projections:
    """What a reader of a stream gets of each item."""

    def __init__(self, modes: Mode | Sequence[Mode], messages_key: str, *, subgraphs: bool) -> None:
        """GraphError for a mode that there is not."""
        names = [modes] if isinstance(modes, str) else list(modes)
        if wrong := [name for name in names if name not in _MODES]:
            raise GraphError(f"stream_mode is one or several of {', '.join(_MODES)}, found {wrong[0]!r}")
        self._has_mode = not isinstance(modes, str)
        self._modes: list[Mode] = names
        self._subgraphs = subgraphs
        self._key = messages_key
        self._only = _projection(names[0], messages_key) if not (subgraphs or self._has_mode) else None
        """What gives the chunks, where nothing has to be said beside them."""
        self._of: dict[Namespace, dict[Mode, _Projection]] = {}

    def of(self, namespace: Namespace, item: StreamItem) -> Iterable[Any]:
        """The chunks of an item, in the order of the modes."""
        if namespace and not self._subgraphs:
            return ()
        if self._only is not None:
            return self._only(item)
        made = self._of.get(namespace)
        if made is None:
            made = self._of[namespace] = {mode: _projection(mode, self._key) for mode in self._modes}
        return self._marked(namespace, item, made)

    def _marked(self, namespace: Namespace, item: StreamItem, made: dict[Mode, _Projection]) -> Iterator[Any]:
        """The chunks, each with what it has to say beside itself."""
        for mode, project in made.items():
            for chunk in project(item):
                yield tuple([namespace] * self._subgraphs + [mode] * self._has_mode + [chunk])


def _projection(mode: Mode, key: str) -> _Projection:
    match mode:
        case "values":
            return _values
        case "updates":
            return _Updates(key).of
        case "messages":
            return _Messages().of
        case "custom":
            return _custom
        case "tools":
            return _Tools().of
        case "tasks":
            return _Tasks(key).of
        case "checkpoints":
            return _checkpoints
        case "debug":
            return _Debug(key).of
        case "events":
            return _events


def _events(item: StreamItem) -> Iterator[StreamItem]:
    yield item


def _values(item: StreamItem) -> Iterator[Any]:
    match item:
        case StepEnded():
            yield item.values
        case Entry(event=Interrupted() as event):
            yield {"__interrupt__": (Interrupt(event.value, event.key),)}
        case _:
            pass


def _custom(item: StreamItem) -> Iterator[Any]:
    if isinstance(item, Custom):
        yield item.value


class _Writes:
    """What the tasks of a step wrote so far, by task; by node where the step has only one and its events name none."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._of: dict[str, list[dict[str, Any]]] = {}
        self._calls: dict[Any, int] = {}
        """Id of a call of the newest answer -> its place. Results come as they are there, and stand in the order of the calls."""

    def add(self, item: StreamItem) -> tuple[str, str, Any] | None:
        """Takes in an item; (node, task, update) when it ends a task."""
        match item:
            case Entry(event=MessageAdded(message=AIMessage() as message)) if message.calls:
                self._calls = {call.get("id"): at for at, call in enumerate(message.calls)}
            case _:
                pass
        match item:
            case Entry(event=MessageAdded(node=str() as node) as event):
                self._put(_task(event.task) or node, {self._key: [event.message]})
            case Entry(event=NodeEnded() as event) if event.node != "__start__":
                task = _task(event.task)
                if event.node in self._of:
                    self._of[task] = self._of.pop(event.node)
                self._put(task, {key: _written(value) for key, value in event.writes.items()})
                if event.task == task:
                    return event.node, task, self._taken(task)
            case _:
                pass
        return None

    def left(self, node: str) -> Any:
        """What a task wrote whose end is left out."""
        return self._taken(node) if node in self._of else _NOTHING

    def _put(self, task: str, part: dict[str, Any]) -> None:
        parts = self._of.setdefault(task, [])
        for key, value in part.items():
            if key == self._key and parts and isinstance(parts[0].get(key), list) and isinstance(value, list):
                parts[0][key] = [*parts[0][key], *value]
            else:
                target = next((known for known in parts if key not in known), None)
                if target is None:
                    parts.append({key: value})
                else:
                    target[key] = value

    def _taken(self, task: str) -> Any:
        parts = [part for part in self._of.pop(task, []) if part]
        for part in parts:
            if isinstance(messages := part.get(self._key), list):
                part[self._key] = sorted(messages, key=self._place)
        return None if not parts else parts[0] if len(parts) == 1 else parts

    def _place(self, message: Any) -> int:
        return self._calls.get(message.tool_call_id, 0) if isinstance(message, ToolMessage) else len(self._calls)


def _task(name: str | None) -> str:
    """The task that a task or a call of it is: "3.0" of "3.0.1"; empty of none."""
    return ".".join((name or "").split(".")[:2])


_NOTHING: Any = object()


def _written(value: Any) -> Any:
    return value[OVERWRITE] if isinstance(value, dict) and value.keys() == {OVERWRITE} else value


class _Updates:
    """{node: what it wrote}, as each node ends."""

    def __init__(self, key: str) -> None:
        self._writes = _Writes(key)

    def of(self, item: StreamItem) -> Iterator[Any]:
        if (ended := self._writes.add(item)) is not None:
            yield {ended[0]: ended[2]}
        match item:
            case StepEnded():
                for node in item.writers:
                    if (update := self._writes.left(node)) is not _NOTHING:
                        yield {node: update}
            case Entry(event=Interrupted() as event):
                yield {"__interrupt__": (Interrupt(event.value, event.key),)}
            case _:
                pass


class _Messages:
    """(delta or message, where it comes from): the deltas of models, and messages that did not come in deltas."""

    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}
        """Node -> its newest task."""
        self._streamed: dict[str, tuple[list[AIMessageChunk], dict[str, Any]]] = {}
        """Task -> the deltas of the step, and where they come from."""

    def of(self, item: StreamItem) -> Iterable[Any]:
        if item.__class__ is not Delta:
            return self._of_other(item)
        chunk, streamed = item.chunk, self._streamed.get(item.task)
        if streamed is None:
            streamed = self._streamed[item.task] = ([], _origin(item.node, item.task))
        chunks, origin = streamed
        chunks.append(chunk)
        return ((chunk, origin.copy()),)

    def _of_other(self, item: StreamItem) -> Iterator[Any]:
        match item:
            case TaskBegan():
                self._tasks[item.node] = item.task
            case StepEnded():
                self._streamed.clear()
            case Entry(event=MessageAdded(node=str() as node) as event):
                task = _task(event.task) or self._tasks.get(node, "")
                if not (isinstance(event.message, AIMessage) and self._has_come(event.message, task)):
                    yield event.message, _origin(node, task)
            case _:
                pass

    def _has_come(self, message: AIMessage, task: str) -> bool:
        """Whether deltas of the task were those of the message: they have its id, which the thread may have changed, or its text."""
        chunks, _ = self._streamed.get(task, ((), None))
        return any(chunk.id == message.id for chunk in chunks) or (
            bool(chunks) and message.text in "".join(chunk.content for chunk in chunks if isinstance(chunk.content, str))
        )


def _origin(node: str, task: str) -> dict[str, Any]:
    return {"langgraph_node": node, "langgraph_step": int(task.partition(".")[0])} if task else {"langgraph_node": node}


class _Tools:
    """What tools do: started, finished, failed. Results that come with the input, or out of a graph inside, are not among it."""

    def __init__(self) -> None:
        self._asked: dict[Any, str | None] = {}
        """Id of a call -> the node that asked for it; None once it was started."""

    def of(self, item: StreamItem) -> Iterator[Any]:
        match item:
            case Entry(event=MessageAdded(message=AIMessage() as message, node=node)):
                self._asked |= {call.get("id"): node for call in message.calls}
            case Entry(event=ToolStarted() as event):
                self._asked[event.call_id] = None
                yield {"event": "tool-started", "tool_call_id": event.call_id, "tool_name": event.name, "attempt": event.attempt}
            case Entry(event=ToolFailed(wait_s=float()) as event):
                yield {"event": "tool-retried", "tool_call_id": event.call_id, "tool_name": event.name, "message": event.error}
            case Entry(event=MessageAdded(message=ToolMessage() as message, node=str() as node)) if (
                self._asked.get(message.tool_call_id) != node
            ):
                kind = "tool-error" if message.status == "error" else "tool-finished"
                yield {"event": kind, "tool_call_id": message.tool_call_id, "tool_name": message.name, "output": message}
            case _:
                pass


class _Tasks:
    """A task's beginning with its input, and its end with what it wrote or asked, or the error."""

    def __init__(self, key: str) -> None:
        self._writes = _Writes(key)
        self._begun: dict[str, TaskBegan] = {}
        self._asked: dict[str, list[Interrupt]] = {}

    def of(self, item: StreamItem) -> Iterator[Any]:
        if (ended := self._writes.add(item)) is not None:
            node, task, update = ended
            known = task if task in self._begun else next((name for name, begun in self._begun.items() if begun.node == node), None)
            if known is not None:
                del self._begun[known]
                yield self._ended(node, known, update)
        match item:
            case TaskBegan():
                self._begun[item.task] = item
                yield {"id": item.task, "name": item.node, "input": item.input, "triggers": []}
            case TaskFailed() if self._begun.pop(item.task, None) is not None:
                yield {"id": item.task, "name": item.node, "error": item.error, "result": {}, "interrupts": []}
            case StepEnded():
                for task, begun in list(self._begun.items()):
                    if (update := self._writes.left(begun.node)) is not _NOTHING:
                        del self._begun[task]
                        yield self._ended(begun.node, task, update)
            case Entry(event=Interrupted() as event) if self._begun:
                task = next(
                    (task for task in self._begun if task == _task(event.key.partition(INSIDE)[0].partition("/")[0])),
                    next(reversed(self._begun)),
                )
                begun = self._begun[task]
                yield {
                    "id": task,
                    "name": begun.node,
                    "error": None,
                    "result": {},
                    "interrupts": [{"value": event.value, "id": event.key}],
                }
            case _:
                pass

    @staticmethod
    def _ended(node: str, task: str, update: Any) -> dict[str, Any]:
        return {"id": task, "name": node, "error": None, "result": update or {}, "interrupts": []}


def _checkpoints(item: StreamItem) -> Iterator[Any]:
    if isinstance(item, StepEnded):
        yield {"values": item.values, "next": item.next, "metadata": {"step": item.step - 1, "source": "loop" if item.writers else "input"}}


class _Debug:
    """Tasks, their results and the state behind each step, with the time."""

    def __init__(self, key: str) -> None:
        self._tasks = _Tasks(key)

    def of(self, item: StreamItem) -> Iterator[Any]:
        for payload in self._tasks.of(item):
            step = int(str(payload["id"]).partition(".")[0])
            yield _debug("task" if "input" in payload else "task_result", step, payload)
        for payload in _checkpoints(item):
            yield _debug("checkpoint", payload["metadata"]["step"], payload)


def _debug(kind: str, step: int, payload: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "step": step, "timestamp": datetime.now(UTC).isoformat(), "payload": payload}
