"""Text around the arguments.

What:   nothing stands before or after the JSON value.
Why:    JSON parsers refuse it.
Seen:   code fences, a closing tag of the template, a label in front.
Bad:    [{"role": "user", "content": "look"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "look", "arguments": "```json\\n{\\"q\\": 1}\\n```"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
Good:   user look · calls a look {"q": "```json"} · result a ok
Source: https://github.com/mangiucugna/json_repair/issues/210 (2026-08-11).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call, with what stood around."""
    yield from index.argument_findings("ARG07")


RULE = Rule(
    code="ARG07",
    name="args-extra-text",
    severity="warning",
    check=check,
    fix="drop markup and labels around the object",
    needs=facts.INVALID,
)
