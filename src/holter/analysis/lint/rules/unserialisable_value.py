"""A value in a result that JSON cannot hold.

What:   there is no datetime, no bytes, no set and no NaN in a result.
Why:    the request cannot be written, or is written as something no provider reads.
Seen:   tools that return rows of a database or a data frame as they are.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "l", "type": "function",
        "function": {"name": "find", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "l", "content": [{"type": "text", "text": "a", "p": NaN}]}]
Good:   user x · calls l find · result l {"p": null}
Source: https://github.com/kumo-ai/kumo-rfm-mcp/pull/65 (seen 2026-11-30).
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

_JSON = (str, int, bool, type(None))


def check(index: Index) -> Iterator[Found]:
    """The first such value of each result."""
    for at, result in index.results:
        if isinstance(result.content, str):
            continue
        what = first_odd(result.content)
        if what is not None:
            yield index.at_result(at, f"{what} stands in the result; JSON has no form for it", "content")


def first_odd(value: Any) -> str | None:
    """What the first value is that JSON cannot hold; None when there is none."""
    seen: set[int] = set()
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _JSON):
            continue
        if isinstance(item, float):
            if not isfinite(item):
                return str(item)
        elif isinstance(item, dict | list | tuple):
            if id(item) in seen:
                continue
            seen.add(id(item))
            waiting += reversed(list(item.values()) if isinstance(item, dict) else item)
        else:
            return f"a {type(item).__name__}"
    return None


RULE = Rule(
    code="CONT02",
    name="unserialisable-value",
    severity="error",
    check=check,
    fix="ISO text for times, base64 for bytes, null for NaN",
    needs=facts.BLOCKS,
)
