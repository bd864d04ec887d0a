"""NaN or Infinity in arguments.

What:   numbers are finite: JSON has no NaN.
Why:    Python's `json` takes it, everybody else refuses it: the call works here and the history is refused there.
Seen:   models that compute, and code that dumps a data frame.
Bad:    [{"role": "user", "content": "set"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "z", "type": "function",
        "function": {"name": "set", "arguments": "{\\"n\\": NaN}"}}]}, {"role": "tool", "tool_call_id": "z", "content": "ok"}]
Good:   user set · calls z set {"n": null} · result z ok
Source: https://github.com/usestrix/strix/pull/1327 (2026-09-17).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    yield from index.argument_findings("ARG13")


RULE = Rule(code="ARG13", name="args-nonfinite", severity="error", check=check, needs=facts.INVALID | facts.ODD_ARGS)
