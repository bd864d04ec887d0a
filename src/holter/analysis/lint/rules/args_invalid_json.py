"""Arguments that are no JSON.

What:   the arguments of a call parse as JSON.
Why:    the tool cannot be called; a lenient repair would call it with something else than the model meant.
Seen:   the model left out a quote, or mixed two notations.
Bad:    [{"role": "user", "content": "open"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "menu", "arguments": "{\\"action\\": opeen_menu\\"}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "?"}]
Good:   user open · calls a menu {"action": "open_menu"} · result a ok
Source: https://github.com/NousResearch/hermes-agent/pull/83229 (2026-08-10).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each text that no narrower rule explains, with the place where it stops being JSON."""
    yield from index.argument_findings("ARG01")


RULE = Rule(
    code="ARG01",
    name="args-invalid-json",
    severity="error",
    check=check,
    fix="answer the model with the parse error and its place",
    needs=facts.INVALID,
)
