"""A model that says again what was recorded, as long as it is asked what was asked then."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import TypeAlias

from holter.errors import TapeMismatch
from holter.formats import read
from holter.messages import AIMessage, AIMessageChunk, Conversation, Message
from holter.models.base import ChatModel
from holter.models.delta import PieceSize, check_size, deltas
from holter.models.recording import Node, Recording, everything, said
from holter.models.request import ModelRequest

Tape: TypeAlias = str | bytes | os.PathLike[str] | Conversation | Sequence[Conversation] | Sequence[Message]
"""What `formats.read` takes, or conversations, or the messages of one."""
_FORMS = "a recording is a file, what stands in one, a conversation (`run.conversation()`), several, or messages"


class TapeModel(ChatModel):
    """Plays a recording: answers a history with what was recorded behind it, and refuses any other (`TapeMismatch`).

    Histories are the same when their messages have the same kinds, texts and calls, one by one; with `strict`, when all fields are
    equal, ids and metadata too. A recording may hold several conversations and snapshots of one: what begins alike is followed
    until it parts. Where one history was answered several times, its answers come in turn, and then the last one again.
    """

    def __init__(
        self,
        recording: Tape,
        *,
        name: str = "tape",
        window_tokens: int | None = None,
        strict: bool = False,
        chunk: PieceSize = "word",
    ) -> None:
        self.name = name
        self.window_tokens = window_tokens
        self.chunk = check_size(chunk)
        histories = list(_histories(recording))
        if not any(isinstance(message, AIMessage) for history in histories for message in history):
            raise ValueError("the recording holds no answer of a model, so there is nothing to play")
        self._recording = Recording(histories, everything if strict else said)

    async def generate(self, request: ModelRequest) -> AIMessage:
        return self.generate_here(request)

    async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        for chunk in self.chunks_here(request):
            yield chunk

    def generate_here(self, request: ModelRequest) -> AIMessage:
        node, followed = self._recording.find(request.messages)
        if followed < len(request.messages):
            difference = self._recording.difference(request.messages[followed], node)
            raise self._mismatch(f"message {followed} is not what was recorded: {difference}", followed)
        answer = self._recording.next_answer(node)
        if answer is None:
            raise self._mismatch(_no_answer(node, followed), followed)
        return answer

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        yield from deltas(self.generate_here(request), self.chunk)

    def _mismatch(self, text: str, position: int) -> TapeMismatch:
        return TapeMismatch(f"the recording does not go on here: {text}", position=position, model=self.name)


def _histories(recording: Tape) -> Iterator[Sequence[Message]]:
    if isinstance(recording, str | bytes | os.PathLike):
        recording = read(recording)
    if isinstance(recording, Conversation):
        yield recording.messages
        return
    if not isinstance(recording, Iterable):
        raise TypeError(f"{_FORMS}, found {recording!r}")
    messages: list[Message] = []
    for item in recording:
        if isinstance(item, Conversation):
            yield item.messages
        elif isinstance(item, Message):
            messages.append(item)
        else:
            raise TypeError(f"{_FORMS}, found {item!r} among it")
    if messages:
        yield messages


def _no_answer(node: Node, count: int) -> str:
    kinds = dict.fromkeys(following.message.type for following in node.following.values() if following.message is not None)
    behind = f"a message of the kind {' or '.join(map(repr, kinds))} was recorded next" if kinds else "the recording ends there"
    return f"no answer was recorded behind the first {count} messages; {behind}"
