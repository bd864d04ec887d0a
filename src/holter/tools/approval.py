"""Asking a person before a tool with `needs_approval` runs.

The question is the call's first one, so its key is the call's id. What the question and the answer look like is the same for every tool.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from holter.tools.command import interrupt


class Decision(msgspec.Struct, frozen=True):
    """What a person said."""

    grant: bool
    args: dict[str, Any] | None = None
    """Other arguments to run it with; None for the model's."""
    reason: str = ""


def asked(name: str, call: Mapping[str, Any], because: str = "") -> Decision:
    """A person's decision about a call. Raises Interruption until there is one. `because`: why they are asked."""
    question = {"type": "approval", "tool": name, "args": call.get("args") or {}, "tool_call_id": call.get("id")}
    return decision(interrupt({**question, "reason": because} if because else question))


def decision(answer: Any) -> Decision:
    """What an answer says: True, False, or `{"grant": bool, "args": dict, "reason": str}`. Whatever else it is grants nothing."""
    if isinstance(answer, bool):
        return Decision(answer)
    if isinstance(answer, Mapping) and isinstance(answer.get("grant"), bool):
        args, reason = answer.get("args"), answer.get("reason")
        return Decision(answer["grant"], dict(args) if isinstance(args, Mapping) else None, str(reason) if reason else "")
    return Decision(False, reason=f"the answer {answer!r} is neither true nor false nor {{grant, args, reason}}")


def declined(name: str, made: Decision) -> str:
    """What the model is told of a call that was not approved."""
    reason = f": {made.reason}" if made.reason else ""
    return f"{name} was not run: a person declined it{reason}. Do not call it again with the same arguments."
