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
from holter.messages import AIMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each blank block or text, then blanks at the end of a request's last answer."""
    for at, message in enumerate(index.messages):
        if isinstance(message, ToolMessage):
            continue
        if isinstance(message.content, str):
            if message.content.isspace() or (not message.content and _needs_text(index, at)):
                in_block = isinstance(message, AIMessage) and index.wire == "anthropic"
                yield index.at_content(at, "the text is blank", 0 if in_block else None)
            continue
        for number, block in enumerate(message.content):
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str) and not text.strip():
                yield index.at_content(at, "a text block is blank", number)
    last = index.messages[-1]
    if index.is_sent and isinstance(last, AIMessage) and last.text.strip() and last.text != last.text.rstrip():
        yield index.at_content(len(index.messages) - 1, "the last assistant text ends in blanks", hint="trim it")


def _needs_text(index: Index, at: int) -> bool:
    """Whether a message without any text is refused: a call is enough, and an answer that says nothing may be one."""
    message = index.messages[at]
    if not isinstance(message, AIMessage):
        return True
    return not message.calls and not (index.ends_with_response and at == len(index.messages) - 1)


RULE = Rule(
    code="ROLE04",
    name="blank-text-block",
    severity="error",
    check=check,
    fix="drop the block, or trim the text",
    needs=facts.BLANK | facts.BLOCKS | facts.ENDS_WITH_ANSWER,
    profiled=True,
)
