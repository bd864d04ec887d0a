"""A cached answer to a request with other settings.

What:   `tool_choice`, tools, model and response format are part of the key of a cached answer.
Why:    a forced call is answered with text, or the other way round.
Seen:   keys made of the messages only.
Bad:    {"events": [{"type": "model_request", "key": "k", "args": {"tool_choice": "auto"}}, {"type": "cache_hit", "key": "k",
        "args": {"tool_choice": "required"}}]}
Good:   {"events": [{"type": "model_request", "key": "k", "args": {"tool_choice": "auto"}}, {"type": "cache_hit", "key": "k",
        "args": {"tool_choice": "auto"}}]}
Source: https://github.com/stanfordnlp/dspy/issues/10216 (2026-08-16), https://github.com/BerriAI/litellm/issues/40128 (2026-09-07).
"""

from collections.abc import Iterator
from typing import Any

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace, canonical

SETTINGS = ("model", "tools", "tool_choice", "response_format", "parallel_tool_calls")


def check(trace: Trace) -> Iterator[Found]:
    """Each answer of a cache to a request whose settings are not those that filled its entry; traces that tell both show it."""
    filled: dict[str, Any] = {}
    for step in trace.steps:
        if step.key is None or not isinstance(step.args, dict):
            continue
        if step.kind in ("model_request", "model_started"):
            filled.setdefault(step.key, step.args)
        elif step.kind == "cache_hit" and step.key in filled:
            before = filled[step.key]
            other = [name for name in SETTINGS if canonical(before.get(name)) != canonical(step.args.get(name))]
            if other:
                text = f"a cached answer is given to a request with another {', '.join(other)}"
                yield Found(text=text, index=step.position, path=f"[{step.position}]")


RULE = Rule(code="RUN08", name="cache-key-omits-setting", severity="error", check=check, fix="add them to the key", about="trace")
