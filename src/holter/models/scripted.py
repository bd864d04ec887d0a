"""A model that says what a script says: for tests, examples and measurements, in the place of a mock."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from inspect import isawaitable
from threading import Lock
from typing import Any, Literal, Self, TypeAlias

from holter.errors import NoAnswer, StreamCut
from holter.messages import AIMessage, AIMessageChunk, ChunkMerger, Conversation, Message, approximate_tokens
from holter.messages.usage import UsageMetadata, count
from holter.models.answer import Answer, Says, account, read_answer
from holter.models.base import ChatModel
from holter.models.delta import PieceSize, check_size, deltas
from holter.models.drive import block_on, drive, drive_each, each
from holter.models.request import ModelRequest

Script: TypeAlias = Iterable[Says | Answer] | Callable[[ModelRequest], Any]
"""Answers, in order; or a function of the request, sync or async, that gives one."""


class ScriptedModel(ChatModel):
    """Plays a list of answers in order, or asks a function for each. Several runs may use one model: no answer is played twice.

    `chunk` is how much text a delta holds; `delay_s` how long the model thinks before each answer. Messages without usage are given
    `usage`: "approximate" counts a quarter of the bytes, None leaves them without. `keep` is how many of the latest requests
    `requests` holds, all when None.
    """

    def __init__(
        self,
        answers: Script,
        *,
        name: str = "scripted",
        window_tokens: int | None = None,
        chunk: PieceSize = "word",
        delay_s: float = 0.0,
        usage: UsageMetadata | Literal["approximate"] | None = "approximate",
        keep: int | None = None,
    ) -> None:
        self.name = name
        self.window_tokens = window_tokens
        self.chunk = check_size(chunk)
        self.delay_s = delay_s
        self.usage = usage
        self._player = _Player(answers, name, keep)

    @classmethod
    def of(cls, recording: Conversation | Sequence[Message], **options: Any) -> Self:
        """A model that says again what the model of a recording said: its messages in order, with their ids, whatever it is asked."""
        messages = recording.messages if isinstance(recording, Conversation) else recording
        return cls([message for message in messages if isinstance(message, AIMessage)], **{"usage": None, **options})

    @property
    def requests(self) -> list[ModelRequest]:
        """What the model and its bound copies were asked, oldest first."""
        return self._player.requests

    async def generate(self, request: ModelRequest) -> AIMessage:
        return await self._generate(*self._player.next(request), request)

    async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        async for chunk in self._chunks(*self._player.next(request), request):
            yield chunk

    def generate_here(self, request: ModelRequest) -> AIMessage:
        at, given = self._player.next(request)
        body = self._generate(at, given, request)
        return block_on(body) if self._waits(given) else drive(body)

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        at, given = self._player.next(request)
        body = self._chunks(at, given, request)
        yield from each(body) if self._waits(given) else drive_each(body)

    def _waits(self, given: Any) -> bool:
        """Whether the answer needs a loop."""
        answer = given if isinstance(given, Answer) else Answer(given)
        delay_s = self.delay_s if answer.delay_s is None else answer.delay_s
        return delay_s > 0 or isawaitable(given) or isinstance(answer.says, AsyncIterable)

    async def _generate(self, at: int, given: Any, request: ModelRequest) -> AIMessage:
        answer = await self._answer(at, given)
        if isinstance(answer.says, AIMessage) and answer.cut_after is None:
            return self._counted(answer.says, request)
        merger = ChunkMerger()
        async for chunk in self._deltas(answer, request):
            merger.add(chunk)
        return merger.message()

    async def _chunks(self, at: int, given: Any, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        async for chunk in self._deltas(await self._answer(at, given), request):
            yield chunk

    async def _answer(self, at: int, given: Any) -> Answer:
        """The answer, once its time has come; raises it where it is an exception."""
        answer: Answer = read_answer(await given if isawaitable(given) else given, at, self.name) if self._player.is_function else given
        delay_s = self.delay_s if answer.delay_s is None else answer.delay_s
        if delay_s > 0:
            await asyncio.sleep(delay_s)
        if isinstance(answer.says, BaseException):
            raise answer.says
        return answer

    async def _deltas(self, answer: Answer, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        """The answer's deltas up to where the stream dies."""
        came: list[AIMessageChunk] = []
        position = 0
        async with aclosing(self._uncut(answer, request)) as uncut:
            async for chunk in uncut:
                if answer.cut_after is not None:
                    if position == answer.cut_after:
                        break
                    came.append(chunk)
                position += 1
                yield chunk
        if answer.cut_after == position:
            raise self._cut(came)
        if not position:
            raise NoAnswer(f"{self.name} answered nothing: its stream ended without a chunk", model=self.name)

    async def _uncut(self, answer: Answer, request: ModelRequest) -> AsyncGenerator[AIMessageChunk, None]:
        says: Any = answer.says
        if isinstance(says, AIMessage):
            says = deltas(self._counted(says, request), answer.chunk or self.chunk)
        if isinstance(says, AsyncIterable):
            async for chunk in says:
                yield chunk
        else:
            for chunk in says:
                yield chunk
        if isinstance(answer.says, AsyncIterable | Iterator) and (answer.usage or answer.finish_reason):
            yield account(answer)

    def _cut(self, came: list[AIMessageChunk]) -> StreamCut:
        merger = ChunkMerger()
        for chunk in came:
            merger.add(chunk)
        return StreamCut(
            f"the stream of {self.name} ended after {len(came)} chunks, in the middle of the answer",
            partial=merger.message() if came else None,
            model=self.name,
        )

    def _counted(self, message: AIMessage, request: ModelRequest) -> AIMessage:
        if message.usage_metadata is not None or self.usage is None:
            return message
        counted = approximate_usage(request.messages, message) if self.usage == "approximate" else self.usage
        return message.replace(usage_metadata=counted)


