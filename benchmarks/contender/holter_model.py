"""The model that Holter's contenders are given, the counterpart of the others': it plays answers."""

from collections.abc import AsyncIterator

from benchmarks.contender.load import FINAL, TOOL, USAGE, Load, Script, arguments, played
from holter.messages import AIMessage, AIMessageChunk
from holter.messages.usage import UsageMetadata
from holter.models.base import ChatModel
from holter.models.request import ModelRequest


class PlayedModel(ChatModel):
    """Gives prepared answers and prepared deltas."""

    name = "played"

    def __init__(self, load: Load) -> None:
        self._load = load
        self._script = Script(load, call, final)
        self._chunks = [AIMessageChunk(delta, id="answer") for delta in load.deltas]

    async def generate(self, request: ModelRequest) -> AIMessage:
        """The answer to a history of that length."""
        return await self._script.answer(len(request.messages))

    def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:  # noqa: ARG002 - the same for any
        """The long answer."""
        return played(self._chunks, self._load)


def call(step: int) -> AIMessage:
    """The answer that asks for the tool."""
    asked = {"name": TOOL, "args": arguments(step), "id": f"call_{step}", "type": "tool_call"}
    return AIMessage("", id=f"answer_{step}", tool_calls=[asked], usage_metadata=UsageMetadata(**USAGE))


def final() -> AIMessage:
    """The last answer."""
    return AIMessage(FINAL, id="answer", usage_metadata=UsageMetadata(**USAGE))
