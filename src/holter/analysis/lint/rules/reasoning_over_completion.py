"""More reasoning than output.

What:   reasoning tokens are part of the output tokens, except where a provider counts them apart (Gemini, xAI).
Why:    costs are wrong.
Seen:   numbers of two providers mixed in one account.
Bad:    {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "completion_tokens_details": {"reasoning_tokens": 50}}}
Good:   {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 65, "completion_tokens_details": {"reasoning_tokens": 50}}}
Source: https://github.com/laravel/ai/pull/924 (2026-08-21).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such account."""
    for at, message in index.answers:
        usage = message.usage_metadata
        if usage is None:
            continue
        reasoning = (usage.get("output_token_details") or {}).get("reasoning") or 0
        given, made, total = usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens")
        if made is None or reasoning <= made:
            continue
        if total is not None and given is not None and total == given + made + reasoning:
            continue
        if "grok" in (message.model or ""):
            continue
        yield index.at_body(at, "reasoning", f"reasoning {reasoning:,} is more than the output's {made:,}")


RULE = Rule(code="USE03", name="reasoning-over-completion", severity="warning", check=check, needs=facts.USAGE)
