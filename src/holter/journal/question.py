"""Questions to a person, and their answers, by key."""

from __future__ import annotations

from typing import Any

import msgspec

INSIDE = "::"
"""Stands between a call or task and the key of a question that a run inside it asked: "call_1::3.0"."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a call or a node task asked."""

    key: str
    """The call's id or the task; `key/1` is the second question of the same call, `key::…` one of a run inside it."""
    base: str = ""
    """The call or task that asked it."""
    value: Any = None
    is_answered: bool = False
    answer: Any = None


class Questions:
    """The questions of calls and tasks that have not ended. What has ended is forgotten."""

    def __init__(self) -> None:
        self.asked: dict[str, dict[str, Question]] = {}
        """Call id or task -> its questions by key, in the order in which they were asked."""
        self._fresh: frozenset[str] = frozenset()
        """Calls and tasks that were answered and have not begun again."""

    def ask(self, key: str, value: Any) -> str:
        """Takes in a question, and gives the call id or task that asked it. Asked again, an answered one stays answered."""
        base = self._base(key)
        self._fresh -= {base}
        asked = self.asked.setdefault(base, {})
        if key not in asked or not asked[key].is_answered:
            asked[key] = Question(key=key, base=base, value=value)
        return base

    def answer(self, key: str, value: Any) -> None:
        """Takes in an answer. The first one holds, since a worker may have used it; one that nobody asked for is nothing."""
        base = self._base(key)
        asked = self.asked.get(base, {})
        if key in asked and not asked[key].is_answered:
            self._fresh |= {base}
            asked[key] = Question(key=key, base=base, value=asked[key].value, is_answered=True, answer=value)

    def started(self, base: str | None) -> None:
        """Takes in that a call begins again, with the answers there are."""
        if self._fresh and base is not None:
            self._fresh -= {base}

    def waits(self, base: str) -> bool:
        """Whether a call or task has an open question, and no answer since it asked: to start it again would lead nowhere."""
        return base not in self._fresh and any(not question.is_answered for question in self.asked.get(base, {}).values())

    def forget(self, base: str | None) -> None:
        """Takes in that a call or task has ended."""
        if base is not None:
            self.asked.pop(base, None)

    def answers(self, base: str) -> list[Any]:
        """The answers to the questions of a call or task, in the order of the questions, up to the first one without. Those of runs
        inside it are not among them."""
        answers: list[Any] = []
        for question in self.asked.get(base, {}).values():
            if INSIDE in question.key.removeprefix(base):
                continue
            if not question.is_answered:
                break
            answers.append(question.answer)
        return answers

    def answered_inside(self, prefix: str) -> dict[str, Any]:
        """The answers to questions of a run inside a call or task, by their keys in that run; `prefix` is what stands before them."""
        return {
            question.key.removeprefix(prefix): question.answer
            for asked in self.asked.values()
            for question in asked.values()
            if question.is_answered and question.key.startswith(prefix)
        }

    @property
    def all(self) -> list[Question]:
        """The questions, those of one call or task together, in the order in which they were asked."""
        return [question for asked in self.asked.values() for question in asked.values()]

    def _base(self, key: str) -> str:
        """The call or task that a question is asked by: `id` of `id/1`, of `id::3.0` and of `id#1::3.0` (of its second run inside)."""
        outer, inside, _ = key.partition(INSIDE)
        if inside:
            base, sharp, number = outer.rpartition("#")
            return base if sharp and number.isdecimal() else outer
        base, slash, number = key.rpartition("/")
        return base if slash and number.isdecimal() and base in self.asked else key
