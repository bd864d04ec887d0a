"""An id that comes after its call has begun.

What:   id, name and arguments of a call may come in any order, and none is dropped.
Why:    a merger that takes the id from the first delta only has a call without an id.
Seen:   gateways that open a call with its name and add the id later.
Bad:    {"chunks": [{"tool_calls": [{"index": 0, "function": {"name": "ask", "arguments": "{"}}]},
        {"tool_calls": [{"index": 0, "id": "late", "function": {"arguments": "}"}}]}, {"finish_reason": "tool_calls"}]}
Good:   {"chunks": [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "ask", "arguments": "{"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}, {"finish_reason": "tool_calls"}]}
Source: https://github.com/Zoo-Code-Org/Zoo-Code/issues/695 (2026-06-23), https://github.com/BerriAI/litellm/pull/33223 (2026-07-14).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each chunk that brings a late id."""
    yield from index.said("STRM03")


RULE = Rule(
    code="STRM03", name="late-id", severity="warning", check=check, fix="keep the deltas and bind them when the id comes", needs=facts.READ
)
