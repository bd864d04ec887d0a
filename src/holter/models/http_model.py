"""What all models have in common that are asked over HTTP: how one is asked, and how its answer is taken in, whole or as a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

import msgspec

from holter.messages import AIMessage, AIMessageChunk
from holter.models.answer_stream import AnswerStream, Reply, message_of
from holter.models.background import run, run_each
from holter.models.base import ChatModel
from holter.models.chat_message import encoded
from holter.models.continued import Continued, Why
from holter.models.delta import whole
from holter.models.endpoint import Endpoint
from holter.models.exchange import Exchange, Terms
from holter.models.fault import Asked
from holter.models.request import ModelRequest


class Sent(msgspec.Struct, frozen=True):
    """A request as it leaves, and what takes in its answer."""

    path: str
    """Below the base URL."""
    body: dict[str, Any]
    reply: Reply
    headers: dict[str, str] = {}
    """Beside the endpoint's own."""


class HTTPModel(ChatModel):
    """A model that is asked over HTTP. A subclass says how a request is written, and when an answer goes on."""

    def __init__(
        self,
        name: str,
        model: str,
        endpoint: Endpoint,
        *,
        key_names: tuple[str, ...] = (),
        terms: Terms = Terms(),  # noqa: B008 - it is frozen
        extra_body: dict[str, Any] | None = None,
        continue_length: int = 0,
        window_tokens: int | None = None,
    ) -> None:
        self.name = name
        self.model = model
        """What the provider calls it."""
        self.window_tokens = window_tokens
        self._endpoint = endpoint
        self._key_names = key_names
        self._terms = terms
        self._extra_body = extra_body or {}
        self._continue_length = continue_length

    _is_echoed = False
    """Whether the provider says the beginning of an answer again before it goes on."""

    async def generate(self, request: ModelRequest) -> AIMessage:
        continued = Continued(self._continue_length, is_echoed=self._is_echoed)
        while True:
            answer = await self._answer(request, continued.begun)
            if continued.begun is None and not self._continues(answer, request):
                return answer
            continued.take(whole(answer))
            if not continued.goes_on(self._continues(answer, request)):
                return continued.answer()

    async def chunks(self, request: ModelRequest) -> AsyncGenerator[AIMessageChunk, None]:
        continued = Continued(self._continue_length, is_echoed=self._is_echoed)
        while True:
            sent, exchange = self._exchange(request, continued.begun, is_stream=True)
            stream: AnswerStream | None = None
            while stream is None or stream.failed is not None:
                async with exchange:
                    stream = AnswerStream(exchange, sent.reply, continued)
                    async with aclosing(stream.chunks()) as chunks:
                        async for chunk in chunks:
                            yield chunk
                if stream.failed is not None:
                    await exchange.wait_after(stream.failed)
            if not continued.goes_on(self._continues(continued.answer(), request)):
                return

    def generate_here(self, request: ModelRequest) -> AIMessage:
        return run(self.generate(request))

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        return run_each(self.chunks(request))

    # What a subclass says

    def _write(self, request: ModelRequest, begun: AIMessage | None, *, is_stream: bool) -> Sent:
        """The request; `begun` is the beginning of the answer, where the model is to go on with it."""
        raise NotImplementedError

    def _continues(self, answer: AIMessage, request: ModelRequest) -> Why:
        """Why the answer may go on."""
        raise NotImplementedError

    # One request

    async def _answer(self, request: ModelRequest, begun: AIMessage | None) -> AIMessage:
        sent, exchange = self._exchange(request, begun, is_stream=False)
        while True:
            async with exchange:
                answer = message_of(await exchange.read(), sent.reply, exchange)
            if isinstance(answer, AIMessage):
                return answer
            await exchange.wait_after(answer)

    def _exchange(self, request: ModelRequest, begun: AIMessage | None, *, is_stream: bool) -> tuple[Sent, Exchange]:
        sent = self._write(request, begun, is_stream=is_stream)
        asked = Asked(self.name, self._endpoint.url(sent.path), self._endpoint, self._key_names)
        return sent, Exchange(asked, encoded({**sent.body, **self._extra_body}), self._terms, is_stream=is_stream, headers=sent.headers)
