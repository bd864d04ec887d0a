"""Conversations on standard output for a program, one line of JSON each."""

from collections.abc import Callable
from typing import Any

from holter.cli.output import write_bytes
from holter.messages import Conversation
from holter.render import json


class Lines:
    """Prints what `made` makes of each conversation."""

    def __init__(self, made: Callable[[Conversation], Any]) -> None:
        self._made = made

    def __call__(self, conversation: Conversation) -> None:
        """Prints the next conversation's line."""
        write_bytes(json.line(self._made(conversation)))


def conversations() -> Lines:
    """Prints whole conversations."""
    return Lines(json.conversation)


def summaries() -> Lines:
    """Prints what the list says."""
    return Lines(json.summary)


def messages(position: int) -> Lines:
    """Prints the message at this position of each conversation."""
    return Lines(lambda conversation: json.message(conversation.messages[position]))


def decisions() -> Lines:
    """Prints the decision points of each conversation."""
    return Lines(json.decision_points)
