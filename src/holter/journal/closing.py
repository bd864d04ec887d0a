"""Results for calls that no tool will answer any more, so that the history stays one that can be sent."""

from __future__ import annotations

from holter.journal.batch import OpenCall
from holter.journal.event import Event, MessageAdded
from holter.journal.fold import Fold
from holter.messages.message import ToolMessage
from holter.messages.reducer import identified


def closings(fold: Fold, reason: str, node: str | None = None) -> list[Event]:
    """A result for each open call, in their order, those without an id or a name last: such a result answers whatever is open. Each says
    what is known of the call. `reason` is a clause: "the run was cancelled"."""
    return [
        MessageAdded(
            message=identified(
                ToolMessage(
                    _text(open_call, reason), tool_call_id=open_call.call.get("id"), name=open_call.call.get("name"), status="error"
                )
            ),
            node=node,
        )
        for open_call in sorted(fold.open_calls, key=_vagueness)
    ]


def _vagueness(open_call: OpenCall) -> int:
    return 0 if open_call.call.get("id") else 1 if open_call.call.get("name") else 2


def _text(open_call: OpenCall, reason: str) -> str:
    name = open_call.call.get("name")
    if open_call.is_unknown:
        what = f"Error: {name} was started, and {reason} before it answered."
        return f"{what} Whether it took effect is not known: find out before calling it again."
    if open_call.failure is not None:
        return f"Error: {name} failed: {open_call.failure.error}"
    return f"Error: {name} was not run: {reason}."
