"""LangGraph: a graph built by hand, as its documentation does, without a checkpointer, around a chat model that plays answers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import PrivateAttr

from benchmarks.contender.load import FINAL, PROMPT, TOOL, USAGE, Load, Script, arguments, played, weather


class PlayedModel(BaseChatModel):
    """Gives prepared answers. They are no fields of it: LangChain writes out a model's fields when it is first asked."""

    _load: Load = PrivateAttr()
    _script: Script[AIMessage] = PrivateAttr()

    def __init__(self, load: Load) -> None:
        super().__init__()
        self._load = load
        self._script = Script(load, call, final)

    @property
    def _llm_type(self) -> str:
        return "played"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("only asked asynchronously")

    async def _agenerate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self._script.answer(len(messages)))])


class StreamedModel(PlayedModel):
    """Gives prepared deltas, too."""

    _chunks: list[ChatGenerationChunk] = PrivateAttr()

    def __init__(self, load: Load) -> None:
        super().__init__(load)
        self._chunks = [ChatGenerationChunk(message=AIMessageChunk(content=delta, id="answer")) for delta in load.deltas]

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in played(self._chunks, self._load):
            yield chunk


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """One `ainvoke`."""
    graph = graph_of(load, PlayedModel(load))
    config = {"recursion_limit": 2 * load.steps + 10}

    async def run() -> int:
        return len((await graph.ainvoke({"messages": [HumanMessage(PROMPT)]}, config))["messages"])

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """One `astream` of the messages' deltas."""
    graph = graph_of(load, StreamedModel(load))

    async def read() -> int:
        count = 0
        async for chunk, _ in graph.astream({"messages": [HumanMessage(PROMPT)]}, stream_mode="messages"):
            count += len(chunk.content)
        return count

    return read


@asynccontextmanager
async def keeper(load: Load, folder: Path, sync: str) -> AsyncIterator[Callable[[], Awaitable[int]]]:
    """One `ainvoke` on a thread of its own, kept in a file. Its checkpointer leaves SQLite's own `synchronous` as it is: FULL flushes at
    each commit, NORMAL is what "effects" is here."""
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        await saver.setup()
        await saver.conn.execute(f"PRAGMA synchronous = {'FULL' if sync == 'disk' else 'NORMAL'}")
        graph = graph_of(load, PlayedModel(load), saver)

        async def run() -> int:
            config: Any = {"recursion_limit": 2 * load.steps + 10, "configurable": {"thread_id": uuid4().hex}}
            return len((await graph.ainvoke({"messages": [HumanMessage(PROMPT)]}, config))["messages"])

        yield run


def graph_of(load: Load, model: PlayedModel, saver: Any = None) -> Any:
    """The graph, compiled."""

    async def llm(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("llm", llm)
    graph.add_node("tools", ToolNode([StructuredTool.from_function(coroutine=weather(load), name=TOOL)]))
    graph.add_edge(START, "llm")
    graph.add_conditional_edges("llm", tools_condition)
    graph.add_edge("tools", "llm")
    return graph.compile(checkpointer=saver)


def call(step: int) -> AIMessage:
    """The answer that asks for the tool."""
    asked = {"name": TOOL, "args": arguments(step), "id": f"call_{step}", "type": "tool_call"}
    return AIMessage("", id=f"answer_{step}", tool_calls=[asked], usage_metadata=cast("UsageMetadata", USAGE))


def final() -> AIMessage:
    """The last answer."""
    return AIMessage(FINAL, id="answer", usage_metadata=cast("UsageMetadata", USAGE))
