import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import pytest

from holter.errors import NoAnswer
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, ToolSpec
from holter.models import ChatModel, ModelRequest

ADD, FIND = ToolSpec("add"), ToolSpec("find")
user = ContextVar("user", default="nobody")


class Echo(ChatModel):
    """Says what it was asked, and by whom; the message alone is written."""

    name = "echo"

    async def generate(self, request: ModelRequest) -> AIMessage:
        await asyncio.sleep(0)
        return AIMessage(f"{request.messages[-1].text} {user.get()}", id="m", response_metadata=dict(request.settings))


class Stream(ChatModel):
    """Says what it was asked, character by character; the deltas alone are written."""

    name = "stream"
    left = 0

    async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        try:
            for character in request.messages[-1].text:
                await asyncio.sleep(0)
                yield AIMessageChunk(character)
        finally:
            Stream.left += 1


async def collected(model: ChatModel, prompt: str) -> list[AIMessageChunk]:
    return [chunk async for chunk in model.astream(prompt)]


def test_generate_is_enough() -> None:
    """A model that answers whole streams its answer as one delta."""
    assert Echo().invoke("hi") == AIMessage("hi nobody", id="m")
    assert list(Echo().stream("hi")) == [AIMessageChunk("hi nobody", id="m")]
    assert asyncio.run(collected(Echo(), "hi")) == [AIMessageChunk("hi nobody", id="m")]


def test_chunks_are_enough() -> None:
    """A model that streams answers with what its deltas make together."""
    assert Stream().invoke("hi") == AIMessage("hi")
    assert list(Stream().stream("hi")) == [AIMessageChunk("h"), AIMessageChunk("i")]
    assert asyncio.run(Stream().ainvoke("hi")) == AIMessage("hi")


def test_neither_is_not() -> None:
    """A class without either says so, in place of asking itself for ever."""
    with pytest.raises(TypeError, match="ChatModel is no model yet: it must implement `generate` or `chunks`"):
        ChatModel().invoke("hi")
    with pytest.raises(TypeError):
        list(ChatModel().stream("hi"))


def test_an_empty_stream() -> None:
    """A stream without a delta is no answer."""
    with pytest.raises(NoAnswer, match="stream answered nothing: its stream ended without a chunk") as raised:
        Stream().invoke("")
    assert raised.value.model == "stream"


def test_inside_a_running_loop() -> None:
    """A notebook runs a loop; `invoke` and `stream` work there, too, and see the context variables of their caller."""

    async def cell() -> tuple[AIMessage, list[AIMessageChunk]]:
        user.set("ann")
        return Echo().invoke("hi"), list(Stream().stream("hi"))

    assert asyncio.run(cell()) == (AIMessage("hi ann", id="m"), [AIMessageChunk("h"), AIMessageChunk("i")])


def test_errors_arrive() -> None:
    """What a model raises in its own thread is raised where it was asked, behind the deltas that came before."""

    class Broken(ChatModel):
        async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
            yield AIMessageChunk("h")
            raise ConnectionError("gone")

    stream = Broken().stream("hi")
    assert next(stream) == AIMessageChunk("h")
    with pytest.raises(ConnectionError, match="gone"):
        next(stream)

    async def cell() -> None:
        Broken().invoke("hi")

    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(cell())


def test_a_stream_that_is_left() -> None:
    """Whoever leaves a stream ends it: nothing goes on in the background."""
    ended = asyncio.Event()

    class Endless(ChatModel):
        async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
            try:
                while True:
                    yield AIMessageChunk("x")
                    await asyncio.sleep(0.001)
            finally:
                ended.set()

    stream = Endless().stream("hi")
    assert next(stream) == AIMessageChunk("x")
    stream.close()  # type: ignore[attr-defined]  # an iterator made by `yield`

    async def wait() -> None:
        while not ended.is_set():
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(wait(), 5))


def test_binding() -> None:
    """What is bound is asked with; the model itself stays as it was, and a later binding changes only what it names."""
    model = Echo()
    bound = model.bind_tools([ADD, FIND], tool_choice="any", parallel_tool_calls=False, strict=True, temperature=0)
    asked = [HumanMessage("hi")]
    specs = [ToolSpec("add", strict=True), ToolSpec("find", strict=True)]
    assert bound.request(asked) == ModelRequest(asked, specs, "required", False, {"temperature": 0})
    again = bound.bind(tool_choice="find", response_format={"type": "object"}, seed=7)
    assert again.request(asked) == ModelRequest(asked, specs, "find", False, {"temperature": 0, "seed": 7}, {"type": "object"})
    assert model.request(asked) == ModelRequest(asked)
    assert type(bound) is Echo


def test_a_choice_that_is_not_offered() -> None:
    """A choice must stay possible when the tools change."""
    bound = Echo().bind_tools([ADD], tool_choice="add")
    with pytest.raises(ValueError, match="tool_choice is one of auto, none, required, or a tool that is offered"):
        bound.bind_tools([FIND])


def test_options_for_one_time() -> None:
    """Options of a call count for it alone; LangChain's second argument, a config, is taken and changes nothing."""
    model = Echo().bind(temperature=0)
    config: dict[str, Any] = {"tags": []}
    assert model.invoke("hi", config, stop=["x"]).response_metadata == {"temperature": 0, "stop": ["x"]}
    assert model.invoke("hi").response_metadata == {"temperature": 0}
    assert asyncio.run(model.ainvoke("hi", temperature=1)).response_metadata == {"temperature": 1}


def test_repr() -> None:
    """A model shows its kind and name."""
    assert repr(Echo()) == "Echo('echo')"
