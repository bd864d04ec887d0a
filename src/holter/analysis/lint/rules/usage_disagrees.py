"""Two accounts of one answer that disagree.

What:   `usage_metadata` says what the provider's own `token_usage` in `response_metadata` says.
Why:    costs depend on who reads which.
Seen:   LangChain answers put together from chunks, whose usage was added up.
Bad:    [{"type": "human", "content": "x"}, {"type": "ai", "content": "ok", "usage_metadata": {"input_tokens": 20, "output_tokens": 4,
        "total_tokens": 24}, "response_metadata": {"token_usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}}]
Good:   [{"type": "human", "content": "x"}, {"type": "ai", "content": "ok", "usage_metadata": {"input_tokens": 10, "output_tokens": 2,
        "total_tokens": 12}, "response_metadata": {"token_usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}}]
Source: https://github.com/brainlid/langchain/pull/625 (2026-08-20).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each answer whose accounts differ."""
    for at, message in index.answers:
        usage, own = message.usage_metadata, message.response_metadata.get("token_usage")
        if usage is None or not isinstance(own, dict):
            continue
        details = usage.get("input_token_details") or {}
        apart = (details.get("cache_read") or 0) + (details.get("cache_creation") or 0)
        pairs = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
        for name, theirs in pairs:
            mine, other = usage.get(name), own.get(theirs)
            if isinstance(mine, int) and isinstance(other, int) and mine not in (other, other + (apart if name == "input_tokens" else 0)):
                yield index.at(at, f"{name} is {mine:,}, and the provider's {theirs} {other:,}", "usage_metadata")
                break


RULE = Rule(code="USE05", name="usage-disagrees", severity="warning", check=check, fix="take the provider's numbers", needs=facts.USAGE)
