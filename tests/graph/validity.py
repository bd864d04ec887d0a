"""What providers demand of a history, told from the messages and from the wire, and what a run may leave behind."""

import asyncio
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from holter import write
from holter.messages import AIMessage, Conversation, Message, ToolMessage, sendable

_IDLE = ("_work",)
"""What a worker thread does that waits for work."""
_KEPT = ("holter-lease", "holter-journal")
"""Threads that stay: one renews leases, in the other journals are asked that suspend."""


def check_history(messages: Sequence[Message]) -> None:
    """Fails unless the history can be sent as it is: every call is answered right behind it, once, and nothing else is."""
    assert sendable(messages) == list(messages)
    waiting: list[str | None] = []
    for position, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            assert waiting, f"message {position} answers no call that waits: {message!r}"
            assert message.tool_call_id == waiting.pop(0), f"message {position} stands at the wrong place: {message!r}"
            continue
        assert not waiting, f"message {position} stands before the results of {waiting}"
        if isinstance(message, AIMessage):
            waiting = [call["id"] for call in message.calls]
            assert len(set(waiting)) == len(waiting), f"message {position} has an id twice: {waiting}"
            assert all(waiting), f"message {position} has a call without an id: {waiting}"
    assert not waiting, f"the history ends before the results of {waiting}"
    conversation = Conversation(format="holter.journal", messages=list(messages))
    _check_openai(write(conversation, "openai").document["messages"])
    _check_anthropic(write(conversation, "anthropic").document["messages"])


def _check_openai(wire: list[dict[str, Any]]) -> None:
    """OpenAI's rule: behind an assistant message with calls stand a `tool` message for each of its ids, and nothing else."""
    waiting: set[str] = set()
    for message in wire:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        if message["role"] == "assistant":
            waiting = {call["id"] for call in message.get("tool_calls") or []}
    assert not waiting


def _check_anthropic(wire: list[dict[str, Any]]) -> None:
    """Anthropic's rule: behind `tool_use` blocks stands a user message that begins with a `tool_result` for each."""
    waiting: list[str] = []
    for message in wire:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        assert [block["type"] for block in blocks[: len(results)]] == ["tool_result"] * len(results)
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert not waiting


def busy_threads() -> list[str]:
    """The threads that do something, but for this one. Waits a second for them to come to rest."""
    patience = time.monotonic() + 1
    while (busy := _busy_now()) and time.monotonic() < patience:
        time.sleep(0.01)
    return busy


def _busy_now() -> list[str]:
    frames = sys._current_frames()
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread() and thread.name not in _KEPT]
    return [thread.name for thread in others if (frame := frames.get(thread.ident or 0)) and frame.f_code.co_name not in _IDLE]


async def other_tasks() -> list[str]:
    """The tasks of the running loop, but for this one. Waits a second for them to end."""
    patience = time.monotonic() + 1
    while (others := asyncio.all_tasks() - {asyncio.current_task()}) and time.monotonic() < patience:
        await asyncio.sleep(0)
    return [str(task.get_coro()) for task in others]
