"""Asking a person before a tool with `needs_approval` runs.

The question is the call's first one, so its key is the call's id. What the question and the answer look like is the same for every tool.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from holter.tools.command import interrupt

APPROVAL = "approval"
"""The type of the question."""
DECISIONS = '`True` or "yes" grants it, `False` or "no" declines it, `{"grant": bool, "args": {…}, "reason": "…"}` says more'
_WORDS = {"yes": True, "y": True, "approve": True, "no": False, "n": False, "reject": False}


class Decision(msgspec.Struct, frozen=True):
    """What a person said."""

    grant: bool
    args: dict[str, Any] | None = None
    """Other arguments to run it with; None for the model's."""
    reason: str = ""


def asked(name: str, call: Mapping[str, Any], because: str = "") -> Decision:
    """A person's decision about a call. Raises Interruption until there is one. `because`: why they are asked."""
    question = {"type": APPROVAL, "tool": name, "args": call.get("args") or {}, "tool_call_id": call.get("id")}
    answer = interrupt({**question, "reason": because} if because else question)
    return decision(answer) or Decision(False, reason=f"the answer {answer!r} neither grants nor declines it")


def decision(answer: Any) -> Decision | None:
    """What an answer says. None for one that is no clear yes or no: it grants nothing."""
    match answer:
        case bool():
            return Decision(answer)
        case str() if (word := answer.strip().lower()) in _WORDS:
            return Decision(_WORDS[word])
        case {"grant": bool(grant), **more} if more.keys() <= {"args", "reason"}:
            args, reason = more.get("args"), more.get("reason")
            if isinstance(args, Mapping | None) and isinstance(reason, str | None):
                return Decision(grant, None if args is None else dict(args), reason or "")
    return None


def declined(name: str, made: Decision) -> str:
    """What the model is told of a call that was not approved."""
    reason = f": {made.reason}" if made.reason else ""
    return f"{name} was not run: a person declined it{reason}. Do not call it again with the same arguments."
