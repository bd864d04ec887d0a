"""Whole values where deltas are expected.

What:   a chunk adds to what came before, and does not repeat it.
Why:    a merger that appends has every call twice, and the text many times.
Seen:   each update of the stream holds all calls so far.
Bad:    {"chunks": [{"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
        {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}, {"id": "b", "function": {"name": "g", "arguments": "{}"}}]},
        {"finish_reason": "tool_calls"}]}
Good:   {"chunks": [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}},
        {"index": 0, "function": {"arguments": "{}"}}]}, {"finish_reason": "tool_calls"}]}
Source: https://github.com/anthropics/anthropic-sdk-csharp/issues/53 (2025-12-01).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """The first chunk that repeats something whole, once a stream."""
    yield from index.said("STRM05")


RULE = Rule(
    code="STRM05",
    name="snapshot-as-delta",
    severity="error",
    check=check,
    fix="keep the last value where each begins with the one before",
    needs=facts.READ,
)
