"""Arguments that are blank.

What:   the arguments are not blank: `{}` says that there are none.
Why:    an empty text is no JSON; OpenAI refuses it when it is sent back.
Seen:   models that call a tool without parameters.
Bad:    [{"role": "user", "content": "time?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "n", "type": "function",
        "function": {"name": "get_time", "arguments": ""}}]}, {"role": "tool", "tool_call_id": "n", "content": "noon"}]
Good:   user time? · calls n get_time {} · result n noon
Source: https://github.com/langchain-ai/langchain/pull/33896 (2025-11-08).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    yield from index.argument_findings("ARG03")


RULE = Rule(code="ARG03", name="args-empty", severity="warning", check=check, fix="take them as {}", needs=facts.INVALID)
