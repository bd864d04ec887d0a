"""Running totals that were added up.

What:   what was recorded as a stream's usage is its last total, not the sum of the totals in its chunks.
Why:    costs are many times too high.
Seen:   Gemini and others send the total so far with every chunk.
Bad:    {"recorded_usage": {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}, "chunks": [
        {"content": "a", "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}},
        {"finish_reason": "stop", "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}]}
Good:   {"recorded_usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}, "chunks": [
        {"content": "a", "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}},
        {"finish_reason": "stop", "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}]}
Source: https://github.com/googleapis/python-genai/issues/1204 (2025-08-02), https://github.com/brainlid/langchain/pull/625 (2026-08-20).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """At most one finding, where the record says what was written down."""
    recorded = index.conversation.extra.get("recorded_usage")
    usage = index.answers[-1][1].usage_metadata if index.answers else None
    if not isinstance(recorded, dict) or usage is None:
        return
    for names in _NUMBERS:
        written = next((recorded[name] for name in names if isinstance(recorded.get(name), int)), None)
        right = usage.get(names[0])
        if written is not None and isinstance(right, int) and written > right:
            text = f"recorded {written:,} is the sum of running totals; {right:,} is right"
            yield index.at(None, text, "recorded_usage", hint="take the last account, or the largest")
            return


_NUMBERS = (
    ("total_tokens", "totalTokenCount"),
    ("input_tokens", "prompt_tokens", "promptTokenCount"),
    ("output_tokens", "completion_tokens"),
)
"""What is compared, by our name and by providers' names."""


RULE = Rule(code="USE04", name="stream-usage-doubled", severity="error", check=check, fix="take the last account", needs=facts.SETTINGS)
