"""Models that somebody writes wrong are told so by name, whichever way they are asked."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from holter.agent import Agent
from holter.messages import AIMessage, AIMessageChunk
from holter.models import ChatModel, ModelRequest
from tests.agent.ways import WAYS, Way


class Text(ChatModel):
    """Answers with text."""

    async def generate(self, request: ModelRequest) -> Any:
        return "hi"


class TextDeltas(ChatModel):
    """Streams text."""

    async def chunks(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield "hi"


class Plain(ChatModel):
    """Does not answer asynchronously."""

    def generate(self, request: ModelRequest) -> Any:
        return AIMessage("hi")


class PlainDeltas(ChatModel):
    """Does not stream asynchronously."""

    def chunks(self, request: ModelRequest) -> Any:
        return self._each()

    def _each(self) -> Iterator[AIMessageChunk]:
        yield AIMessageChunk("hi")


class Listed(ChatModel):
    """Streams nothing, but returns a list."""

    async def chunks(self, request: ModelRequest) -> Any:  # type: ignore[override]  # what is tested
        return [AIMessageChunk("hi")]


class _Deltas:
    """An iterator that cannot be closed, as a protocol of two methods allows."""

    def __init__(self) -> None:
        self._left = ["h", "i"]

    def __aiter__(self) -> "_Deltas":
        return self

    async def __anext__(self) -> AIMessageChunk:
        if not self._left:
            raise StopAsyncIteration
        return AIMessageChunk(self._left.pop(0))


class Iterated(ChatModel):
    """Streams by an iterator of its own."""

    def chunks(self, request: ModelRequest) -> Any:
        return _Deltas()


WRONG = [
    (Text, "Text answered with str; a model gives an AIMessage"),
    (TextDeltas, "TextDeltas streamed str; the deltas of a model are AIMessageChunk"),
    (Plain, r"Plain\.generate is not asynchronous; write it as `async def generate\(self, request\)`"),
    (PlainDeltas, r"PlainDeltas\.chunks gives no asynchronous stream; write it as `async def chunks\(self, request\)` with `yield`"),
    (Listed, r"Listed\.chunks gives no asynchronous stream"),
]


@pytest.mark.parametrize(("model", "text"), WRONG)
@pytest.mark.parametrize("way", WAYS)
def test_an_agent_names_a_model_that_is_wrong(model: type[ChatModel], text: str, way: Way) -> None:
    """However the agent is run."""
    with pytest.raises(TypeError, match=text):
        way(Agent(model()), "go")


@pytest.mark.parametrize(("model", "text"), WRONG)
def test_a_program_that_asks_it_is_told_so(model: type[ChatModel], text: str) -> None:
    """In both worlds, whole and in deltas."""

    async def read() -> list[AIMessageChunk]:
        return [chunk async for chunk in model().astream("go")]

    for ask in (
        lambda: model().invoke("go"),
        lambda: asyncio.run(model().ainvoke("go")),
        lambda: list(model().stream("go")),
        lambda: asyncio.run(read()),
    ):
        with pytest.raises(TypeError, match=text):
            ask()


def test_an_iterator_without_aclose(way: Way) -> None:
    """Nothing more is asked of a stream than that it can be read."""
    assert way(Agent(Iterated()), "go").answer == "hi"


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run an agent."""
    chosen: Way = request.param
    return chosen
