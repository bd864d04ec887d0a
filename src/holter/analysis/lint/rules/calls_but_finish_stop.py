"""Calls in an answer that says it is done.

What:   the finish reason agrees with calls being there.
Why:    a loop that looks at the finish reason ends, and the calls never run.
Seen:   Gemini and local servers behind OpenAI endpoints.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "", "finish_reason": "stop", "tool_calls": [{"id": "a",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": "", "finish_reason": "tool_calls", "tool_calls": [{"id": "a",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
Source: https://github.com/vercel/workflow/issues/1387 (2026-06-04), https://github.com/Mirascope/mirascope/pull/257 (2024-05-18).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

_DONE = frozenset({"stop", "end_turn", "stop_sequence", "eos", "eos_token"})


def check(index: Index) -> Iterator[Found]:
    """Each such answer; Gemini says STOP for calls too."""
    if index.wire == "gemini":
        return
    for at, message in index.answers:
        reason = message.finish_reason
        if reason is None or not message.calls or reason.lower() not in _DONE:
            continue
        if str(message.response_metadata.get("model_provider", "")).startswith("google") or "gemini" in (message.model or ""):
            continue
        yield index.at_body(at, "finish", f"there are calls, and the finish reason is {reason!r}", hint="trust the calls")


RULE = Rule(code="FIN01", name="calls-but-finish-stop", severity="warning", check=check, fix="trust the calls", needs=facts.METADATA)
