"""Pydantic AI: an agent with one plain tool around its own FunctionModel."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pydantic_ai import Agent  # type: ignore[import-not-found]
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # type: ignore[import-not-found]
from pydantic_ai.models.function import FunctionModel  # type: ignore[import-not-found]
from pydantic_ai.usage import RequestUsage, UsageLimits  # type: ignore[import-not-found]

from benchmarks.contender.load import FINAL, PROMPT, TOOL, USAGE, Load, Script, arguments, played, weather


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """One `Agent.run`."""
    script = Script(load, call, final)

    async def answer(messages: list[Any], _: Any) -> Any:
        return await script.answer(len(messages))

    agent = Agent(FunctionModel(answer), tools=[weather(load)])
    limits = UsageLimits(request_limit=None)

    async def run() -> int:
        return len((await agent.run(PROMPT, usage_limits=limits)).all_messages())

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """One `Agent.run_stream`, its text taken delta by delta."""
    deltas = load.deltas

    async def answer(*_: Any) -> AsyncIterator[str]:
        async for delta in played(deltas, load):
            yield delta

    agent = Agent(FunctionModel(stream_function=answer), tools=[weather(load)])

    async def read() -> int:
        count = 0
        async with agent.run_stream(PROMPT) as stream:
            async for delta in stream.stream_text(delta=True, debounce_by=None):
                count += len(delta)
        return count

    return read


def call(step: int) -> Any:
    """The answer that asks for the tool. It says what it used, or FunctionModel would count the whole history for it."""
    asked = ToolCallPart(TOOL, arguments(step), tool_call_id=f"call_{step}")
    return ModelResponse([asked], usage=RequestUsage(input_tokens=USAGE["input_tokens"], output_tokens=USAGE["output_tokens"]))


def final() -> Any:
    """The last answer."""
    return ModelResponse([TextPart(FINAL)], usage=RequestUsage(input_tokens=USAGE["input_tokens"], output_tokens=USAGE["output_tokens"]))
