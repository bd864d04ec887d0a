"""One index for two calls.

What:   an index carries one id.
Why:    a merger keyed by index joins the arguments of two calls.
Seen:   servers that always send index 0.
Bad:    {"chunks": [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 0, "id": "b", "function": {"name": "g", "arguments": "{}"}}]}, {"finish_reason": "tool_calls"}]}
Good:   {"chunks": [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}]}, {"finish_reason": "tool_calls"}]}
Source: https://github.com/SamSaffron/term-llm/pull/314 (2026-04-05).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each chunk in which an index changes its id."""
    yield from index.said("STRM02")


RULE = Rule(
    code="STRM02", name="index-reused", severity="error", check=check, fix="begin a new call where the id changes", needs=facts.READ
)
