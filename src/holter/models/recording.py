"""Recorded conversations as one tree: those that begin alike share their beginning, and part where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeAlias

from msgspec.structs import asdict

from holter.messages import AIMessage, Message
from holter.messages.calls import as_json_text

Parts: TypeAlias = Mapping[str, Any]
"""What of a message is compared, by name."""

Compared: TypeAlias = Callable[[Message], Parts]


def said(message: Message) -> Parts:
    """What a model sees of a message: text, calls, and blocks that are neither. No ids, no names, no metadata, and no reasoning."""
    calls = message.calls if isinstance(message, AIMessage) else []
    content = message.content if isinstance(message.content, list) else []
    return {
        "text": message.text,
        "calls": [[call.get("name"), call.get("args")] for call in calls],
        "content beside the text": [block for block in content if _kind(block) not in _NOT_SAID],
    }


def everything(message: Message) -> Parts:
    """All fields of a message."""
    return asdict(message)


_NOT_SAID = frozenset({"text", "reasoning", "tool_call"})


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else "text"


class Node:
    """One recorded message, and those that were recorded right behind it. The root has no message."""

    def __init__(self, message: Message | None = None) -> None:
        self.message = message
        self.following: dict[str, Node] = {}
        """Key of a message -> its node, in the order of the recording."""
        self.answers: dict[str, AIMessage] = {}
        """The answers that were recorded behind it, in that order; those that are equal in every field, as in snapshots, are one."""
        self.played = 0
        """How many answers were given here."""


class Recording:
    """What was said after what. `compared` says which parts of two messages must be equal for them to be the same one."""

    def __init__(self, histories: Iterable[Sequence[Message]], compared: Compared) -> None:
        self._compared = compared
        self._root = Node()
        self._lock = Lock()
        for history in histories:
            node = self._root
            for message in history:
                if isinstance(message, AIMessage):
                    node.answers.setdefault(_text(everything(message)), message)
                node = node.following.setdefault(self._key(message), Node(message))

    def find(self, asked: Sequence[Message]) -> tuple[Node, int]:
        """The node that the messages lead to, and how many of them were followed: all, or up to the first that was not recorded there."""
        node = self._root
        for position, message in enumerate(asked):
            following = node.following.get(self._key(message))
            if following is None:
                return node, position
            node = following
        return node, len(asked)

    def next_answer(self, node: Node) -> AIMessage | None:
        """The next of the answers that were recorded at a node; the last one again, when all were given. None where there is none."""
        answers = list(node.answers.values())
        if not answers:
            return None
        with self._lock:
            at, node.played = node.played, node.played + 1
        return answers[min(at, len(answers) - 1)]

    def difference(self, asked: Message, node: Node) -> str:
        """How a message differs from what was recorded behind a node, as a clause."""
        recorded = [following.message for following in node.following.values() if following.message is not None]
        if not recorded:
            return f"the recording ends before it, and {_shown(asked)} was asked"
        nearest = next((message for message in recorded if message.type == asked.type), recorded[0])
        others = f"; {len(recorded) - 1} more stand there" if len(recorded) > 1 else ""
        if nearest.type != asked.type:
            return f"{_shown(asked)} was asked, where {_shown(nearest)} was recorded{others}"
        theirs, ours = self._compared(nearest), self._compared(asked)
        name = next((name for name in ours if _text(ours[name]) != _text(theirs[name])), "content")
        return f"{_apart(_text(ours[name]), _text(theirs[name]), name)}{others}"

    def _key(self, message: Message) -> str:
        return f"{message.type} {_text(self._compared(message))}"


def _text(value: Any) -> str:
    """The value as text, the same for equal values."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except (RecursionError, TypeError, ValueError):
        return as_json_text(value)


_SHOWN = 60
"""Characters that are shown of a text."""


def _apart(asked: str, recorded: str, name: str) -> str:
    """Both texts of one part around the first character that differs."""
    at = next((i for i, (a, b) in enumerate(zip(asked, recorded, strict=False)) if a != b), min(len(asked), len(recorded)))
    start = max(0, at - _SHOWN // 3)
    where = f", from character {start} on" if start else ""
    return f"{_cut(asked[start:])} was asked, {_cut(recorded[start:])} was recorded ({name}{where})"


def _shown(message: Message) -> str:
    """The message's kind and how it begins."""
    calls = [str(call.get("name")) for call in message.calls] if isinstance(message, AIMessage) else []
    said = f"calls of {', '.join(calls)}" if calls and not message.text else _cut(message.text)
    return f"a message of the kind {message.type!r} ({said})"


def _cut(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
