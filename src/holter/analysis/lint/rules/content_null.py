"""Content beside calls in a form that the target does not take.

What:   an empty content beside calls is written as the target wants it: null, "", or not at all.
Why:    Bedrock wants no text block at all; templates write the word "None" into the prompt.
Seen:   gateways pass OpenAI's `content: null` on as it is.
Target: bedrock
Bad:    user x · calls a calc · result a 1 · user y
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": "I calculate.", "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "calc", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "1"}, {"role": "user", "content": "y"}]
Source: https://github.com/Portkey-AI/gateway/issues/995 (2025-03-20), https://github.com/vllm-project/vllm/issues/54337 (2026-08-29).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each message with calls and without content, in logs that write one."""
    if index.wire != "chat" or index.ends_with_response:
        return
    for at, message in index.answers:
        if message.calls and message.content == "" and "content" not in message.extra:
            yield index.at(at, "the content beside calls is null", hint=f"write it as {index.target and index.target.name} wants it")


RULE = Rule(
    code="ROLE05",
    name="content-null",
    severity="warning",
    check=check,
    fix="write the form that the target takes",
    needs=facts.CALLS,
    profiled=True,
)
