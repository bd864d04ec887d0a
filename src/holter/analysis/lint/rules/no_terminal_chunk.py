"""A stream that never said it was finished.

What:   a stream ends with its finish reason, or its end event.
Why:    what came may be cut: a call that looks whole may not be the last one, and a tool with effects must not run on it.
Seen:   a proxy closed the connection, a server crashed, the client gave up.
Bad:    {"chunks": [{"tool_calls": [{"index": 0, "id": "p", "function": {"name": "pay", "arguments": "{\\"n\\": 5}"}}]}]}
Good:   {"chunks": [{"tool_calls": [{"index": 0, "id": "p", "function": {"name": "pay", "arguments": "{\\"n\\": 5}"}}]},
        {"finish_reason": "tool_calls"}]}
Source: https://github.com/NousResearch/hermes-agent/pull/100160 (2026-09-01).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """One finding, at the last chunk."""
    if is_stream(index):
        yield from index.said("READ01")


def is_stream(index: Index) -> bool:
    """Whether the conversation was put together from a stream."""
    return index.conversation.format.endswith(".stream")


RULE = Rule(code="STRM04", name="no-terminal-chunk", severity="error", check=check, needs=facts.READ)
