"""What an agent's run begins with: from what a caller hands over to a graph's input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from holter.messages import Conversation, Message, sendable
from holter.models.prompt import Prompt, as_messages
from holter.tools.command import Command

Given: TypeAlias = Prompt | Mapping[str, Any] | Command[Any] | None
"""Text, a message, a list of messages; the state, or a part of it; answers to questions; None to go on with a thread."""
History: TypeAlias = Conversation | Sequence[Any]
"""A conversation that was read from a log, or messages in any form that a model takes."""


def input_of(given: Given, history: Sequence[Message]) -> Any:
    """The graph's input; `history` is what a new thread begins with. TypeError or ValueError for what can be none."""
    match given:
        case None:
            return {"messages": list(history)} if history else None
        case Command():
            return given
        case Mapping() if "role" not in given and "content" not in given:
            return {**given, "messages": [*history, *_messages(given.get("messages"))]}
        case Mapping():
            return {"messages": [*history, *as_messages([given])]}
        case _:
            return {"messages": [*history, *as_messages(given)]}


def is_empty(made: Any) -> bool:
    """Whether an input holds no messages, and asks for nothing else."""
    return isinstance(made, dict) and not made.get("messages")


def _messages(given: Any) -> list[Message]:
    return [] if given is None else as_messages(given)


def history_of(given: History | None) -> list[Message]:
    """The messages that a new thread begins with: valid, each with an id that no other has. TypeError for what holds no messages."""
    if given is None:
        return []
    if isinstance(given, Sequence) and not isinstance(given, str) and any(isinstance(item, Conversation) for item in given):
        raise TypeError("history is one conversation, found a list of them; choose one: holter.read(path)[0]")
    if isinstance(given, str):
        raise TypeError(
            f"history is a conversation or a list of messages, found the text {given[:60]!r}; read a log with holter.read(path)[0]"
        )
    known: set[str] = set()
    made: list[Message] = []
    for message in sendable(as_messages(given)):
        made.append(message if message.id not in known else message.replace(id=None))
        if message.id is not None:
            known.add(message.id)
    return made
