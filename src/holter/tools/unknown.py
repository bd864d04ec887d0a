"""A call that was started and has no result, because its process ended: what a person is asked, and what the answers mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from holter.messages import ToolMessage
from holter.tools.content import to_content
from holter.tools.failure import failed

UnknownCalls: TypeAlias = Literal["ask", "again", "fail"]
"""What becomes of such calls: a person is asked; they run again; or they have failed. Those of idempotent tools run again anyway."""
UNKNOWN = "unknown"
"""The type of the question."""
CHOICES = '"again" runs it again, {"result": …} is its result, "fail" or {"fail": "why"} tells the model that nobody knows'


class Verdict(msgspec.Struct, frozen=True):
    """What is to become of a call."""

    way: Literal["again", "result", "fail"]
    value: Any = None
    """The result, or the reason."""


def question(call: Mapping[str, Any], attempts: int) -> dict[str, Any]:
    """What a person is asked. `attempts` is how often the call was started."""
    return {
        "type": UNKNOWN,
        "tool": call.get("name"),
        "args": call.get("args") or {},
        "tool_call_id": call.get("id"),
        "attempts": attempts,
        "answers": ["again", {"result": "…"}, "fail"],
    }


def is_of_unknown(asked: Any) -> bool:
    """Whether a question's value is one that `question` made."""
    return isinstance(asked, Mapping) and asked.get("type") == UNKNOWN


def verdict(answer: Any) -> Verdict | None:
    """What an answer says; True and False are "again" and "fail". None for one that says nothing of the kind."""
    match answer:
        case True | "again" | {"again": True}:
            return Verdict("again")
        case False | "fail" | {"fail": True}:
            return Verdict("fail")
        case {"fail": str(reason)} if len(answer) == 1:
            return Verdict("fail", reason)
        case {"result": value} if len(answer) == 1:
            return Verdict("result", value)
        case _:
            return None


def result_of(call: Mapping[str, Any], value: Any) -> ToolMessage:
    """The message of a call whose result a person gave."""
    made = to_content(value, call_id=call.get("id"))
    return ToolMessage(made.content, tool_call_id=call.get("id"), name=call.get("name"), artifact=made.artifact)


def not_known(call: Mapping[str, Any], reason: str | None = None) -> ToolMessage:
    """The message of a call of which nobody knows what it did."""
    what = f"Error: {call.get('name')} was started, and the process ended before it answered."
    said = f" {reason.rstrip('. ')}." if reason else ""
    return failed(call, f"{what} Whether it took effect is not known: find out before calling it again.{said}")
