"""A delta of a call without an index.

What:   every delta of a call has an index.
Why:    a merger that reads a missing index as 0 puts all calls into one.
Seen:   Gemini's OpenAI endpoint, gateways, local servers.
Bad:    {"chunks": [{"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\\"c\\":"}}]},
        {"tool_calls": [{"function": {"arguments": "1}"}}]}, {"finish_reason": "tool_calls"}]}
Good:   {"chunks": [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\\"c\\":"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}, {"finish_reason": "tool_calls"}]}
Source: https://github.com/openai/openai-python/pull/3246 (2026-05-16), https://github.com/AstrBotDevs/AstrBot/pull/6692 (2026-03-20).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such chunk; silent where the stream repeats whole values."""
    if not any(index.said("STRM05")):
        yield from index.said("STRM01")


RULE = Rule(
    code="STRM01",
    name="index-missing",
    severity="warning",
    check=check,
    fix="a new id or name begins a new call, anything else continues the open one",
    needs=facts.READ,
)
