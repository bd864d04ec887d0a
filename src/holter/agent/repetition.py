"""Calls that come to the same result again and again: what the model is told of them, and how often that was.

In a row means: in each of the newest steps, or in every other one where two steps alternate. A call is the same when its name and its
arguments are, whatever the order of their keys; a result that is another than before begins anew, so polling never counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Reversible
from typing import Any

import msgspec

from holter.messages import AIMessage, Message, ToolMessage
from holter.messages.content import Content, text_block

NOTE = (
    "[Nothing has changed: this call has come to this very result several times in a row. Calling it again will not help. "
    "Use what you have, call something else, or answer.]"
)
_TAIL = f"\n\n{NOTE}"
NOTED_FROM = 3
"""From which equal call on the result says so."""


class Step(msgspec.Struct, frozen=True):
    """One answer with calls, and their results by call id."""

    message: AIMessage
    results: dict[str | None, ToolMessage]

    def result(self, call: dict[str, Any]) -> ToolMessage | None:
        """What this call came to."""
        return self.results.get(call.get("id"))


def steps_back(messages: Reversible[Message]) -> Iterator[Step]:
    """The newest steps, from the last one back to where something else stands between them."""
    results: dict[str | None, ToolMessage] = {}
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            results[message.tool_call_id] = message
        elif isinstance(message, AIMessage) and message.calls:
            yield Step(message, results)
            results = {}
        else:
            return


def may_repeat(call: dict[str, Any], messages: Reversible[Message]) -> bool:
    """Whether one of the two steps before the newest one made the same call; if not, it cannot have come to the same result in a row."""
    name, args, steps = call.get("name"), call.get("args"), 0
    for message in reversed(messages):
        if message.__class__ is AIMessage:
            steps, calls = steps + 1, message.calls
            if steps > 1:
                for other in calls:
                    if other.get("args") == args and other.get("name") == name:
                        return True
            if steps > 2 or not calls:
                return False
        elif message.__class__ is not ToolMessage:
            return False
    return False


def repeats(call: dict[str, Any], result: ToolMessage, earlier: Iterator[Step], most: int) -> int:
    """How often in a row the call came to this result, this time included; `earlier` are the steps before it, the newest first. Counts no
    further than `most`."""
    before = next(earlier, None)
    if before is None:
        return 1
    found = _result_of(before, call)
    if found is None:
        return _in_every_other(call, result, before, earlier, most)
    return _in_each(call, result, earlier, most) if _are_equal(found, result) else 1


def _in_each(call: dict[str, Any], result: ToolMessage, earlier: Iterator[Step], most: int) -> int:
    count = 2
    while count < most and (step := next(earlier, None)) is not None and _has(step, call, result):
        count += 1
    return count


def _in_every_other(call: dict[str, Any], result: ToolMessage, between: Step, earlier: Iterator[Step], most: int) -> int:
    count = 1
    while count < most and (step := next(earlier, None)) is not None and _has(step, call, result):
        count += 1
        other = next(earlier, None)
        if other is None or not _is_same(between, other):
            break
    return count


def _result_of(step: Step, call: dict[str, Any]) -> ToolMessage | None:
    """What this call, made in that step, came to; None where it was not made."""
    for other in step.message.calls:
        if other.get("name") == call.get("name") and other.get("args") == call.get("args"):
            return step.result(other)
    return None


def _has(step: Step, call: dict[str, Any], result: ToolMessage) -> bool:
    """Whether the call was made in that step, with this result."""
    found = _result_of(step, call)
    return found is not None and _are_equal(found, result)


def _is_same(one: Step, other: Step) -> bool:
    """Whether two steps made the same calls, with the same results."""
    calls = one.message.calls
    results = [one.result(call) for call in calls]
    return len(calls) == len(other.message.calls) and all(
        result is not None and _has(other, call, result) for call, result in zip(calls, results, strict=True)
    )


def _are_equal(one: ToolMessage, other: ToolMessage) -> bool:
    return one.status == other.status and without_note(one.content) == without_note(other.content)


def is_noted(message: ToolMessage) -> bool:
    """Whether the result says that nothing has changed."""
    content = message.content
    return content.endswith(_TAIL) if isinstance(content, str) else bool(content) and content[-1] == text_block(NOTE)


def noted(message: ToolMessage) -> ToolMessage:
    """The result, which says now that nothing has changed."""
    content = message.content
    return message.replace(content=content + _TAIL if isinstance(content, str) else [*content, text_block(NOTE)])


def without_note(content: Content) -> Content:
    """The content as the tool gave it."""
    if isinstance(content, str):
        return content.removesuffix(_TAIL)
    return content[:-1] if content and content[-1] == text_block(NOTE) else content


class Repeated(msgspec.Struct, frozen=True):
    """A call that was made too often."""

    name: str
    count: int


def too_often(messages: Reversible[Message], most: int) -> Repeated | None:
    """The call of the newest step that came to the same result `most` times in a row; None where there is none. Costs nothing as long as
    no result of that step says that nothing has changed."""
    if not _newest_is_noted(messages, most):
        return None
    steps = list(_bounded(steps_back(messages), 2 * most))
    newest, earlier = steps[0], steps[1:]
    for call in newest.message.calls:
        result = newest.result(call)
        if result is not None and (count := repeats(call, result, iter(earlier), most)) >= most:
            return Repeated(str(call.get("name")), count)
    return None


def _newest_is_noted(messages: Reversible[Message], most: int) -> bool:
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            return False
        if most < NOTED_FROM or is_noted(message):
            return True
    return False


def _bounded(steps: Iterator[Step], most: int) -> Iterator[Step]:
    for _, step in zip(range(most), steps, strict=False):
        yield step
