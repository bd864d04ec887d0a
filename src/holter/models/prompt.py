"""What people hand to a model, as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, get_args

from holter.formats.langchain_message import body_of, kind_of, read_message
from holter.formats.openai_list import ListReading
from holter.formats.openai_message import ROLES
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Place, SystemMessage, ToolMessage
from holter.models.listener import surroundings

PromptItem: TypeAlias = Message | str | tuple[str, Any] | Mapping[str, Any]
"""A message; text, of the user; a pair of role and content; a dict as OpenAI's wire or LangChain's logs have it."""

Prompt: TypeAlias = str | Message | Conversation | Sequence[PromptItem]
"""What `invoke` takes: one text or message, a conversation, or a list."""

_MESSAGES: tuple[type, ...] = get_args(Message)
_KINDS = frozenset(_MESSAGES)
_FEW = 4

_ROLE_OF = {"human": "user", "ai": "assistant", **{role: role for role in ROLES}}
"""Roles by LangChain's names and by OpenAI's -> OpenAI's."""


def as_messages(prompt: Prompt) -> list[Message]:
    """The messages of a prompt, in a new list. TypeError or ValueError names the item that can be none."""
    if prompt.__class__ is list and (_is_known(prompt) or _KINDS.issuperset(map(type, prompt))):  # the usual case
        return prompt.copy()
    if isinstance(prompt, Conversation):
        return list(prompt.messages)
    if isinstance(prompt, (str, *_MESSAGES)):
        return [_as_message(prompt, 0)]
    if isinstance(prompt, Mapping) or not isinstance(prompt, Sequence):
        raise TypeError(f"a prompt is text, a message, or a list of messages, found {_shown(prompt)}")
    if _KINDS.issuperset(map(type, prompt)):
        return list(prompt)  # type: ignore[arg-type]
    if isinstance(prompt, tuple) and len(prompt) == 2 and isinstance(prompt[0], str) and prompt[0] in _ROLE_OF:
        return [_as_message(prompt, 0)]
    return [_as_message(item, position) for position, item in enumerate(prompt)]


def _is_known(prompt: list[Any]) -> bool:
    """Whether it is what the asking node was given, behind at most a few messages of its own: then it need not be looked at, whose length
    grows with the run. Equal objects are seen at 1 ns a message."""
    history = surroundings.get().history
    if history is None:
        return False
    own = len(prompt) - len(history)
    return 0 <= own <= _FEW and _KINDS.issuperset(map(type, prompt[:own])) and history.is_just(prompt[own:] if own else prompt)


def _as_message(item: Any, position: int) -> Message:
    match item:
        case SystemMessage() | HumanMessage() | AIMessage() | ToolMessage():
            return item
        case str():
            return HumanMessage(item)
        case (str(role), content):
            return _of_role(role, {"content": content}, position)
        case {"role": str(role)}:
            return _of_role(role, dict(item), position)
        case Mapping() if (kind := kind_of(item)) not in (None, "remove"):
            return read_message(str(kind), body_of(dict(item)))
        case Mapping():
            raise ValueError(f"message {position} has no `role`: {_shown(item)}")
    raise TypeError(f"message {position} is no message, text, pair of role and content, or dict with a role: {_shown(item)}")


def _of_role(role: str, fields: dict[str, Any], position: int) -> Message:
    if role not in _ROLE_OF:
        raise ValueError(f"message {position} has the role {role!r}; known are {', '.join(sorted(_ROLE_OF))}")
    return ListReading(Place()).message({**fields, "role": _ROLE_OF[role]}, Place(), position)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
