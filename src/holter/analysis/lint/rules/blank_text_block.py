"""A text block with nothing in it.

What:   no text block is empty or blank, and the last assistant text of a request has no blanks at its end.
Why:    "text content blocks must be non-empty": Anthropic and Bedrock refuse the request.
Seen:   models that write two line breaks before a call; an answer without text was stored as "".
Target: anthropic
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "text", "text": "\\n\\n"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "text", "text": "So:"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]
Source: https://github.com/anomalyco/opencode/issues/31259 (2026-07-03), https://github.com/aaif-goose/goose/pull/7343 (2026-02-19).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, Message, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each blank block or text, then blanks at the end of a request's last answer."""
    for at, message in enumerate(index.messages):
        if isinstance(message, ToolMessage):
            continue
        if isinstance(message.content, str):
            if message.content.isspace() or (not message.content and _needs_text(message)):
                yield index.at(at, "the text is blank", "content[0]" if isinstance(message, AIMessage) else "content")
            continue
        for number, block in enumerate(message.content):
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str) and not text.strip():
                yield index.at(at, "a text block is blank", f"content[{number}]")
    last = index.messages[-1]
    if index.is_sent and isinstance(last, AIMessage) and last.text.strip() and last.text != last.text.rstrip():
        yield index.at(len(index.messages) - 1, "the last assistant text ends in blanks", "content", hint="trim it")


def _needs_text(message: Message) -> bool:
    return not isinstance(message, AIMessage) or not message.calls


RULE = Rule(
    code="ROLE04",
    name="blank-text-block",
    severity="error",
    check=check,
    fix="drop the block, or trim the text",
    needs=facts.BLANK | facts.BLOCKS | facts.ENDS_WITH_ANSWER,
    profiled=True,
)
