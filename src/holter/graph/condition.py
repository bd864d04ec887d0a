"""The condition behind a model: to its tools, or to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from holter.errors import GraphError
from holter.messages.message import AIMessage, Message


def tools_condition(state: Any, messages_key: str = "messages") -> Literal["tools", "__end__"]:
    """ "tools" when the newest message holds calls, those that could not be read included, else END (`langgraph.prebuilt`, 1.2.24).

    `state` is a list of messages or holds one under `messages_key`. GraphError where there is no message.
    """
    messages: Any
    if isinstance(state, list):
        messages = state
    else:
        messages = state.get(messages_key) if isinstance(state, dict) else getattr(state, messages_key, None)
    if not messages:
        raise GraphError(f"tools_condition looks at the newest message, and there is none under {messages_key!r}")
    return _peek(messages[-1:])


def _peek(messages: Sequence[Message]) -> Literal["tools", "__end__"]:
    newest = messages[-1] if messages else None
    return "tools" if isinstance(newest, AIMessage) and newest.calls else "__end__"


tools_condition.holter_peek = _peek  # type: ignore[attr-defined]  # so that the engine need not copy the state for it (`Branch.peek`)
