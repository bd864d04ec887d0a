"""What every contender is given to do, the same for all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import msgspec

Item = TypeVar("Item")

PROMPT = "What is the weather like on my way from Hangzhou to Beijing?"
TOOL = "get_weather"
RESULT = ("clear, 22 degrees, light wind from the south-east, no rain is expected before the evening; " * 3)[:200]
FINAL = "It stays dry."
USAGE = {"input_tokens": 1200, "output_tokens": 20, "total_tokens": 1220}
"""What each answer says that it used."""


def arguments(step: int) -> dict[str, str]:
    """The arguments of a step's call. They differ, since a run that makes the same call again and again may be stopped for it."""
    return {"city": f"Hangzhou {step}"}


class Load(msgspec.Struct, frozen=True):
    """One run's work."""

    steps: int = 0
    """Model calls that ask for one tool call each; a last model call gives the answer."""
    model_s: float = 0.0
    """How long each model call takes."""
    tool_s: float = 0.0
    """How long each tool call takes."""
    words: int = 0
    """How many deltas a streamed answer has."""
    is_paced: bool = False
    """Whether the loop turns between two deltas, as it does where each comes from the network by itself."""

    @property
    def messages(self) -> int:
        """How many messages a run has in the end: the prompt, a call and a result for each step, the answer."""
        return 2 * self.steps + 2

    @property
    def deltas(self) -> list[str]:
        """The streamed answer's text, a word in each."""
        return [f"word{position % 100:02} " for position in range(self.words)]

    @property
    def characters(self) -> int:
        """How many characters the streamed answer has."""
        return sum(map(len, self.deltas))


class Script(Generic[Item]):
    """The answers of a run. A function of the history's length gives them, so one serves any number of runs.

    Where the model takes no time they are made once, ahead, so that nobody's figure holds what making them costs. Where it takes
    time each is made anew: runs that share their messages would need less memory than real ones.
    """

    def __init__(self, load: Load, call: Callable[[int], Item], final: Callable[[], Item]) -> None:
        """`call` makes the answer of a step, which asks for the tool, `final` the last one."""
        self._load, self._call, self._final = load, call, final
        self._made = [] if load.model_s else [self._make(step) for step in range(load.steps + 1)]

    async def answer(self, messages: int) -> Item:
        """The answer to a history of so many messages."""
        if not self._load.model_s:
            return self._made[messages // 2]
        await asyncio.sleep(self._load.model_s)
        return self._make(messages // 2)

    def _make(self, step: int) -> Item:
        return self._call(step) if step < self._load.steps else self._final()


def weather(load: Load) -> Callable[[str], Awaitable[str]]:
    """The function that is everybody's tool."""

    async def get_weather(city: str) -> str:  # noqa: ARG001 - what it does is the same for all cities
        """The weather in a city."""
        if load.tool_s:
            await asyncio.sleep(load.tool_s)
        return RESULT

    return get_weather


async def played(items: Sequence[Item], load: Load) -> AsyncIterator[Item]:
    """The deltas as a model's stream brings them."""
    for item in items:
        if load.is_paced:
            await asyncio.sleep(0)
        yield item
