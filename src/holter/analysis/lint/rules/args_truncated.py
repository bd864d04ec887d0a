"""Arguments that were cut off.

What:   the arguments end where their value ends, and no required field is missing from an answer that the output limit ended.
Why:    a completed half runs the tool with half of the content: a file is overwritten with its first lines.
Seen:   the output limit fell inside a long argument; a repair closed the quotes and ran it.
Bad:    [{"role": "user", "content": "write"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "w", "type": "function",
        "function": {"name": "write", "arguments": "{\\"text\\": \\"<h1>"}}]}, {"role": "tool", "tool_call_id": "w", "content": "?"}]
Good:   user write · calls w write {"text": "<h1>"} · result w ok
Source: https://github.com/mattmezza/humux/issues/77 (2026-06-30), https://github.com/ollama/ollama/pull/17564 (2026-08-04).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call; the text names the finish reason and the tokens, where they are known."""
    yield from index.argument_findings("ARG08")


RULE = Rule(code="ARG08", name="args-truncated", severity="error", check=check, needs=facts.INVALID | facts.OFFERED)
