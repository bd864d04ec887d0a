"""What a model has to give, held against what it gives: models are written by anybody, and an error names the one that is wrong."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable
from inspect import isawaitable, iscoroutine
from types import CoroutineType
from typing import Any, Protocol

from holter.messages import AIMessage, AIMessageChunk
from holter.models.request import ModelRequest


class Answers(Protocol):
    """What anybody may have written as a model."""

    name: str

    def generate(self, request: ModelRequest) -> Any: ...

    def chunks(self, request: ModelRequest) -> Any: ...


def checked_answer(made: Any, model: Answers) -> AIMessage:
    """The answer. TypeError where it is none."""
    if not isinstance(made, AIMessage):
        raise TypeError(f"{_name(model)} answered with {type(made).__name__}; a model gives an AIMessage")
    return made


def checked_delta(made: Any, model: Answers) -> AIMessageChunk:
    """The delta. TypeError where it is none."""
    if made.__class__ is not AIMessageChunk and not isinstance(made, AIMessageChunk):
        raise TypeError(f"{_name(model)} streamed {type(made).__name__}; the deltas of a model are AIMessageChunk")
    return made


async def answered(model: Answers, request: ModelRequest) -> AIMessage:
    """What `generate` answers. TypeError where it does not do what it has to."""
    return checked_answer(await answering(model, request), model)


def answering(model: Answers, request: ModelRequest) -> Awaitable[Any]:
    """What is to be awaited for an answer, which `checked_answer` looks at. TypeError where there is nothing to await."""
    made: Any = model.generate(request)
    if made.__class__ is not CoroutineType and not isawaitable(made):
        raise TypeError(f"{_name(model)}.generate is not asynchronous; write it as `async def generate(self, request)`")
    return made


async def streamed(model: Answers, request: ModelRequest) -> AsyncGenerator[AIMessageChunk, None]:
    """What `chunks` streams. TypeError where it does not do what it has to."""
    made = streaming(model, request)
    try:
        async for chunk in made:
            yield checked_delta(chunk, model)
    finally:
        await close(made)


def streaming(model: Answers, request: ModelRequest) -> AsyncIterable[Any]:
    """The stream itself, which `close` ends, and whose deltas `checked_delta` looks at. TypeError where there is none."""
    made: Any = model.chunks(request)
    if not hasattr(made, "__aiter__"):
        if iscoroutine(made):
            made.close()
        raise TypeError(f"{_name(model)}.chunks gives no asynchronous stream; write it as `async def chunks(self, request)` with `yield`")
    return made  # type: ignore[no-any-return]


async def close(stream: AsyncIterable[Any]) -> None:
    """Ends a stream that may not have come to its end."""
    if (end := getattr(stream, "aclose", None)) is not None:
        await end()


def _name(model: Answers) -> str:
    return model.name or type(model).__name__
