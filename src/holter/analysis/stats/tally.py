"""Sums over steps and conversations. What is kept does not grow with their number: sums, and the few largest of a kind."""

from __future__ import annotations

import heapq
from collections import Counter
from math import log
from typing import Any

from holter.analysis.recorded import Recorded
from holter.analysis.stats.step import NO_TIMES, CallMade, Step, Times, steps
from holter.messages import AIMessage, Conversation

_LARGEST = 5
"""Steps that are kept as the slowest, and as the biggest."""
_SHOWN_STEPS = 200
"""Steps of one conversation that are kept one by one, and the length of the growth."""


class Spread:
    """Durations: their number, sum and largest, and their distribution in steps of a fifth."""

    def __init__(self) -> None:
        self.count = 0
        self.sum_s = 0.0
        self.most_s = 0.0
        self._bins: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        """Takes in the next duration."""
        self.count += 1
        self.sum_s += seconds
        self.most_s = max(self.most_s, seconds)
        self._bins[_bin(seconds)] += 1

    def quantile(self, part: float) -> float | None:
        """The duration below which this part of them lies, exact to a tenth of itself; None without any."""
        if not self.count:
            return None
        left = part * self.count
        for number in sorted(self._bins):
            left -= self._bins[number]
            if left <= 0:
                return min(_middle(number), self.most_s)
        return self.most_s


_FIFTH = 1.2
_SHORTEST_S = 1e-5


def _bin(seconds: float) -> int:
    return int(log(seconds / _SHORTEST_S) / log(_FIFTH)) + 1 if seconds > _SHORTEST_S else 0


def _middle(number: int) -> float:
    return 0.0 if number == 0 else _SHORTEST_S * _FIFTH ** (number - 0.5)


class ToolTally:
    """Sums over the calls of one tool."""

    def __init__(self) -> None:
        self.calls = self.answered = self.failed = self.repeated = 0
        self.characters = 0
        """Of all results."""
        self.spread = Spread()


class Tally:
    """Sums over conversations, taken in one after another."""

    def __init__(self, *, priced: bool = False) -> None:
        self._priced = priced
        self.conversations = 0
        self.messages: Counter[str] = Counter()
        """Kind ("human", "ai", …) -> how many."""
        self.repeated_messages = 0
        """Messages of snapshots that an earlier conversation of the same source has, too; they are counted once."""
        self.steps = self.with_usage = self.priced = 0
        self.input_tokens = self.cached_tokens = self.output_tokens = self.reasoning_tokens = self.total_tokens = 0
        self.cost_usd = 0.0
        self.models: Counter[str] = Counter()
        """Model -> its answers."""
        self.unpriced: Counter[str] = Counter()
        """Models whose price is not known -> their answers."""
        self.tools: dict[str, ToolTally] = {}
        self.model_spread = Spread()
        self.failed_conversations = 0
        """Conversations with a finding that is an error."""
        self.model_retries = self.tool_retries = self.cache_hits = self.repairs = 0
        """Of journals only."""
        self.growth: list[list[int]] = []
        """Of each step of a conversation, by its number: [sum of input tokens, how many]."""
        self.slowest: list[tuple[float, int, Step]] = []
        self.biggest: list[tuple[int, int, Step]] = []
        self.first: list[Step] = []
        """The steps of the first conversation."""

    def add(self, given: Conversation | Recorded) -> None:
        """Takes in the next conversation, or the next thread of a journal."""
        if isinstance(given, Conversation):
            self._take(given, NO_TIMES)
            return
        self._take(given.conversation, Times(given.model_s, given.tool_s))
        self.model_retries += given.model_retries
        self.tool_retries += given.tool_retries
        self.cache_hits += given.cache_hits
        self.repairs += given.repairs

    def _take(self, conversation: Conversation, times: Times) -> None:
        start = repeated(conversation)
        self.count(conversation, start)
        for step in steps(conversation, times, priced=self._priced, start=start):
            self.add_step(step)

    def count(self, conversation: Conversation, start: int) -> None:
        """Takes in a conversation without its steps; the messages before `start` are counted already."""
        self.conversations += 1
        self.repeated_messages += start
        messages = conversation.messages
        self.messages.update([message.type for message in (messages[start:] if start else messages)])
        self.failed_conversations += any(finding.severity == "error" for finding in conversation.findings)

    def add_step(self, step: Step) -> None:
        """Takes in the next step."""
        self.steps += 1
        self.with_usage += step.has_usage
        self.input_tokens += step.input_tokens
        self.cached_tokens += step.cached_tokens
        self.output_tokens += step.output_tokens
        self.reasoning_tokens += step.reasoning_tokens
        self.total_tokens += step.total_tokens
        if step.model:
            self.models[step.model] += 1
        if step.cost_usd is not None:
            self.cost_usd += step.cost_usd
            self.priced += 1
        elif self._priced and step.has_usage:
            self.unpriced[step.model or "?"] += 1
        if step.took_s is not None:
            self.model_spread.add(step.took_s)
            _keep(self.slowest, (step.took_s, -self.steps, step))
        if step.total_tokens:
            _keep(self.biggest, (step.total_tokens, -self.steps, step))
        if step.has_usage:
            self._grow(step)
        if self.conversations <= 1 and len(self.first) < _SHOWN_STEPS:
            self.first.append(step)
        for call in step.calls:
            self.add_call(call)

    def add_call(self, call: CallMade) -> None:
        """Takes in the next call."""
        tool = self.tools.get(call.tool)
        if tool is None:
            tool = self.tools[call.tool] = ToolTally()
        tool.calls += 1
        tool.answered += call.answered
        tool.failed += call.failed
        tool.repeated += call.is_repeated
        tool.characters += call.characters
        if call.took_s is not None:
            tool.spread.add(call.took_s)

    def _grow(self, step: Step) -> None:
        if step.number >= _SHOWN_STEPS:
            return
        while len(self.growth) <= step.number:
            self.growth.append([0, 0])
        self.growth[step.number][0] += step.input_tokens
        self.growth[step.number][1] += 1

    @property
    def calls(self) -> int:
        """Calls of all tools."""
        return sum(tool.calls for tool in self.tools.values())

    @property
    def failed(self) -> int:
        """Calls whose result says that they failed."""
        return sum(tool.failed for tool in self.tools.values())

    @property
    def repeated(self) -> int:
        """Calls that repeat an earlier one of their conversation."""
        return sum(tool.repeated for tool in self.tools.values())


def _keep(largest: list[tuple[Any, int, Step]], item: tuple[Any, int, Step]) -> None:
    if len(largest) < _LARGEST:
        heapq.heappush(largest, item)
    elif item > largest[0]:
        heapq.heapreplace(largest, item)


def repeated(conversation: Conversation) -> int:
    """How many of the first messages an earlier conversation of the same source has, too: those of a snapshot of the same run. A beginning
    without an answer, such as common instructions, is each conversation's own."""
    shared = conversation.shared
    if shared is None or not any(isinstance(message, AIMessage) for message in conversation.messages[: shared.messages]):
        return 0
    return shared.messages
