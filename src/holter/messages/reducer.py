"""`add_messages`: how an update changes a list of messages. Name and meaning are LangGraph's (langgraph 1.2.24, seen 2026-11)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import urandom
from typing import Any, Literal, overload

from holter.messages.coercion import Update, as_messages
from holter.messages.history import History
from holter.messages.message import Message, RemoveMessage

MessagesFormat = Literal["langchain-openai"]


@overload
def add_messages(left: Any, right: Any, *, format: MessagesFormat | None = None) -> list[Message]: ...
@overload
def add_messages(*, format: MessagesFormat | None = None) -> Callable[[Any, Any], list[Message]]: ...
def add_messages(left: Any = None, right: Any = None, *, format: MessagesFormat | None = None) -> Any:
    """The messages of `left`, changed as `right` says: a message of a known id takes that one's place, others are appended, a
    RemoveMessage removes, `RemoveMessage("__remove_all__")` removes all that stands before it.

    Both may be a list or one item, each a message, a text, a pair (role, content), or a dict. Messages without an id get one; those of
    the caller stay as they are. No message is replaced by one of another kind, and no result by that of another call: what came is
    appended with a new id, made from its own.

    `format` is accepted, since the wire form of content blocks is made where a request is: they have one form here. Without `left` and
    `right` the function comes back with `format` filled in. Raises ValueError for the removal of an id that no message has.
    """
    if format not in (None, "langchain-openai"):
        raise ValueError(f'format is "langchain-openai" or left out, found {format!r}')
    if left is None and right is None:
        return partial(add_messages, format=format)
    if left is None or right is None:
        raise ValueError("add_messages takes both lists, or neither to fill in `format`")
    history = History(identified(message) for message in as_messages(left) if not isinstance(message, RemoveMessage))
    history.update([_identified(update) for update in as_messages(right)])
    return history.messages()


def identified(message: Message) -> Message:
    """The message with an id: itself when it has one."""
    return message if message.id is not None else message.replace(id=new_id())


def new_id() -> str:
    """An id that nothing else has: 128 random bits, as hexadecimal digits; a UUID says no more, and takes five times as long."""
    return urandom(16).hex()


def _identified(update: Update) -> Update:
    return update if isinstance(update, RemoveMessage) else identified(update)
