"""Calls that a server left in the text of an answer: taken from there, said in the journal, and asked about where they have effects."""

from __future__ import annotations

from collections.abc import Reversible, Sequence
from copy import copy

import msgspec

from holter.formats.leaked_call import recover
from holter.journal.event import Repaired
from holter.messages import AIMessage, Message, ToolMessage, ToolSpec
from holter.messages.surrogate import escaped
from holter.tools.declaration import Declaration

LEAKED = "leaked_calls"
"""In `additional_kwargs` of an answer: where its calls stood, "content" or "reasoning"."""

_BECAUSE = "the call stood as markup in the answer's text, where the model may only have spoken of it"


class Recovered(msgspec.Struct, frozen=True):
    """An answer whose calls stood in its text."""

    message: AIMessage
    """The answer, marked, so that a run that goes on elsewhere knows it, too."""
    repair: Repaired


def with_leaked_calls(answer: AIMessage, tools: Sequence[ToolSpec], prefix: str) -> Recovered | None:
    """The answer with the calls of its text; None where there are none that may be taken. `prefix` begins the ids that they get."""
    found = recover(answer, tools, prefix=prefix)
    if found is None:
        return None
    calls = found.message.tool_calls
    names = ", ".join(dict.fromkeys(str(call["name"]) for call in calls))
    said = f"A call of {names}" if len(calls) == 1 else f"{len(calls)} calls of {names}"
    was = "was" if len(calls) == 1 else "were"
    where = f"stood in the {'text' if found.field == 'content' else 'reasoning'} of the answer as markup and {was} taken from there"
    repair = Repaired(
        code="LEAK01" if found.field == "content" else "LEAK02",
        text=f"{said} {where}; what changes something is asked about first.",
        call_id=calls[0]["id"] if len(calls) == 1 else None,
        raw=escaped(found.raw),
    )
    message = found.message
    return Recovered(message.replace(additional_kwargs={**message.additional_kwargs, LEAKED: found.field}), repair)


def is_leaked(messages: Reversible[Message]) -> bool:
    """Whether the calls that run now stood in an answer's text."""
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            return isinstance(message, AIMessage) and LEAKED in message.additional_kwargs
    return False


def asking_first(tool: Declaration) -> Declaration:
    """The tool as one that asks a person before it runs."""
    asking = copy(tool)
    asking.needs_approval = True
    asking.asks_because = _BECAUSE
    return asking
