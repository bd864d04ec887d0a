"""Whether a literal in a text is part of a program rather than of a log: contents that are variables, expressions, and arguments."""

import re
from typing import Any

from holter.formats.langchain_message import KINDS
from holter.formats.literal import Bare, Call, Parsed

_GIVEN = ("content", "tool_call_id", "id", "name", "text", "role", "type", "input", "arguments", "args", "parts")
"""Fields of a message that a log gives a value."""
_GIVEN_AWAY = frozenset({"role", "type", "args", "arguments"})
"""Fields that messages and calls have."""
_AFTER = re.compile(r"[ \t]*(?:\+[ \t]*[\w\[(*]|\.\w+\()")
_ARGUMENT = re.compile(r"""\w\((?:\{\s{0,20}["']?messages["']?\s{0,4}[:=]\s{0,20})?\[?\Z""")
_OF_A_REPR = frozenset({"id", "additional_kwargs", "response_metadata", "tool_call_id"})
_LONGEST_BEFORE = 80


def is_program(parsed: Parsed, text: str, begin: int) -> bool:
    """Whether what stands at `begin` is written in a program: it computes something, names variables, or is the argument of a call."""
    if any(note.kind in ("code", "template") for note in parsed.notes):
        return True
    if not parsed.stopped and _AFTER.match(text, parsed.end):
        return True
    return _names_variables(parsed.value) or _is_argument(parsed.value, text[max(0, begin - _LONGEST_BEFORE) : begin])


def _names_variables(value: Any) -> bool:
    """Whether a message has a variable or an expression where a log has a value, or a list of messages one among them."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            is_message = not _GIVEN_AWAY.isdisjoint(item) or (isinstance(item, Call) and item.name in KINDS)
            if is_message and any(_is_variable(item.get(field)) for field in _GIVEN):
                return True
            if isinstance(item, Call) and item.name in KINDS and item.positional:
                return True
            waiting += [child for child in item.values() if isinstance(child, dict | list)]
        elif isinstance(item, list):
            containers = [child for child in item if isinstance(child, dict | list)]
            if any("role" in c or (isinstance(c, Call) and c.name in KINDS) for c in containers if isinstance(c, dict)) and any(
                _is_variable(child) for child in item
            ):
                return True
            waiting += containers
    return False


def _is_variable(value: Any) -> bool:
    return isinstance(value, Bare) and not value.startswith("<")


def _is_argument(value: Any, before: str) -> bool:
    """Whether messages with nothing but contents are handed to a function: `invoke([HumanMessage(content="hi")])`."""
    items = value.get("messages", [value]) if isinstance(value, dict) else value
    items = items if isinstance(items, list) else [items]
    plain = all(isinstance(item, Call) and item.name in KINDS and item.keys().isdisjoint(_OF_A_REPR) for item in items)
    return bool(items) and plain and _ARGUMENT.search(before) is not None
