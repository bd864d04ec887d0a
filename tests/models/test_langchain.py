"""LangChain's chat models, asked as Holter asks."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage as LangChainAnswer
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool as langchain_tool

from holter.errors import KeyRefused, ModelError, ModelTimeout, RateLimited
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, merge_chunks
from holter.models import LangChainModel, load

CALL = {"name": "add", "args": {"a": 1, "b": 2}, "id": "c1", "type": "tool_call"}


@langchain_tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


class Model(BaseChatModel):
    """Keeps what it is asked; calls a tool where it has some, else says how many messages it saw."""

    model_name: str = "lc-1"
    asked: list[Any] = []
    error: Any = None

    @property
    def _llm_type(self) -> str:
        return "test"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self.bind(tools=tools, **options)

    def _said(self, messages: list[BaseMessage], options: dict[str, Any]) -> LangChainAnswer:
        if self.error:
            raise self.error
        self.asked.append((messages, options))
        usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
        calls = [CALL] if options.get("tools") else []
        return LangChainAnswer("" if calls else f"{len(messages)} messages", tool_calls=calls, usage_metadata=usage, id="m1")

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._said(messages, options))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Iterator[ChatGenerationChunk]:
        said = self._said(messages, options)
        for piece in str(said.content):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        for args in ('{"a": 1,', ' "b": 2}') if said.tool_calls else ():
            chunk: Any = {"type": "tool_call_chunk", "args": args, "index": 0, "name": None, "id": None}
            begun: Any = {"name": "add", "id": "c1"} if args.startswith("{") else {}
            pieces: Any = [{**chunk, **begun}]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=pieces))
        counts: list[Any] = [
            {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
            {"input_tokens": 0, "output_tokens": 1, "total_tokens": 1},
        ]
        for counted in counts:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=counted))


async def streamed(model: Any, prompt: Any) -> AIMessage:
    source: AsyncIterator[Any] = model.astream(prompt)
    return merge_chunks([chunk async for chunk in source])


def every_way(model: Any, prompt: Any) -> list[AIMessage]:
    return [
        model.invoke(prompt),
        merge_chunks(list(model.stream(prompt))),
        asyncio.run(model.ainvoke(prompt)),
        asyncio.run(streamed(model, prompt)),
    ]


def test_an_answer() -> None:
    """Whole and streamed, waited for and awaited; counts of deltas, which LangChain adds, are totals here."""
    model = load(Model())
    assert isinstance(model, LangChainModel)
    assert model.name == "langchain:lc-1"
    for answer in every_way(model, "Hi"):
        assert (answer.text, answer.usage_metadata and answer.usage_metadata["total_tokens"]) == ("1 messages", 5)


def test_tools() -> None:
    """A LangChain tool is offered as it is, and calls come back."""
    inner = Model()
    model = load(inner).bind_tools([add], tool_choice="required")
    for answer in every_way(model, "1 + 2?"):
        assert answer.tool_calls == [CALL]
    options = inner.asked[0][1]
    assert (options["tools"][0]["function"]["name"], options["tool_choice"]) == ("add", "any")


def test_a_history() -> None:
    """Messages arrive as LangChain's own, with calls and results; an open call is closed."""
    inner = Model()
    history: list[Any] = [
        SystemMessage("Be brief."),
        HumanMessage("1 + 2?"),
        AIMessage(tool_calls=[CALL]),
        ToolMessage("3", tool_call_id="c1"),
    ]
    load(inner).invoke([*history, AIMessage(tool_calls=[{**CALL, "id": "c2"}])], temperature=0)
    messages, options = inner.asked[0]
    assert [type(message).__name__ for message in messages] == [
        "SystemMessage",
        "HumanMessage",
        "AIMessage",
        "ToolMessage",
        "AIMessage",
        "ToolMessage",
    ]
    assert (messages[2].tool_calls[0]["args"], messages[3].tool_call_id, messages[5].tool_call_id) == ({"a": 1, "b": 2}, "c1", "c2")
    assert options["temperature"] == 0


class Refused(Exception):
    """As the clients of providers raise it."""

    def __init__(self, status: int) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status
        self.request_id = "r1"


@pytest.mark.parametrize(
    ("error", "kind"),
    [(Refused(429), RateLimited), (Refused(401), KeyRefused), (TimeoutError("slow"), ModelTimeout), (RuntimeError("odd"), ModelError)],
)
def test_errors(error: Exception, kind: type[ModelError]) -> None:
    """What it raises is the error that any model raises, with the original as its cause."""
    model = load(Model(error=error))
    for ask in (model.invoke, lambda prompt: list(model.stream(prompt)), lambda prompt: asyncio.run(model.ainvoke(prompt))):
        with pytest.raises(kind) as raised:
            ask("Hi")
        cause = raised.value.__cause__
        assert (type(cause), str(cause), raised.value.model) == (type(error), str(error), "langchain:lc-1")


def test_what_is_no_model() -> None:
    """Other things of LangChain's are none."""
    with pytest.raises(TypeError, match="a LangChain chat model was expected, found StructuredTool"):
        LangChainModel(add)