def approximate_usage(asked: Sequence[Message], answer: AIMessage) -> UsageMetadata:
    """About what the answer to these messages costs: what the latest answer that says so came to, and what stands behind it.

    So it costs the new messages and not the whole history; one that was cut in front counts as if it were whole.
    """
    tokens = 0
    for message in reversed(asked):
        if isinstance(message, AIMessage) and message.usage_metadata and (known := count(message.usage_metadata.get("total_tokens"))):
            tokens += known
            break
        tokens += approximate_tokens(message)
    made = approximate_tokens(answer)
    return {
        "input_tokens": tokens,
        "output_tokens": made,
        "total_tokens": tokens + made,
        "input_token_details": {},
        "output_token_details": {},
    }


class _Player:
    """Where a script stands. Bound copies of a model share it."""

    def __init__(self, script: Script, model: str, keep: int | None) -> None:
        self.is_function = callable(script)
        """Whether the answers are what a function gives, as it gives it."""
        self._model = model
        self._lock = Lock()
        self._played = 0
        self._requests: deque[ModelRequest] = deque(maxlen=keep)
        self._function: Callable[[ModelRequest], Any] | None = None
        self._answers: Iterator[Answer] = iter(())
        if callable(script):
            self._function = script
        elif isinstance(script, str | Mapping | AIMessage | Answer) or not isinstance(script, Iterable):
            raise TypeError(f"a script is a list of answers, or a function of the request, found {script!r}")
        else:
            answers = (read_answer(given, at, model) for at, given in enumerate(script))
            self._answers = iter(list(answers)) if isinstance(script, Sequence) else answers

    @property
    def requests(self) -> list[ModelRequest]:
        with self._lock:
            return list(self._requests)

    def next(self, request: ModelRequest) -> tuple[int, Any]:
        """The position of the next answer, and it, or what the function gave for it. NoAnswer where the script is over."""
        with self._lock:
            self._requests.append(request)
            answer = None if self._function else next(self._answers, None)
            if answer is None and not self._function:
                raise NoAnswer(self._over(request), model=self._model)
            at, self._played = self._played, self._played + 1
        return at, self._function(request) if self._function else answer

    def _over(self, request: ModelRequest) -> str:
        over = f"the script of {self._model} is over after {self._played} {'answer' if self._played == 1 else 'answers'}"
        if not request.messages:
            return f"{over}, and it was asked without any message"
        last = request.messages[-1]
        text = last.text if len(last.text) <= 100 else f"{last.text[:100]}…"
        return (
            f"{over}: message {len(request.messages) - 1}, of the kind {last.type!r}, was to be answered: {text!r}. "
            "Add an answer for it, or give a function of the request"
        )
