"""The calls of a tool node inside a graph: each result stands in the journal as soon as it exists, whatever the others do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from holter.errors import HolterError
from holter.graph.edge import END, destination
from holter.graph.route import sent
from holter.graph.state import Write
from holter.graph.task import TaskRun
from holter.graph.update import update_of
from holter.graph.written import Written
from holter.journal.event import Event, MessageAdded, NodeEnded
from holter.messages.coercion import as_messages
from holter.messages.message import Message, RemoveMessage, ToolMessage
from holter.messages.reducer import identified
from holter.tools.command import Command, Interruption, Interruptions
from holter.tools.execute import Outcome

Item = TypeVar("Item")


class ToolTask:
    """The calls of one task while they run."""

    __slots__ = ("_errors", "_name", "_parent", "_questions", "_task", "has_commands")

    def __init__(self, task: TaskRun, calls: int) -> None:
        self._task = task
        self._name = task.name if task.is_shared or calls > 1 or task.fold.has_held else None
        """The task that messages name; None where one message shows the task's end."""
        self._questions: dict[int, list[tuple[str, Any]]] = {}
        self._errors: list[BaseException] = []
        self._parent: dict[int, list[Command[Any]]] = {}
        self.has_commands = False

    @property
    def is_shown(self) -> bool:
        """Whether the result in the journal shows that the task has ended."""
        return self._name is None and not self.has_commands

    def ended(self, position: int, outcome: Outcome) -> None:
        """Takes in what became of a call."""
        if isinstance(outcome.error, Interruption):
            self._questions[position] = outcome.error.all
            self._task.recorder.ask(outcome.error.all)  # at once: others may run for long, and a process may end meanwhile
        elif outcome.error is not None:
            self._errors.append(outcome.error)
        elif outcome.result is not None:
            results = outcome.result if isinstance(outcome.result, list) else [outcome.result]
            try:
                self._keep(position, outcome.call, results)
            except HolterError as error:  # the others go on; this one is raised when they have ended
                self._errors.append(error)

    def wait(self, position: int, questions: list[tuple[str, Any]]) -> None:
        """Takes in that a call goes on waiting for answers."""
        self._questions[position] = questions

    def check(self) -> None:
        """Raises what the calls raised, when all have ended: Ctrl-C first, questions last."""
        if self._errors:
            raise min(self._errors, key=lambda error: isinstance(error, Exception))
        if self._questions:
            raise Interruptions(_in_order(self._questions))

    @property
    def parent(self) -> list[Command[Any]]:
        """Commands for the graph around, in the order of the calls."""
        return _in_order(self._parent) if self._parent else []

    def _keep(self, position: int, call: dict[str, Any], results: Sequence[ToolMessage | Command[Any]]) -> None:
        """Puts the results of a call into the journal: first what its commands wrote, since its message may complete the batch."""
        task = self._task
        if len(results) == 1 and isinstance(results[0], ToolMessage):
            message = identified(self._new(results[0]))
            task.record(MessageAdded(message=message, node=task.node, task=self._name))
        else:
            self._keep_all(position, call, results)

    def _keep_all(self, position: int, call: dict[str, Any], results: Sequence[ToolMessage | Command[Any]]) -> None:
        task = self._task
        path = f"{task.name}.{position}"
        task.writers[path] = f"call {call.get('id')!r} of {call.get('name')}"
        written, goto = self._written(results, call, position)
        answers = [message for message in written.messages if isinstance(message, ToolMessage)]
        others = [message for message in written.messages if not isinstance(message, ToolMessage)]
        events: list[Event] = list(written.repairs)
        if not written.is_plain or goto or others:
            self.has_commands = True
            events += [NodeEnded(node=task.node, task=path, writes=part) for part in written.parts[1:]]
            events.append(NodeEnded(node=task.node, task=path, writes=written.parts[0], sends=goto))
        events += [MessageAdded(message=message, node=task.node, task=path) for message in others]
        name = task.name if others or goto else self._name  # what else was said stands behind the results
        events += [MessageAdded(message=message, node=task.node, task=name) for message in answers]
        task.record(*events)

    def _written(self, results: Sequence[ToolMessage | Command[Any]], call: dict[str, Any], position: int) -> tuple[Written, list[Any]]:
        task = self._task
        written = Written(task.node, task.messages_key)
        goto: list[Any] = []
        for result in results:
            if isinstance(result, ToolMessage):
                written.add([Write(task.node, task.messages_key, [self._new(result)])])
                continue
            update = update_of(task.node, result, task.program.fields)
            written.add(update.writes)
            said = f"{call.get('name')} goes to"
            goto += [sent(destination(target, task.program.nodes, said)) for target in update.goto if target != END]
            for command in update.parent:
                handed, answers = self._handed(command, call)
                self._parent.setdefault(position, []).append(handed)
                self.has_commands = True
                written.add([Write(task.node, task.messages_key, answers)])
        return written, goto

    def _new(self, result: ToolMessage) -> ToolMessage:
        """The result without an id that a message has already: it is no new form of that one, even if the calls share their id, too."""
        is_known = result.id is not None and self._task.fold.settled.history.has(result.id)
        return result.replace(id=None) if is_known else result

    def _handed(self, command: Command[Any], call: dict[str, Any]) -> tuple[Command[Any], list[Message]]:
        """A command for the graph around, and the messages in it that answer the call: they belong to this thread, too."""
        key, call_id = self._task.messages_key, call.get("id")
        update = command.update
        if not isinstance(update, dict) or not isinstance(update.get(key), list):
            return command, [ToolMessage("Handed over.", tool_call_id=call_id, name=call.get("name"))]
        given = [one if isinstance(one, RemoveMessage) else identified(one) for one in as_messages(update[key])]
        found: list[Message] = [one for one in given if isinstance(one, ToolMessage) and one.tool_call_id == call_id]
        answers = found or [identified(ToolMessage("Handed over.", tool_call_id=call_id, name=call.get("name")))]
        return replace(command, update={**update, key: given}), answers


def _in_order(items: dict[int, list[Item]]) -> list[Item]:
    """What the calls have, in their order."""
    return [item for position in sorted(items) for item in items[position]]
