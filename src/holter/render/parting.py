"""Where two conversations part, in a sentence, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import msgspec

from holter.analysis.diff import Change, Difference, Pair
from holter.messages import AIMessage, Conversation, Message, ToolMessage
from holter.render.control import one_line, visible
from holter.render.quantity import plural, seconds

_QUOTED = 60
"""Characters of a text that are quoted."""


def sentence(found: Difference, a: Conversation, b: Conversation) -> str:
    """The first difference, named."""
    first = found.first
    if first is None:
        return _around_sentence(found) if found.around else "The two say the same."
    if all(pair.kind == "same" for pair in found.pairs[: len(a.messages)]) and first.kind == "added":
        return f"B goes on where A ends: {plural(len(b.messages) - len(a.messages), 'more message')}, from {_who(b, first.b)} on."
    if all(pair.kind == "same" for pair in found.pairs[: len(b.messages)]) and first.kind == "removed":
        return f"A goes on where B ends: {plural(len(a.messages) - len(b.messages), 'more message')}, from {_who(a, first.a)} on."
    if first.a is None:
        return f"The first difference: {_who(b, first.b)} of B is not in A. {_says(b, first.b)}"
    if first.b is None:
        return f"The first difference: {_who(a, first.a)} of A is not in B. {_says(a, first.a)}"
    at = _who(a, first.a) if first.a == first.b else f"{_who(a, first.a)} of A, {first.b} of B"
    return f"The first difference is in {at}: {_parted(first, a.messages[first.a], b.messages[first.b])}"


def _around_sentence(found: Difference) -> str:
    return f"The messages are the same; what was offered is not: {', '.join(one_line(change.path) for change in found.around[:5])}."


def _who(conversation: Conversation, at: int | None) -> str:
    return f"message {at} ({conversation.messages[at].type})" if at is not None else ""


def _says(conversation: Conversation, at: int | None) -> str:
    if at is None:
        return ""
    return f"It {_does(conversation.messages[at])}."


def _does(message: Message) -> str:
    """What a message does, as the end of a sentence."""
    if isinstance(message, AIMessage) and message.calls:
        return f"calls {_names(message)}"
    text = " ".join(message.text.split())
    if isinstance(message, ToolMessage):
        return f"returns {_quoted(text)}"
    return f"says {_quoted(text)}" if text else "says nothing"


def _names(message: AIMessage) -> str:
    return ", ".join(one_line(str(call.get("name"))) for call in message.calls)


def _quoted(text: str) -> str:
    return f"“{_cut(visible(text))}”"


def _parted(pair: Pair, a: Message, b: Message) -> str:
    changes = [change for change in pair.changes if change.counts]
    first = changes[0]
    more = f" ({plural(len(changes) - 1, 'more change')} in it)" if len(changes) > 1 else ""
    match first.aspect:
        case "argument":
            path = first.path.partition(".args")[2].lstrip(".") or "the arguments"
            return f"{path} of {one_line(first.label)} is {_value(first.a)} in A, {_value(first.b)} in B{more}."
        case "call" | "field":
            return f"A {_does(a)}, B {_does(b)}{more}."
        case "text":
            return f"A {_does_text(a, first.a)}, B {_does_text(b, first.b)}{more}."
        case "timing":
            return f"A took {seconds(first.a)}, B {seconds(first.b)}{more}."
        case _:
            name = first.path or first.aspect
            return f"{one_line(name)} is {_value(first.a)} in A, {_value(first.b)} in B{more}."


def _does_text(message: Message, text: Any) -> str:
    verb = "returns" if isinstance(message, ToolMessage) else "says"
    line = " ".join(str(text or "").split())
    return f"{verb} {_quoted(line)}" if line else f"{verb} nothing"


def _value(value: Any) -> str:
    return "not there" if value is None else _cut(visible(json.dumps(value, ensure_ascii=False, default=str)))


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"


def difference_json(found: Difference, a: Conversation, b: Conversation) -> dict[str, Any]:
    """A comparison as a JSON value; equal messages are only counted."""
    counts = Counter(pair.kind for pair in found.pairs)
    return {
        "a": {"source": a.source, "conversation": a.position, "format": a.format, "messages": len(a.messages)},
        "b": {"source": b.source, "conversation": b.position, "format": b.format, "messages": len(b.messages)},
        "equal": found.is_empty,
        "sentence": sentence(found, a, b),
        "same": counts["same"],
        "changed": counts["changed"],
        "removed": counts["removed"],
        "added": counts["added"],
        "first": None if found.first is None else {"a": found.first.a, "b": found.first.b},
        "messages": [
            {"kind": pair.kind, "a": pair.a, "b": pair.b, "changes": [_plain(change) for change in pair.changes]}
            for pair in found.pairs
            if pair.kind != "same" or pair.changes
        ],
        "around": [_plain(change) for change in found.around],
        "not_compared": found.not_compared,
    }


def _plain(change: Change) -> dict[str, Any]:
    made = msgspec.structs.asdict(change)
    return {name: value for name, value in made.items() if name != "label" or value}
