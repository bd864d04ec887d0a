"""Reasoning that was not sent back.

What:   in thinking mode the assistant messages of a turn with calls carry `reasoning_content`, "" where there was none.
Why:    DeepSeek refuses the request: "The reasoning_content in the thinking mode must be passed back to the API".
Seen:   the client stores content and calls only, or leaves the field out when it is empty.
Target: deepseek-thinking
Bad:    user time? · calls t get_time · result t noon · user and tomorrow?
Good:   [{"role": "user", "content": "time?"}, {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [{"id": "t",
        "type": "function", "function": {"name": "get_time", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "t", "content": "noon"}]
Source: https://api-docs.deepseek.com/guides/thinking_mode (seen 2026-11-30), https://github.com/NousResearch/hermes-agent/issues/15353 (2026-04-24).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, HumanMessage


def check(index: Index) -> Iterator[Found]:
    """Each assistant message without reasoning, from a turn's first call on."""
    if index.wire in ("anthropic", "gemini", "responses"):
        return
    in_round = False
    for at, message in enumerate(index.messages):
        if isinstance(message, HumanMessage):
            in_round = False
        if not isinstance(message, AIMessage):
            continue
        in_round = in_round or bool(message.calls)
        if in_round and message.reasoning is None and not message.reasoning_text and not _is_response(index, at):
            what = "with calls " if message.calls else "of a turn with calls "
            yield index.at(
                at, f"an assistant message {what}has no reasoning_content", hint='store it with the message, "" where there was none'
            )


def _is_response(index: Index, at: int) -> bool:
    return index.ends_with_response and at == len(index.messages) - 1


RULE = Rule(
    code="RSN01",
    name="reasoning-missing",
    severity="error",
    check=check,
    fix="give it an empty reasoning",
    needs=facts.CALLS,
    profiled=True,
)
