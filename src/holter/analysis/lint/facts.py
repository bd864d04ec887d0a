"""What a conversation holds, found in one pass over its messages: rules that need something else are not asked.

The pass is the price that every conversation pays, so it does no more per message than a few attribute reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.surrogate import is_valid

CALLS = 1
RESULTS = 1 << 1
INVALID = 1 << 2
"""A call whose arguments are not one JSON object."""
PAIRS = 1 << 3
"""Calls and results do not simply alternate: something is missing, doubled, late, or has no id."""
IDS_AGAIN = 1 << 4
"""An id of a call comes again."""
MARKUP = 1 << 5
"""An answer's text or reasoning has a character that template markup begins with."""
REASONING = 1 << 6
BLOCKS = 1 << 7
"""A content that is a list."""
USAGE = 1 << 8
METADATA = 1 << 9
"""An answer says something of itself: a finish reason, a model."""
IDS = 1 << 10
"""A message has an id."""
BLANK = 1 << 11
"""A content without visible text."""
ODD_ARGS = 1 << 12
"""Arguments with markup, half of a character, or what may be no JSON."""
SURROGATE = 1 << 13
LONG = 1 << 14
"""A result so long that it may fill a window."""
SAME_RESULT = 1 << 15
"""At least three results have one text."""
NEIGHBOURS = 1 << 16
"""Two messages of one role stand side by side."""
LATE_SYSTEM = 1 << 17
ENDS_WITH_ANSWER = 1 << 18
TIMES = 1 << 19
READ = 1 << 20
"""The reader had something to say."""
OFFERED = 1 << 21
"""The source says which tools were offered."""
SETTINGS = 1 << 22
"""The record holds more than messages."""
OPENS_ODDLY = 1 << 23
"""The first message that is no system message is no user message."""

OBJECT_ARGS = 1 << 24
"""Arguments of OpenAI calls that stand as objects."""
ODD_CONTENT = 1 << 26
"""A result's content stood there as something else than text or blocks."""
UNNAMED = 1 << 25
"""A call names no tool, not even a blank one."""

LONGEST_RESULT = 100_000
"""Characters of a result that are too many where no window is known."""

_LONG_ENOUGH = 6_000


def facts_of(messages: Sequence[Message], answers: list[tuple[int, AIMessage]], results: list[tuple[int, ToolMessage]]) -> int:
    """The facts of a list of messages, as bits. The model's messages are put into `answers` on the way, with their positions, and the
    results into `results`."""
    facts = 0
    waiting: set[Any] = set()
    seen: set[Any] = set()
    texts: set[str] = set()
    repeats = 0
    before: type | None = None
    for at, message in enumerate(messages):
        kind = message.__class__
        content = message.content
        if content.__class__ is str:
            if not content or content.isspace():
                facts |= BLANK
            elif not content.isascii() and not is_valid(content):
                facts |= SURROGATE
        else:
            facts |= BLOCKS | (0 if content else BLANK)
        if message.id is not None or "message_id" in message.extra:
            facts |= IDS
        if message.ts is not None:
            facts |= TIMES
        if kind is ToolMessage:
            facts |= RESULTS
            results.append((at, message))  # type: ignore[arg-type]
            if message.extra and "content_kind" in message.extra:
                facts |= ODD_CONTENT
            call_id = message.tool_call_id  # type: ignore[union-attr]
            if call_id in waiting:
                waiting.discard(call_id)
            else:
                facts |= PAIRS
            if content in texts if content.__class__ is str else True:
                repeats += 1
            elif content:
                texts.add(content)  # type: ignore[arg-type]
            if len(content) > _LONG_ENOUGH:
                facts |= LONG
        else:
            if waiting:
                facts |= PAIRS
                waiting = set()
            if kind is AIMessage:
                answers.append((at, message))  # type: ignore[arg-type]
                facts |= _answer_facts(message, waiting, seen)  # type: ignore[arg-type]
            elif kind is SystemMessage and before is not None:
                facts |= LATE_SYSTEM
            if kind is before:
                facts |= NEIGHBOURS
        if before is None or before is SystemMessage:
            facts |= 0 if kind is SystemMessage or kind is HumanMessage else OPENS_ODDLY
        before = kind
    if waiting:
        facts |= PAIRS
    if repeats >= 2:
        facts |= SAME_RESULT
    return facts | (ENDS_WITH_ANSWER if before is AIMessage else 0)


_encode = msgspec.json.Encoder().encode


def _is_clean(args: Any) -> bool:
    """Whether arguments plainly hold no markup, no half of a character and no NaN, which is encoded as null. One pass in C."""
    try:
        written = _encode(args)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError, UnicodeError):
        return False
    return b"<" not in written and b"null" not in written


def _answer_facts(message: AIMessage, waiting: set[Any], seen: set[Any]) -> int:
    facts = 0
    content = message.content
    if content and content.__class__ is str and ("<" in content or "[TOOL" in content or content[0] in "{["):
        facts |= MARKUP
    if message.extra and message.extra.get("arguments") == "object":
        facts |= OBJECT_ARGS
    if message.reasoning is not None:
        facts |= REASONING
        if not is_valid(message.reasoning):
            facts |= SURROGATE
        if "<" in message.reasoning or "[TOOL" in message.reasoning:
            facts |= MARKUP
    for call in message.tool_calls:
        call_id = call["id"]
        if not call_id or call_id in waiting:
            facts |= PAIRS
        if not call["name"]:
            facts |= UNNAMED
        if call_id in seen:
            facts |= IDS_AGAIN
        seen.add(call_id)
        waiting.add(call_id)
        facts |= CALLS
        if not facts & ODD_ARGS and not _is_clean(call["args"]):
            facts |= ODD_ARGS
    if message.invalid_tool_calls:
        facts |= INVALID | CALLS
        for call in message.invalid_tool_calls:
            if not call["id"] or call["id"] in waiting:
                facts |= PAIRS
            if call["id"] in seen:
                facts |= IDS_AGAIN
            seen.add(call["id"])
            waiting.add(call["id"])
    if message.usage_metadata is not None:
        facts |= USAGE
    if message.response_metadata or message.additional_kwargs:
        facts |= METADATA
    return facts
