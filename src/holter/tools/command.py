"""What a tool or a node gives back beside a value: a state update, a jump, a fan-out, a question.

Names and meaning are LangGraph's (`langgraph.types`, 1.2, seen 2026-11); `holter.graph` offers them under its own name, too.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, Generic

import msgspec

if typing.TYPE_CHECKING:
    from typing_extensions import TypeVar  # its stub comes with every type checker: a bare `Command` declares no targets

    Target = TypeVar("Target", default=Any)
else:
    Target = typing.TypeVar("Target")


class Send(msgspec.Struct, frozen=True):
    """Runs a node once more in the next step, with an input of its own."""

    node: str
    arg: Any


class Command(msgspec.Struct, Generic[Target], frozen=True, kw_only=True):
    """Updates the state and says where to go on. `Command[Literal["a", "b"]]` as a return type declares the targets."""

    PARENT: ClassVar[str] = "__parent__"
    """As `graph`: the command is meant for the graph around this one."""

    graph: str | None = None
    update: Any = None
    """State fields to write: a mapping, or pairs."""
    resume: Any = None
    """The answer to a question, or answers by key."""
    goto: str | Send | Sequence[str | Send] = ()
    """Nodes that run next, beside those that the edges name."""

    @property
    def targets(self) -> list[str | Send]:
        """`goto` as a list."""
        return [self.goto] if isinstance(self.goto, str | Send) else list(self.goto)


class Interruption(BaseException):
    """A question that nobody has answered yet. No `except Exception` of a tool catches it, or the question would be lost."""

    def __init__(self, key: str, value: Any) -> None:
        super().__init__(key, value)
        self.key = key
        """The call's id or the node's task; the second question of one call is `id/1`."""
        self.value = value

    @property
    def all(self) -> list[tuple[str, Any]]:
        """(key, value) of every question that is asked at once."""
        return [(self.key, self.value)]


class Interruptions(Interruption):
    """Several questions at once: of the calls of one answer, or of a run inside a call."""

    def __init__(self, questions: Sequence[tuple[str, Any]]) -> None:
        super().__init__(*questions[0])
        self.questions = list(questions)

    @property
    def all(self) -> list[tuple[str, Any]]:
        return self.questions


class Seat:
    """Where questions of one call or node task are asked: the answers it has, and how many questions it asked since its top."""

    __slots__ = ("__weakref__", "_answers", "_nested", "around", "asked", "key")

    def __init__(self, key: str, answers: Sequence[Any] = (), around: Seat | None = None) -> None:
        self.key = key
        self.around = around
        """That of the node task in which a call runs."""
        self.asked = 0
        """How many questions were asked since the top."""
        self._answers = answers
        self._nested = 0

    def nested(self) -> str:
        """The key of the next run that is begun inside the call or task: its own for the first, `key#1` for the second."""
        number, self._nested = self._nested, self._nested + 1
        return self.key if number == 0 else f"{self.key}#{number}"

    def ask(self, value: Any) -> Any:
        """The answer to the next question. Raises Interruption when there is none yet."""
        number, self.asked = self.asked, self.asked + 1
        if number < len(self._answers):
            return self._answers[number]
        raise Interruption(self.key if number == 0 else f"{self.key}/{number}", value)


seat: ContextVar[Seat | None] = ContextVar("holter.seat", default=None)
"""The seat of the tool or node that runs here."""


def interrupt(value: Any) -> Any:
    """Asks a person, and gives the answer. The run stops here until there is one; then the tool or node starts again from its top, and
    earlier questions get their earlier answers. Only inside a tool or node that Holter runs, and in the path behind a node, which may start
    again with it: elsewhere RuntimeError."""
    here = seat.get()
    if here is None:
        raise RuntimeError("interrupt() asks in the name of a tool or a node, and none is running here")
    return here.ask(value)
