"""The same sums, apart for each tool, model, day or thread."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holter.analysis.recorded import Recorded
from holter.analysis.stats.step import NO_TIMES, Step, Times, steps
from holter.analysis.stats.tally import Tally, repeated
from holter.messages import Conversation

Grouping: TypeAlias = Literal["tool", "model", "day", "thread"]

GROUPINGS: tuple[Grouping, ...] = ("tool", "model", "day", "thread")

UNKNOWN = "?"
"""The group of what does not say its model or day."""


class Groups:
    """Sums over conversations, by one property of their steps. By tool only calls are counted: a step belongs to no tool."""

    def __init__(self, by: Grouping, *, priced: bool = False) -> None:
        self._by = by
        self._priced = priced
        self.groups: dict[str, Tally] = {}
        """In the order in which they came."""

    def add(self, given: Conversation | Recorded) -> None:
        """Takes in the next conversation, or the next thread of a journal."""
        if isinstance(given, Conversation):
            self._take(given, NO_TIMES)
            return
        self._take(given.conversation, Times(given.model_s, given.tool_s))

    def _take(self, conversation: Conversation, times: Times) -> None:
        start = repeated(conversation)
        counted: set[str] = set()
        for step in steps(conversation, times, priced=self._priced, start=start):
            for name in self._names(step):
                tally = self.groups.setdefault(name, Tally(priced=self._priced))
                if name not in counted:
                    counted.add(name)
                    tally.conversations += 1
                self._add(tally, step, name)

    def _names(self, step: Step) -> list[str]:
        match self._by:
            case "tool":
                return list(dict.fromkeys(call.tool for call in step.calls))
            case "model":
                return [step.model or UNKNOWN]
            case "day":
                return [step.day or UNKNOWN]
            case "thread":
                return [step.thread]

    def _add(self, tally: Tally, step: Step, name: str) -> None:
        if self._by != "tool":
            tally.add_step(step)
            return
        for call in step.calls:
            if call.tool == name:
                tally.add_call(call)
