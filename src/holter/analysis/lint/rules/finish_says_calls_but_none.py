"""A finish reason that promises calls, and none are there.

What:   `finish_reason: tool_calls` comes with at least one call.
Why:    a loop that goes on without a call asks again and again, or adds an empty tool message.
Seen:   the server recognised a call and could not parse it.
Bad:    [{"role": "user", "content": "go"}, {"role": "assistant", "content": "I call it.", "finish_reason": "tool_calls"}]
Good:   [{"role": "user", "content": "go"}, {"role": "assistant", "content": "Done.", "finish_reason": "stop"}]
Source: https://github.com/inflexa-ai/inflexa/issues/470 (2026-08-28).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

CALLS = frozenset({"tool_calls", "tool_use", "function_call", "tool_call", "tool-calls"})


def check(index: Index) -> Iterator[Found]:
    """Each such answer."""
    for at, message in index.answers:
        reason = message.finish_reason
        if reason is not None and reason.lower() in CALLS and not message.calls and message.extra.get("elided") != "tool_calls":
            text = f"the finish reason is {reason!r}, and there is no call"
            yield index.at_body(at, "finish", text, hint="take it as a text answer; one bounded retry")


RULE = Rule(code="FIN02", name="finish-says-calls-but-none", severity="error", check=check, fix="take it as stop", needs=facts.METADATA)
