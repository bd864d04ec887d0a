"""What the model did about a call that failed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from holter.analysis.failure import is_failure
from holter.messages import AIMessage, CallRef, HumanMessage, Message, Pairing, ToolMessage

Reaction: TypeAlias = Literal["retried", "changed", "dropped", "other", "told", "user", "nothing"]
"""The same call again; one of the same tool with other arguments; other calls of the same tool that are no second try of this one; calls of
other tools; words; none, since the user spoke first; none, since the log ends."""


class Aftermath(msgspec.Struct, frozen=True):
    """What came after a failed call."""

    reaction: Reaction
    message: int
    """Position of the message that it stands in; of the result where nothing came."""
    calls: list[CallRef] = []
    """The calls that were made: the second try, or those instead."""


def aftermath(messages: Sequence[Message], pairing: Pairing, at: int, failed: CallRef) -> Aftermath:
    """What came after the result at this position, which says that a call failed."""
    following = next((i for i in range(at + 1, len(messages)) if isinstance(messages[i], AIMessage | HumanMessage)), None)
    if following is None:
        return Aftermath("nothing", at)
    if isinstance(messages[following], HumanMessage):
        return Aftermath("user", following)
    refs = pairing.of(following)
    again = [ref for ref in refs if call_key(ref.call) == call_key(failed.call)]
    if again:
        return Aftermath("retried", following, again[:1])
    same = [ref for ref in refs if ref.call.get("name") == failed.call.get("name")]
    if same:
        changed = _second_try(messages, pairing, failed, same)
        return Aftermath("dropped", following) if changed is None else Aftermath("changed", following, [changed])
    return Aftermath("other", following, refs) if refs else Aftermath("told", following)


def _second_try(messages: Sequence[Message], pairing: Pairing, failed: CallRef, made: list[CallRef]) -> CallRef | None:
    """Which of the calls of the same tool is the second try of this one: the most alike, and of equals the one in the same place among
    those that are left."""
    keys = {call_key(ref.call) for ref in made}
    siblings = [ref for ref in pairing.of(failed.message) if ref.call.get("name") == failed.call.get("name")]
    open_ = [ref for ref in siblings if has_failed(messages, ref) and call_key(ref.call) not in keys]
    before = {call_key(ref.call) for ref in siblings}
    left = [ref for ref in made if call_key(ref.call) not in before]
    place = next((k for k, ref in enumerate(open_) if ref is failed), 0)
    ranked = sorted(enumerate(left), key=lambda item: (len(changed_keys(failed.call, item[1].call)), abs(item[0] - place)))
    return ranked[0][1] if ranked and place < len(left) else None


def has_failed(messages: Sequence[Message], ref: CallRef) -> bool:
    """Whether the result of a call says that it failed."""
    result = messages[ref.result] if ref.result is not None else None
    return isinstance(result, ToolMessage) and is_failure(result)


def changed_keys(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The arguments that are different in two calls; none where one of them has none that can be read."""
    old, new = before.get("args"), after.get("args")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return []
    return [key for key in {**old, **new} if old.get(key) != new.get(key)]


def call_key(call: dict[str, Any]) -> str:
    """Equal for calls of the same tool with the same arguments."""
    return f"{call.get('name')}\0{json.dumps(call.get('args'), sort_keys=True, ensure_ascii=False, default=str)}"
