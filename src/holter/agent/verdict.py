"""What an answer without calls is worth: whether it says anything, and whether it was cut off."""

from __future__ import annotations

from holter.messages import AIMessage
from holter.messages.content import Block
from holter.tools.arguments import CUT

NUDGE = (
    "Your last answer was empty. Answer now, in text, with what is known from the conversation above. "
    "No tool is needed for it; if something is missing, say what."
)
"""What the model is told, once, after an answer that says nothing."""

CALL_NUDGE = (
    "Your last answer said that it calls a tool, and there was no call in it. Call the tool now by the interface that you were given, or "
    "answer in text."
)
"""What the model is told, once, after an answer that says it calls and does not."""

_CALLS = frozenset(("tool_calls", "tool_use", "function_call"))

_SILENT = frozenset({"reasoning", "thinking", "redacted_thinking", "tool_call"})
"""Types of blocks that say nothing to the user. A file, an image and a provider's own block do."""


def is_empty(answer: AIMessage) -> bool:
    """Whether the user would see nothing."""
    content = answer.content
    if answer.additional_kwargs.get("refusal"):
        return False
    return not content.strip() if isinstance(content, str) else not any(map(_says_something, content))


def _says_something(block: Block | str) -> bool:
    """LangChain lets plain text stand among blocks."""
    if isinstance(block, str):
        return bool(block.strip())
    kind = block.get("type")
    return bool(str(block.get("text") or "").strip()) if kind == "text" else kind not in _SILENT


def says_it_calls(answer: AIMessage) -> bool:
    """Whether the answer ended, by its finish reason, with calls; where there are none, something went wrong (FIN02)."""
    reason = answer.finish_reason
    return reason is not None and reason.lower() in _CALLS


def is_cut(answer: AIMessage) -> bool:
    """Whether the model's output limit ended the answer."""
    reason = answer.finish_reason
    return reason is not None and reason.lower() in CUT


def cut_text(answer: AIMessage) -> str:
    """That an answer was cut off, and where, as a clause."""
    tokens = (answer.usage_metadata or {}).get("output_tokens")
    after = f" after {tokens:,} tokens" if isinstance(tokens, int) and tokens else ""
    return f"the model's output limit cut the answer off{after} (finish reason {answer.finish_reason!r})"


def failure_note(answer: AIMessage, text: str) -> AIMessage:
    """The message that stands in the thread for an answer that says nothing."""
    return answer.replace(content=text, reasoning=None)
