"""An answer that comes in several parts, each the answer of a request of its own: cut by its length, or paused by its provider."""

from __future__ import annotations

from typing import Any, Literal

from msgspec.structs import replace

from holter.messages import AIMessage, AIMessageChunk, ChunkMerger
from holter.messages.usage import UsageMetadata

Why = Literal["pause", "length", ""]
"""Why an answer may go on: its provider paused it and waits; it was cut, and the model can go on from there; it may not."""

_MOST_PAUSES = 20
"""A provider that pauses more often than that would never end."""


class Continued:
    """Takes in the deltas of every part, and gives them as those of one answer."""

    def __init__(self, most: int, *, is_echoed: bool = False) -> None:
        self._most = most
        """How often an answer that was cut is continued."""
        self._is_echoed = is_echoed
        """Whether a server says the beginning of the answer again before it goes on."""
        self._echo = self._swallowed = ""
        """What is still to be said again, and what of it was."""
        self._cuts = self._pauses = 0
        self._merger = ChunkMerger()
        self._is_empty = True
        self._blocks = self._calls = 0
        """How many blocks and calls the parts before hold."""
        self._usage: UsageMetadata | None = None
        """What the parts before cost."""
        self.begun: AIMessage | None = None
        """The answer up to this part; None in the first."""

    def take(self, chunk: AIMessageChunk) -> AIMessageChunk:
        """The delta in its place in the whole answer."""
        if self.begun is not None:
            chunk = self._placed(chunk)
        self._merger.add(chunk)
        self._is_empty = False
        return chunk

    def message(self) -> AIMessage | None:
        """What has come of the answer; None where nothing has."""
        return None if self._is_empty else self._merger.message()

    def answer(self) -> AIMessage:
        """The whole answer up to now."""
        return self._merger.message()

    def goes_on(self, why: Why) -> bool:
        """Whether a further part is asked for; then the deltas that follow are of that."""
        if why == "pause":
            self._pauses += 1
        elif why == "length":
            self._cuts += 1
        if not why or self._pauses > _MOST_PAUSES or self._cuts > self._most:
            return False
        answer = self._merger.message()
        self.begun = answer
        self._usage = answer.usage_metadata
        self._echo, self._swallowed = (answer.text if self._is_echoed else ""), ""
        self._blocks = len(answer.content) if isinstance(answer.content, list) else 1
        self._calls = len(answer.calls)
        return True

    def _placed(self, chunk: AIMessageChunk) -> AIMessageChunk:
        changes: dict[str, Any] = {}
        if self._echo and isinstance(chunk.content, str):
            changes["content"] = self._unechoed(chunk.content)
        elif isinstance(chunk.content, list):
            changes["content"] = [_moved(block, self._blocks + self._calls) for block in chunk.content]
        if chunk.tool_call_chunks:
            changes["tool_call_chunks"] = [_moved(call, self._blocks + self._calls) for call in chunk.tool_call_chunks]
        if chunk.usage_metadata and self._usage:
            changes["usage_metadata"] = added(self._usage, chunk.usage_metadata)
        return replace(chunk, **changes) if changes else chunk

    def _unechoed(self, text: str) -> str:
        """The text without what was said before; all of it where it turns out to say something else."""
        if self._echo.startswith(text):
            self._echo, self._swallowed = self._echo[len(text) :], self._swallowed + text
            return ""
        echo, self._echo = self._echo, ""
        return text[len(echo) :] if text.startswith(echo) else self._swallowed + text


def _moved(item: dict[str, Any], by: int) -> dict[str, Any]:
    index = item.get("index")
    return {**item, "index": index + by} if isinstance(index, int) else item


def added(one: UsageMetadata, other: UsageMetadata) -> UsageMetadata:
    """What two requests cost together."""
    total: UsageMetadata = {}
    for key in one | other:
        left, right = one.get(key), other.get(key)
        total[key] = added(left or {}, right or {}) if isinstance(left, dict) or isinstance(right, dict) else (left or 0) + (right or 0)
    return total
