"""Several models in a row: where one cannot answer, the next is asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any

import msgspec

from holter.errors import KeyRefused, ModelDown, ModelError, ModelTimeout, NoAnswer, RateLimited
from holter.messages import AIMessage, AIMessageChunk
from holter.models.background import run, run_each
from holter.models.base import ChatModel
from holter.models.request import ModelRequest
from holter.models.tries import tries

PASSED_ON = (RateLimited, ModelDown, ModelTimeout, NoAnswer, KeyRefused)
"""Errors that another model may not have. A request that is refused for what it says, or is too long, is refused by the others, too."""


class Fallen(msgspec.Struct, frozen=True):
    """That a model could not answer, and the next one is asked."""

    model: str
    next: str
    error: ModelError


class FallbackModel(ChatModel):
    """Asks its models in order, until one has begun to answer. What a model says in `response_metadata` tells which one it was."""

    def __init__(
        self,
        *models: ChatModel,
        on: tuple[type[ModelError], ...] = PASSED_ON,
        on_fallback: Callable[[Fallen], object] | None = None,
    ) -> None:
        if not models:
            raise ValueError("a fallback needs models: the first one that is asked, and those behind it")
        self.models = models
        self.name = models[0].name
        windows = [model.window_tokens for model in models if model.window_tokens is not None]
        self.window_tokens = min(windows, default=None)
        self._on = on
        self._on_fallback = on_fallback

    async def generate(self, request: ModelRequest) -> AIMessage:
        for at, model in enumerate(self.models):
            try:
                return await model.generate(request)
            except self._on as error:
                if at + 1 == len(self.models):
                    raise
                self._fall(model, self.models[at + 1], error)
        raise AssertionError("there is at least one model")

    async def chunks(self, request: ModelRequest) -> AsyncGenerator[AIMessageChunk, None]:
        for at, model in enumerate(self.models):
            has_begun = False
            try:
                async with aclosing(_generator(model.chunks(request))) as chunks:
                    async for chunk in chunks:
                        has_begun = True
                        yield chunk
                return
            except self._on as error:
                if has_begun or at + 1 == len(self.models):
                    raise
                self._fall(model, self.models[at + 1], error)

    def generate_here(self, request: ModelRequest) -> AIMessage:
        return run(self.generate(request))

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        return run_each(self.chunks(request))

    def _fall(self, model: ChatModel, following: ChatModel, error: ModelError) -> None:
        if (told := tries.get()) is not None:
            told.failed(model.name, error, None)
            told.begun(following.name)
        if self._on_fallback is not None:
            self._on_fallback(Fallen(model.name, following.name, error))


def _generator(chunks: Any) -> AsyncGenerator[AIMessageChunk, None]:
    """The chunks as something that can be closed, whatever kind of iterator a model gives."""
    return chunks if hasattr(chunks, "aclose") else _wrapped(chunks)


async def _wrapped(chunks: Any) -> AsyncGenerator[AIMessageChunk, None]:
    async for chunk in chunks:
        yield chunk
