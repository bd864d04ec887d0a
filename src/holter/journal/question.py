"""Questions to a person, and their answers, by key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

INSIDE = "::"
"""Stands between a call or task and the key of a question that a run inside it asked: "call_1::3.0"."""
_UNKNOWN = "~"
"""Stands between a call and the number of the start of which nobody knows what it did: "call_1~1"."""


def unknown_key(call_id: str, attempts: int) -> str:
    """The key of the question what became of a call that was started so often."""
    return f"{call_id}{_UNKNOWN}{attempts}"


def _unknown_call(key: str, value: Any) -> str | None:
    """The call of which the question asks what became of it; None where it asks something else."""
    if not isinstance(value, Mapping) or value.get("type") != "unknown":
        return None
    call_id = str(value.get("tool_call_id"))
    return call_id if key.removeprefix(call_id + _UNKNOWN).isdecimal() else None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a call or a node task asked."""

    key: str
    """The call's id or the task; `key/1` is the second question of the same call, `key::…` one of a run inside it."""
    base: str = ""
    """The call or task that asked it."""
    value: Any = None
    is_answered: bool = False
    answer: Any = None

    @property
    def is_of_unknown(self) -> bool:
        """Whether it asks what became of a call, and is none of the call's own."""
        return _unknown_call(self.key, self.value) is not None

    @property
    def is_of_approval(self) -> bool:
        """Whether it asks if its own call may run."""
        if not isinstance(self.value, Mapping) or self.value.get("type") != "approval":
            return False
        call_id = str(self.value.get("tool_call_id"))
        number = self.key.rpartition(INSIDE)[2].removeprefix(call_id)
        return not number or (number[0] == "/" and number[1:].isdecimal())


_NONE: frozenset[str] = frozenset()
"""One for all, since an empty set takes as much memory as a full one."""


class Questions:
    """The questions of calls and tasks that have not ended. What has ended is forgotten."""

    __slots__ = ("_fresh", "asked")

    def __init__(self) -> None:
        self.asked: dict[str, dict[str, Question]] = {}
        """Call id or task -> its questions by key, in the order in which they were asked."""
        self._fresh = _NONE
        """Calls and tasks that were answered and have not begun again."""

    def ask(self, key: str, value: Any) -> str:
        """Takes in a question, and gives the call id or task that it belongs to. Asked again, an answered one stays answered."""
        base = _unknown_call(key, value) or self._base(key)
        self._fresh -= {base}
        asked = self.asked.setdefault(base, {})
        if key not in asked or not asked[key].is_answered:
            asked[key] = Question(key=key, base=base, value=value)
        return base

    def answer(self, key: str, value: Any) -> None:
        """Takes in an answer. The first one holds, since a worker may have used it; one that nobody asked for is nothing."""
        for base, asked in self.asked.items():
            if key in asked and not asked[key].is_answered:
                self._fresh |= {base}
                asked[key] = Question(key=key, base=base, value=asked[key].value, is_answered=True, answer=value)
                return

    def started(self, base: str | None) -> None:
        """Takes in that a call or task begins again, with the answers there are."""
        if self._fresh and base is not None:
            self._fresh -= {base}

    @property
    def has_news(self) -> bool:
        """Whether a call or task was answered and has not begun again."""
        return bool(self._fresh)

    def unknown(self, call_id: str, attempts: int) -> Question | None:
        """The question what became of a call that was started so often; None where it was not asked."""
        found = self.asked.get(call_id, {}).get(unknown_key(call_id, attempts))
        return found if found is not None and found.is_of_unknown else None

    def waits(self, base: str) -> bool:
        """Whether a call or task has an open question, and no answer since it asked: to start it again would lead nowhere."""
        return base not in self._fresh and any(not question.is_answered for question in self.asked.get(base, {}).values())

    def is_of_unknown(self, base: str, key: str) -> bool:
        """Whether a question of a call asks what became of it."""
        return self.asked[base][key].is_of_unknown

    def forget(self, base: str | None) -> None:
        """Takes in that a call or task has ended."""
        if base is not None:
            self.asked.pop(base, None)
            self.started(base)

    def answers(self, base: str) -> list[Any]:
        """The answers to the questions of a call or task, in the order of the questions, up to the first one without. Those of runs
        inside it, and those to what became of it, are not among them."""
        answers: list[Any] = []
        for question in self.asked.get(base, {}).values():
            if INSIDE in question.key.removeprefix(base) or question.is_of_unknown:
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
