"""An id with letters that the target does not take.

What:   ids fit the target's pattern (Mistral: nine letters or digits; Anthropic: letters, digits, `_` and `-`).
Why:    the request is refused: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9".
Seen:   a session that began with another provider; ids made of names with dots and colons.
Target: mistral
Bad:    user x · calls call_PTLP8xhu3uwZk4l3nlnrrJha search · result call_PTLP8xhu3uwZk4l3nlnrrJha r
Good:   user x · calls PTLP8xhu3 search · result PTLP8xhu3 r
Source: https://github.com/anomalyco/opencode/issues/1680 (2025-08-07), https://github.com/maximhq/bifrost/issues/5097 (2026-07-10).
"""

import re
from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each call and each result with such an id."""
    demand = index.demand("ID02")
    if demand is None or demand.pattern is None:
        return
    fits = re.compile(demand.pattern).fullmatch
    for at, message in index.answers:
        for position, call in enumerate(message.calls):
            own = call.get("id")
            if isinstance(own, str) and own.strip() and not fits(own):
                text = f"the id {own!r} does not fit {demand.pattern}"
                yield index.at_call(index.call_at(at, position), text, "id", hint="map it on both sides of the pair")
    for at, result in index.results:
        own = result.tool_call_id
        if own and own.strip() and not fits(own):
            yield index.at_result(at, f"the id {own!r} does not fit {demand.pattern}", "id")


RULE = Rule(
    code="ID02",
    name="id-charset",
    severity="error",
    check=check,
    fix="an id of the right form on both sides",
    needs=facts.CALLS | facts.RESULTS,
    profiled=True,
)
