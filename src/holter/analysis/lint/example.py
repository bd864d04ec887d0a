"""The examples in a rule's docstring: documents that a reader can read, or flows in one line.

A flow is messages with ` · ` between them: `user hi · calls a look {"n": 1}; b look · result a 4C · assistant It is 4C.`
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from holter.analysis.lint.rule import Rule
from holter.analysis.lint.run import Linter, lint_cut, lint_stream, lint_trace
from holter.formats import read
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.calls import split_calls, tool_call

_FIELD = re.compile(r"^(What|Why|Seen|Target|Bad|Good|Source):[ \t]*", re.MULTILINE)


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule's docstring says."""

    title: str
    what: str
    why: str
    seen: str
    bad: str
    good: str
    source: str
    target: str | None = None


def page_of(docstring: str) -> Page:
    """The fields of a rule's docstring. KeyError names one that is missing."""
    title, _, rest = docstring.strip().partition("\n")
    pieces = _FIELD.split(rest)
    fields = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    return Page(
        title=title.rstrip("."),
        what=_line(fields["What"]),
        why=_line(fields["Why"]),
        seen=_line(fields["Seen"]),
        bad=_dedented(fields["Bad"]),
        good=_dedented(fields["Good"]),
        source=_line(fields["Source"]),
        target=fields.get("Target"),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix("        ") for line in text.split("\n"))


def findings_of(text: str, target: str | None) -> list[Finding]:
    """The findings of an example: a flow, a document, or an object with `chunks`, `events`, or `before` and `after`."""
    if text.startswith(('{"chunks"', '{"recorded_usage"')):
        record = json.loads(text)
        return lint_stream(record["chunks"], target, recorded_usage=record.get("recorded_usage"))
    if text.startswith('{"events"'):
        return lint_trace(json.loads(text)["events"])
    if text.startswith('{"before"'):
        record = json.loads(text)
        before, after = (read(json.dumps(record[key]))[0].messages for key in ("before", "after"))
        return lint_cut(before, after, target)
    linter = Linter(target)
    if re.match(r"(?:system|user|assistant|calls|result) ", text):
        return linter.check(Conversation(format="openai.chat", messages=flow(text)))
    return [finding for conversation in read(text) for finding in linter.check(conversation)]


def flow(text: str) -> list[Message]:
    """The messages of a flow."""
    return [_message(*piece.strip().partition(" ")[::2]) for piece in _line(text).split(" · ")]


def _message(role: str, rest: str) -> Message:
    match role:
        case "system":
            return SystemMessage(rest)
        case "user":
            return HumanMessage(rest)
        case "assistant":
            return AIMessage(rest)
        case "calls":
            valid, invalid = split_calls([_call(piece, at) for at, piece in enumerate(rest.split("; "))])
            return AIMessage(tool_calls=valid, invalid_tool_calls=invalid)
        case "result":
            call_id, _, content = rest.partition(" ")
            return ToolMessage(content, tool_call_id=call_id)
        case _:
            raise ValueError(f"{role!r} is no role of a flow")


def _call(text: str, position: int) -> dict[str, Any]:
    call_id, _, rest = text.partition(" ")
    name, _, args = rest.partition(" ")
    return tool_call(name or "look", args or "{}", call_id, position)


def fires(rule: Rule, text: str, target: str | None) -> bool:
    """Whether a rule reports an example."""
    return any(finding.code == rule.code for finding in findings_of(text, target))
