"""Several objects in one arguments text.

What:   the arguments are exactly one JSON value.
Why:    which of them the call means is not said; picking one loses the others.
Seen:   a stream merger put the arguments of parallel calls into one; a provider repeats the whole text at the end.
Bad:    [{"role": "user", "content": "link"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "k", "type": "function",
        "function": {"name": "add_edge", "arguments": "{\\"a\\": 1}{\\"a\\": 2}"}}]}, {"role": "tool", "tool_call_id": "k", "content": "?"}]
Good:   user link · calls k add_edge {"a": "}{"} · result k ok
Source: https://github.com/BerriAI/litellm/issues/40582 (2026-09-11), https://github.com/diegosouzapw/OmniRoute/pull/11043 (2026-08-21).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call, with the number of objects and of distinct ones."""
    yield from index.argument_findings("ARG05")


RULE = Rule(
    code="ARG05",
    name="args-concatenated",
    severity="error",
    check=check,
    fix="equal objects: keep one; distinct ones: a call each",
    needs=facts.INVALID,
)
