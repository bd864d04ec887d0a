"""Reasoning that the target does not take.

What:   a target that refuses `reasoning_content` does not get it.
Why:    Groq refuses the request: "property 'reasoning_content' is unsupported".
Seen:   a session that began with another model, or a client that sends back what it got.
Target: groq
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "ok", "reasoning_content": "hm"}, {"role": "user", "content": "y"}]
Good:   user x · assistant ok · user y
Source: https://github.com/janhq/jan/issues/8136 (2026-05-13), https://github.com/tashfeenahmed/freellmapi/issues/1070 (2026-08-30).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each assistant message of the history that carries it."""
    for at, message in index.answers:
        if message.reasoning is not None and not (index.ends_with_response and at == len(index.messages) - 1):
            field = message.extra.get("reasoning_field") or "reasoning_content"
            yield index.at(
                at, f"{index.target and index.target.name} refuses `{field}`", str(field), hint="the log keeps it; leave it out on the wire"
            )


RULE = Rule(
    code="RSN02",
    name="reasoning-not-accepted",
    severity="error",
    check=check,
    fix="strip it on the wire copy",
    needs=facts.REASONING,
    profiled=True,
)
