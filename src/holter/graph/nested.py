"""Runs inside a run: a graph that is a node of another, or that a node or tool runs itself.

A nested run is a thread of its own in the journal around it, named after the task or call. Its open questions are asked by the task or
call; when that starts again from its top with the answers, the nested run goes on where it stands, and one that is done is not run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from holter.graph import sight
from holter.graph.ending import Ended
from holter.graph.field import Field
from holter.graph.program import Program
from holter.graph.state import Write
from holter.graph.task import TaskRun, running
from holter.journal.fold import Fold
from holter.journal.question import INSIDE, Question
from holter.messages.message import AIMessage, Message, ToolMessage
from holter.tools.command import Command, Interruptions, seat


class Place(NamedTuple):
    """Where a run is nested."""

    task: TaskRun
    """The task around it."""
    thread: str
    prefix: str
    """What stands before the keys of its questions in the run around it."""

    @property
    def namespace(self) -> str:
        """Its name in streams: "tools:3.0.call_1"."""
        return f"{self.task.node}:{self.thread.removeprefix(self.task.thread + INSIDE)}"


def place() -> Place | None:
    """Where a run that begins here is nested; None where nothing runs around it. Each time it is asked, it is another run's."""
    task, here = running(), seat.get()
    if task is None or here is None:
        return None
    key = here.nested()
    inner = key if here.key == task.name else f"{task.name}.{key}"
    return Place(task, f"{task.thread}{INSIDE}{inner}", f"{key}{INSIDE}")


def go_on(fold: Fold, given: Any, around: Place) -> tuple[Any, Ended | None]:
    """What the nested run gets: its input, answers, or None to go on; and how it ended, where it has nothing more to do."""
    match fold.status:
        case "done":
            return None, Ended("done")
        case "interrupted":
            open_keys = {question.key for question in fold.questions if not question.is_answered}
            answers = around.task.fold.answered_inside(around.prefix)
            known = {key: value for key, value in answers.items() if key in open_keys}
            return (Command(resume=known), None) if known else (None, Ended("interrupted"))
        case "new":
            return given, None
        case _:
            return None, None  # its input is in the journal already


def input_inside(around: Program, program: Program, task: TaskRun) -> Any:
    """What a graph gets that is a node of another: what a Send gave, or of the state what both the node and the graph take."""
    seen, fields = around.node(task.node).schema.fields, program.builder.input_schema.fields
    if task.has_own_input:
        given = task.input
    else:
        given = {key: value for key, value in sight.settled(around, task.fold).items() if key in seen}
    return {key: value for key, value in given.items() if key in fields} if isinstance(given, dict) else given


def asked(questions: list[Question], around: Place) -> Interruptions:
    """The open questions of a nested run, as the task or call around it asks them."""
    return Interruptions([(around.prefix + question.key, question.value) for question in questions if not question.is_answered])


def output_writes(node: str, key: str, before: Mapping[str, Any], after: Mapping[str, Any], fields: Mapping[str, Field]) -> list[Write]:
    """What a nested graph changed, as writes to the state around it with these fields: new messages, what was added to a list that its
    reducer will add to, and other values."""
    writes: list[Write] = []
    for name, value in after.items():
        old = before.get(name)
        if name == key:
            known = {message.id: message for message in old or ()}
            if new := [message for message in value if known.get(message.id) != message]:
                writes.append(Write(node, name, new))
        elif name not in before or (value is not old and value != old):
            if fields[name].reducer is not None and isinstance(value, list) and isinstance(old, list) and value[: len(old)] == old:
                value = value[len(old) :]
            writes.append(Write(node, name, value))
    return writes


def with_calls(command: Command[Any], key: str, messages: list[Message]) -> Command[Any]:
    """A command for the graph around, with the messages whose calls the results in it answer, where it left them out."""
    update = command.update
    if not isinstance(update, Mapping) or not isinstance(update.get(key), list):
        return command
    given = update[key]
    ids = {getattr(message, "id", None) for message in given}
    answered = {message.tool_call_id for message in given if isinstance(message, ToolMessage)}
    at = next(
        (
            at
            for at, message in enumerate(messages)
            if isinstance(message, AIMessage) and message.id not in ids and answered & {call["id"] for call in message.tool_calls}
        ),
        None,
    )
    if at is None:
        return command
    missing = [message for message in messages[at:] if message.id not in ids and message not in given]
    return Command(graph=command.graph, update={**update, key: [*missing, *given]}, goto=command.goto)
