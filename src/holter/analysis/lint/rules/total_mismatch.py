"""A total that is not the sum of its parts.

What:   total tokens are input and output tokens; providers that count reasoning apart add it too (Gemini, xAI).
Why:    costs and budgets are wrong.
Seen:   a gateway that adds cached tokens to one of the numbers only.
Bad:    {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}}
Good:   {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
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
        given, made, total = usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens")
        if given is None or made is None or total is None or total == given + made:
            continue
        inputs, outputs = usage.get("input_token_details") or {}, usage.get("output_token_details") or {}
        apart = (outputs.get("reasoning") or 0, *(inputs.get(key) or 0 for key in ("cache_read", "cache_creation", "tool_use")))
        left = total - given - made
        if left in apart or left == sum(apart) or left == _tool_prompt(message.response_metadata):
            continue
        text = f"total {total:,} is not input {given:,} + output {made:,} = {given + made:,}"
        yield index.at_body(at, "total", text)


def _tool_prompt(metadata: dict[str, object]) -> object:
    usage = metadata.get("usage")
    return usage.get("toolUsePromptTokenCount") if isinstance(usage, dict) else None


RULE = Rule(
    code="USE01", name="total-mismatch", severity="warning", check=check, fix="add them up again; keep the raw numbers", needs=facts.USAGE
)
