"""A turn with calls that does not begin with its thinking.

What:   with thinking on, an assistant message of the current turn that calls tools begins with a (redacted) thinking block.
Why:    Anthropic refuses the request: "Expected `thinking` or `redacted_thinking`, but found `tool_use`".
Seen:   redacted thinking was dropped as an unknown block.
Target: anthropic
Bad:    {"thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]}
Good:   {"thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "c2ln"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]}
Source: https://github.com/zed-industries/zed/pull/33317 (2025-06-24).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

THINKING = ("reasoning", "thinking", "redacted_thinking")


def check(index: Index) -> Iterator[Found]:
    """Each such message after the last user message."""
    if (index.wire != "anthropic" and not index.is_in_memory) or not _is_on(index.settings.get("thinking")):
        return
    for at, message in index.answers:
        if at < index.turn_start or not message.calls or (index.ends_with_response and at == len(index.messages) - 1):
            continue
        first = message.content[0].get("type") if isinstance(message.content, list) and message.content else None
        if first not in THINKING:
            hint = "put the stored block back, or switch thinking off for this request"
            yield index.at(at, "the message calls tools and does not begin with its thinking", "content[0]", hint=hint)


def _is_on(thinking: object) -> bool:
    return thinking.get("type") in ("enabled", "adaptive") if isinstance(thinking, dict) else thinking is True


RULE = Rule(
    code="RSN04",
    name="thinking-not-leading",
    severity="error",
    check=check,
    fix="put the thinking first where it is there; else switch it off for this request",
    needs=facts.SETTINGS,
    profiled=True,
)
