"""What a run says to whoever listens: what stands in its journal, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from holter.journal.entry import Entry
from holter.messages.chunks import AIMessageChunk


class Delta(msgspec.Struct, frozen=True, gc=False):
    """A piece of an answer, as it comes from a model."""

    chunk: AIMessageChunk
    node: str
    task: str


class Custom(msgspec.Struct, frozen=True):
    """What a node or tool sent with its stream writer."""

    value: Any
    node: str
    task: str


class TaskBegan(msgspec.Struct, frozen=True):
    """A task of a step begins."""

    node: str
    task: str
    make_input: Callable[[], Any]

    @property
    def input(self) -> Any:
        """What it is given; made for whoever asks, so that an item that waits does not hold the whole history."""
        return self.make_input()


class TaskFailed(msgspec.Struct, frozen=True):
    """A task of a step ended without a result: it raised, or was cancelled since another one did."""

    node: str
    task: str
    error: str
    """The exception's class and text."""


class StepEnded(msgspec.Struct, frozen=True):
    """A step is over, and its writes are written; the first comes with the input."""

    step: int
    make_values: Callable[[], dict[str, Any]]
    next: list[str]
    """The nodes of the next step; none at the end."""
    writers: list[str]
    """The nodes that ran."""

    @property
    def values(self) -> dict[str, Any]:
        """The state; made for whoever asks."""
        return self.make_values()


StreamItem: TypeAlias = Entry | Delta | Custom | TaskBegan | TaskFailed | StepEnded
Namespace: TypeAlias = tuple[str, ...]
"""Where an item comes from: empty for the run itself, else the tasks, outermost first, in which a nested run made it."""
