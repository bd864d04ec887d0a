"""The system message of a request: a text, a message, or what a function makes of the state."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, TypeAlias

from holter.errors import GraphError
from holter.graph.ending import NeedsLoop
from holter.graph.runtime import filled, is_async, wishes_of
from holter.graph.task import TaskRun
from holter.messages import SystemMessage

System: TypeAlias = str | SystemMessage | Callable[..., Any]
"""A text, a message, or `system(state)`, synchronous or not, which may take a `Runtime`, too."""


class Instruction:
    """What the model is told before everything else."""

    def __init__(self, system: System | None) -> None:
        """TypeError for what can be no system message."""
        self._function = system if callable(system) else None
        self.is_made = callable(system)
        """Whether a function makes it, anew for each step."""
        self.message: SystemMessage | None = None if system is None or callable(system) else _message(system)
        """It itself, where it is always the same."""
        self._is_async = is_async(system)
        self._wishes = wishes_of(self._function, "the agent's system function") if self._function is not None else {}

    @property
    def is_there(self) -> bool:
        """Whether there is one, or a function that may make one."""
        return self.message is not None or self._function is not None

    async def of(self, task: TaskRun) -> SystemMessage | None:
        """The message for this step; None where there is none. Raises what the function raises."""
        if self._function is None:
            return self.message
        if self._is_async and task.is_inline:
            raise NeedsLoop
        made = self._function(task.input, **filled(self._wishes, task.runtime))
        made = await made if isawaitable(made) else made
        return None if made is None or made == "" else _message(made)


def _message(given: Any) -> SystemMessage:
    match given:
        case SystemMessage():
            return given
        case str():
            return SystemMessage(given)
    raise TypeError(f"system is a text, a SystemMessage, or a function of the state that gives one, found {given!r}")


def check_state(schema: Any, fields: Any) -> None:
    """GraphError for the state schema of an agent that holds no conversation."""
    field = fields.get("messages")
    if field is None or not field.is_messages:
        name = getattr(schema, "__name__", schema)
        raise GraphError(f"{name} has no field `messages` with add_messages, which an agent works on; inherit from MessagesState")
