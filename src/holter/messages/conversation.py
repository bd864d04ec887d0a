"""What a format reader returns: messages, the tools that were offered, and where each message stood in the source."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import msgspec

from holter.messages.finding import Finding
from holter.messages.message import Message
from holter.messages.spec import ToolSpec


class Place(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where something stood in its source."""

    index: int | None = None
    """Position in the source's own list (messages, contents, input, chunks), 0-based; None where there is no list."""
    path: str = ""
    """JSON path inside the record: "messages[3].content[0]"; empty for plain text."""
    line: int | None = None
    """Line in the source, from 1; None when only the path is known."""
    column: int | None = None
    """Column in that line, in characters, from 1."""


class ListPlaces(Sequence[Place]):
    """The places of messages that stood one after another in one list: made when asked for, since most readers' callers never ask.

    `path` is the list's own JSON path, `start` the position of the first message in it; `line` is that of all of them. Equal to any
    sequence of the same places; a slice is a list.
    """

    __slots__ = ("_count", "_line", "_path", "_start")

    def __init__(self, path: str, count: int, line: int | None = None, start: int = 0) -> None:
        self._path, self._count, self._line, self._start = path, count, line, start

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self._count))]
        at = index(i)
        at += self._count if at < 0 else 0
        if not 0 <= at < self._count:
            raise IndexError(i)
        return Place(index=self._start + at, path=f"{self._path}[{self._start + at}]", line=self._line)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"ListPlaces({self._path!r}, {self._count}, line={self._line}, start={self._start})"


class Shared(msgspec.Struct, frozen=True):
    """A beginning that this conversation has in common with an earlier one of the same source."""

    conversation: int
    """Position of the earlier conversation, 0-based."""
    messages: int
    """How many messages both begin with."""


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One record, request or snapshot of a source, normalised."""

    format: str
    """The format's name: "openai.chat"."""
    messages: list[Message]
    """Oldest first."""
    tools: list[ToolSpec] = []
    """The tools that were offered to the model; empty when none were or when the source does not say (`tools_known`)."""
    tools_known: bool = False
    """Whether the source says which tools were offered, so that an empty list means none."""
    places: Sequence[Place] = ()
    """Where each message stood, in the order of `messages`."""
    findings: list[Finding] = []
    """What could not be read, or only in part; `conversation` is this one's own position."""
    source: str | None = None
    """The file's name, or None for text and standard input."""
    position: int = 0
    """Position of this conversation in its source, 0-based."""
    place: Place = Place()
    """Where the conversation begins in its source."""
    extra: dict[str, Any] = {}
    """What else the record held: request settings, a body's id and usage, a benchmark's reward, …"""
    events: Sequence[Any] = ()
    """What happened in the runs behind it, where the source tells: entries of Holter's journal, oldest first."""
    shared: Shared | None = None
    """The beginning it has in common with an earlier conversation, where there is one."""

    def head(self, count: int) -> Conversation:
        """The first `count` messages, or all when there are fewer: a snapshot. Findings about later messages are left out, and what it
        shares with an earlier conversation ends with it. ValueError when `count` is negative."""
        if count < 0:
            raise ValueError(f"a snapshot is the first n messages, n from 0; {count} was asked for")
        kept = [f for f in self.findings if f.message is None or f.message < count]
        shared = Shared(self.shared.conversation, min(self.shared.messages, count)) if self.shared and count else None
        return msgspec.structs.replace(self, messages=self.messages[:count], places=self.places[:count], findings=kept, shared=shared)
