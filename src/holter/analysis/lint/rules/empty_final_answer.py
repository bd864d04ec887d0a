"""A last answer with nothing in it.

What:   the last answer has visible text, a file, or a call.
Why:    the loop takes it for done, and the user sees nothing.
Seen:   after a tool result, mostly of reasoning models; all of the output budget went into reasoning.
Bad:    [{"role": "user", "content": "sum up"}, {"role": "assistant", "content": "", "finish_reason": "stop"}]
Good:   user sum up · assistant Twelve letters.
Source: https://github.com/vellum-ai/vellum-assistant/pull/25880 (2026-04-15), https://github.com/QwenLM/qwen-code/issues/7034 (2026-07-16).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.rules.abnormal_finish_hidden import hidden_end
from holter.analysis.lint.rules.finish_says_calls_but_none import CALLS
from holter.messages import AIMessage

_DELIVERS = ("return_direct", "delivers_answer")


def check(index: Index) -> Iterator[Found]:
    """At most one finding, about the last message."""
    at = len(index.messages) - 1
    message = index.messages[at]
    if not isinstance(message, AIMessage) or message.calls or index.is_fragment or _says_something(message) or index.lacks_item(at):
        return
    reason = (message.finish_reason or "").lower()
    if reason in CALLS or reason == "pause_turn" or hidden_end(message) or _was_delivered(index):
        return
    spent = (message.usage_metadata or {}).get("output_token_details", {}).get("reasoning")
    hint = f"{spent:,} tokens went into reasoning" if spent else "ask once more, with a nudge; then say that there was no answer"
    yield index.at(at, "the last answer has no visible text and no call", hint=hint)


def _says_something(message: AIMessage) -> bool:
    if message.text.strip() or message.additional_kwargs.get("refusal") or message.additional_kwargs.get("audio"):
        return True
    content = message.content if isinstance(message.content, list) else []
    return any(block.get("type") not in ("text", "reasoning", "thinking", "redacted_thinking") for block in content)


def _was_delivered(index: Index) -> bool:
    """Whether a tool of the turn gave the answer itself."""
    marked = {tool.name for tool in index.conversation.tools if any(tool.extra.get(key) for key in _DELIVERS)}
    return any(call.name in marked for call in index.calls if call.message >= index.turn_start)


RULE = Rule(
    code="FIN04",
    name="empty-final-answer",
    severity="warning",
    check=check,
    needs=facts.ENDS_WITH_ANSWER,
)
