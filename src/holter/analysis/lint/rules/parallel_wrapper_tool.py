"""GPT's own wrapper around parallel calls.

What:   no call names `multi_tool_use.parallel`.
Why:    no such tool exists: its arguments hold the real calls.
Seen:   GPT models, now and then, as their first plugins wrote it.
Bad:    user a b · calls m multi_tool_use.parallel {"tool_uses": [{"recipient_name": "functions.read", "parameters": {"p": "a"}}]} · result m ?
Good:   user a b · calls m read {"p": "a"} · result m A
Source: https://github.com/vercel/ai/issues/2786 (2024-08-23), https://github.com/Azure/azure-rest-api-specs/issues/32329 (2025-01-24).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.tools.naming import wrapped_calls


def check(index: Index) -> Iterator[Found]:
    """Each such call, with the number of calls inside."""
    for call, name, code, _ in index.odd_names:
        if code == "NAME04":
            inner = wrapped_calls(call.args)
            text = f"{name} is no tool but a wrapper; it holds {len(inner)} call{'' if len(inner) == 1 else 's'}"
            yield index.at_call(call, text, "name", fixable=bool(inner))


RULE = Rule(
    code="NAME04",
    name="parallel-wrapper-tool",
    severity="warning",
    check=check,
    fix="put the calls inside it in its place",
    needs=facts.CALLS,
)
