"""Questions to a person, and their answers, by key."""

from __future__ import annotations

from typing import Any

import msgspec


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a call or a node task asked."""

    key: str
    """The call's id or the task; `key/1` is the second question of the same call."""
    value: Any = None
    is_answered: bool = False
    answer: Any = None


class Questions:
    """The questions of calls and tasks that have not ended. What has ended is forgotten."""

    def __init__(self) -> None:
        self._asked: dict[str, dict[str, Question]] = {}
        """Call id or task -> its questions by key, in the order in which they were asked."""

    def ask(self, key: str, value: Any) -> str:
        """Takes in a question, and gives the call id or task that asked it. Asked again, an answered one stays answered."""
        base = self._base(key)
        asked = self._asked.setdefault(base, {})
        if key not in asked or not asked[key].is_answered:
            asked[key] = Question(key=key, value=value)
        return base

    def answer(self, key: str, value: Any) -> None:
        """Takes in an answer. The first one holds, since a worker may have used it; one that nobody asked for is nothing."""
        asked = self._asked.get(self._base(key), {})
        if key in asked and not asked[key].is_answered:
            asked[key] = Question(key=key, value=asked[key].value, is_answered=True, answer=value)

    def forget(self, base: str | None) -> None:
        """Takes in that a call or task has ended."""
        if base is not None:
            self._asked.pop(base, None)

    def answers(self, base: str) -> list[Any]:
        """The answers to the questions of a call or task, in the order of the questions, up to the first one without."""
        answers: list[Any] = []
        for question in self._asked.get(base, {}).values():
            if not question.is_answered:
                break
            answers.append(question.answer)
        return answers

    @property
    def all(self) -> list[Question]:
        """The questions, those of one call or task together, in the order in which they were asked."""
        return [question for asked in self._asked.values() for question in asked.values()]

    def _base(self, key: str) -> str:
        base, slash, number = key.rpartition("/")
        return base if slash and number.isdecimal() and base in self._asked else key
