"""More cached tokens than the prompt had.

What:   cached tokens are part of the prompt's (OpenAI), or stand apart by the provider's rule (Anthropic); hits and misses are all of it
        (DeepSeek).
Why:    costs are wrong, sometimes negative.
Seen:   Anthropic's numbers, which leave cached tokens out of `input_tokens`, in OpenAI's fields.
Bad:    {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 5, "total_tokens": 205, "prompt_tokens_details": {"cached_tokens": 3800}}}
Good:   {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 4000, "completion_tokens": 5, "total_tokens": 4005, "prompt_tokens_details": {"cached_tokens": 3800}}}
Source: https://github.com/askui/python-sdk/pull/303 (2026-07-31), https://github.com/KryptSec/oasis/issues/44 (2026-02-26).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage


def check(index: Index) -> Iterator[Found]:
    """Each such account."""
    for at, message in index.answers:
        usage = message.usage_metadata
        if usage is None:
            continue
        details = usage.get("input_token_details") or {}
        given, cached = usage.get("input_tokens"), details.get("cache_read") or 0
        if given is not None and cached > given:
            created = details.get("cache_creation") or 0
            hint = f"numbers of a provider that counts cached tokens apart: the prompt had {given + cached + created:,}"
            yield index.at_body(at, "cached", f"cached {cached:,} is more than the prompt's {given:,}", hint=hint)
            continue
        hit, missed = _hit_and_missed(message)
        if given is not None and hit is not None and missed is not None and hit + missed != given:
            text = f"{hit:,} tokens were cached and {missed:,} were not, which are not the prompt's {given:,}"
            yield index.at_body(at, "usage", text, fixable=False)


def _hit_and_missed(message: AIMessage) -> tuple[int | None, int | None]:
    """DeepSeek's two halves of a prompt."""
    usage = message.response_metadata.get("token_usage", message.response_metadata.get("usage"))
    said = usage if isinstance(usage, dict) else {}
    hit, missed = said.get("prompt_cache_hit_tokens"), said.get("prompt_cache_miss_tokens")
    return (hit if isinstance(hit, int) else None), (missed if isinstance(missed, int) else None)


RULE = Rule(
    code="USE02", name="cache-inconsistent", severity="warning", check=check, fix="normalise by the provider's rule", needs=facts.USAGE
)
