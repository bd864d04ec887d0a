"""Arguments written as a Python literal.

What:   the arguments are JSON, not Python (single quotes, True, None).
Why:    JSON parsers refuse them.
Seen:   small local models, and code that sends `str(args)`.
Bad:    [{"role": "user", "content": "dark"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "p", "type": "function",
        "function": {"name": "config", "arguments": "{'dark': True}"}}]}, {"role": "tool", "tool_call_id": "p", "content": "ok"}]
Good:   user dark · calls p config {"query": "who's on call"} · result p ok
Source: https://github.com/waybarrios/vllm-mlx/issues/63 (2026-02-11), https://github.com/mangiucugna/json_repair/issues/210 (2026-08-11).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    yield from index.argument_findings("ARG06")


RULE = Rule(code="ARG06", name="args-python-literal", severity="warning", check=check, fix="read the literal as JSON", needs=facts.INVALID)
