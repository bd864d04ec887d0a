"""LangChain messages as text that is no whole repr: printed without their class name. Those stripped of quotes are `langchain_stripped`.

Shape:  `content='hello' additional_kwargs={} id='…'` (what `print(message)` writes).
Source: `BaseMessage.__str__` of langchain-core 1.8. Whole reprs are literals, which `langchain_json` reads.
Lost:   the class name, which the fields tell.
"""

import re
from typing import Any

import msgspec

from holter.formats.literal import Bare, Call, Literals

PRINTED = re.compile(r"(?<![\w(.,'\"])content=(?=['\"\[])")
"""Where `print(message)` begins: the fields of a message without its class name."""

_FIELDS = (
    "additional_kwargs response_metadata invalid_tool_calls tool_calls usage_metadata tool_call_id tool_call_chunks chunk_position "
    "artifact status example name type id role"
).split()
_FIELD = re.compile(r"[ \t]+(" + "|".join(_FIELDS) + r")=(?=\S)")
_CUT = re.compile(r"\s*\Z")
_CUT_FIELD = re.compile(r"[ \t]+[a-z_]+=?\Z")
"""What the text's end may leave of the next field."""


class Printed(msgspec.Struct, frozen=True):
    """A message that was printed."""

    message: Call
    """As its repr would be."""
    end: int
    whole: bool
    """Whether its last field is."""


def printed(literals: Literals, text: str, start: int) -> Printed | None:
    """The message that `print(message)` wrote at `start` (a match of `PRINTED`), or None when only a `content=` stands there."""
    fields: dict[str, Any] = {}
    name, at = "content", start + len("content=")
    while True:
        parsed = literals.read(at)
        if parsed.value is None and parsed.stopped:
            break
        fields[name], at = parsed.value, parsed.end
        match = _FIELD.match(text, at)
        if match is None or parsed.stopped:
            break
        name, at = match.group(1), match.end()
    if len(fields) == 1 or any(isinstance(value, Bare) for value in fields.values()):
        return None
    call = Call(_class(fields))
    call.update(fields)
    breaks_off = _CUT.match(text, at) is not None and ("additional_kwargs" in fields) != ("response_metadata" in fields)
    return Printed(call, at, whole=not parsed.stopped and not breaks_off and _CUT_FIELD.match(text, at) is None)


def _class(fields: dict[str, Any]) -> str:
    if "tool_call_id" in fields:
        return "ToolMessage"
    if "tool_call_chunks" in fields:
        return "AIMessageChunk"
    is_answer = bool(fields.get("response_metadata")) or not {"tool_calls", "usage_metadata", "invalid_tool_calls"}.isdisjoint(fields)
    return "AIMessage" if is_answer else "HumanMessage"
