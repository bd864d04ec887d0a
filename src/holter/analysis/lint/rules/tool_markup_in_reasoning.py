"""A call written inside the reasoning.

What:   reasoning holds no call markup of a known family.
Why:    the call never happens; often nothing else is in the answer.
Seen:   the model calls before it closes its thinking, and the server's parser looks at the text only.
Bad:    [{"role": "user", "content": "weather?"}, {"role": "assistant", "content": "", "reasoning_content":
        "I need <|tool_calls_section_begin|><|tool_call_begin|>functions.w:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"}]
Good:   [{"role": "user", "content": "weather?"}, {"role": "assistant", "content": "It rains.", "reasoning_content": "I need no tool: 1 < 2."}]
Source: https://github.com/vybestack/llxprt-code/pull/750 (2025-12-09).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.markup import leak_in
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such answer."""
    offered = index.offered if index.conversation.tools_known else None
    for at, message in index.answers:
        if message.calls or (message.reasoning is None and isinstance(message.content, str)):
            continue
        text = message.reasoning_text
        leak = leak_in(text) if text else None
        if leak is None:
            continue
        names = [name for name, _ in leak.calls]
        is_readable = bool(names) and message.reasoning is not None and not message.text.strip()
        whole = is_readable and (not offered or all(name in offered for name in names))
        path = "reasoning_content" if message.reasoning is not None and index.wire == "chat" else ""
        found = f" ({', '.join(names)})" if names else ", not whole"
        yield index.at(at, f"{leak.family} stands in the reasoning{found}", path, fixable=whole)


RULE = Rule(
    code="LEAK02",
    name="tool-markup-in-reasoning",
    severity="warning",
    check=check,
    fix="make it the call that it is, when it is whole and the name is offered",
    needs=facts.MARKUP | facts.BLOCKS,
)
