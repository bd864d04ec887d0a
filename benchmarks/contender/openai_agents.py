"""OpenAI Agents: an agent with one function tool, tracing off, around a model that plays answers."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agents import (  # type: ignore[import-not-found]
    Agent,
    Model,
    ModelResponse,
    RawResponsesStreamEvent,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from benchmarks.contender.load import FINAL, PROMPT, TOOL, USAGE, Load, Script, arguments, played, weather

set_tracing_disabled(True)


class PlayedModel(Model):  # type: ignore[misc]
    """Gives prepared answers and prepared events of a stream."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._script = Script(load, call, final)
        self._events = events(load) if load.words else []

    async def get_response(self, *, input: Any, **_: Any) -> Any:
        return await self._script.answer(1 if isinstance(input, str) else len(input))

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        async for event in played(self._events, self._load):
            yield event


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """One `Runner.run`."""
    agent = agent_of(load)

    async def run() -> int:
        return 1 + len((await Runner.run(agent, PROMPT, max_turns=load.steps + 1)).new_items)

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """One `Runner.run_streamed`, all its events taken."""
    agent = agent_of(load)

    async def read() -> int:
        count = 0
        async for event in Runner.run_streamed(agent, PROMPT).stream_events():
            if isinstance(event, RawResponsesStreamEvent) and isinstance(event.data, ResponseTextDeltaEvent):
                count += len(event.data.delta)
        return count

    return read


def agent_of(load: Load) -> Any:
    """The agent."""
    return Agent(name="weather", model=PlayedModel(load), tools=[function_tool(weather(load), name_override=TOOL)])


def call(step: int) -> Any:
    """The answer that asks for the tool."""
    text = json.dumps(arguments(step))
    asked = ResponseFunctionToolCall(name=TOOL, arguments=text, call_id=f"call_{step}", id=f"fc_{step}", type="function_call")
    return ModelResponse(output=[asked], usage=Usage(requests=1, **USAGE), response_id=None)


def final(text: str = FINAL) -> Any:
    """The last answer."""
    said = ResponseOutputText(text=text, type="output_text", annotations=[])
    message = ResponseOutputMessage(id="msg_1", content=[said], role="assistant", status="completed", type="message")
    return ModelResponse(output=[message], usage=Usage(requests=1, **USAGE), response_id=None)


def events(load: Load) -> list[Any]:
    """The stream of the long answer: its deltas, and the event that ends it."""
    deltas = load.deltas
    response = Response(
        id="resp_1",
        created_at=0,
        model="played",
        object="response",
        output=final("".join(deltas)).output,
        parallel_tool_calls=True,
        tool_choice="auto",
        tools=[],
    )
    return [
        *(
            ResponseTextDeltaEvent(
                content_index=0,
                delta=delta,
                item_id="msg_1",
                logprobs=[],
                output_index=0,
                sequence_number=position,
                type="response.output_text.delta",
            )
            for position, delta in enumerate(deltas)
        ),
        ResponseCompletedEvent(response=response, sequence_number=len(deltas), type="response.completed"),
    ]
