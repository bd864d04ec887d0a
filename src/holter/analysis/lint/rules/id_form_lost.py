"""An id whose own form was replaced.

What:   a model that needs its own form of ids gets it back unchanged (Kimi: `functions.NAME:N`).
Why:    Kimi counts on it: after a foreign id it writes calls as text, or calls nothing.
Seen:   the client gives every call an id of its own making.
Target: kimi
Bad:    user x · calls call_ab12 read_file · result call_ab12 A · user y
Good:   user x · calls functions.read_file:0 read_file · result functions.read_file:0 A · user y
Source: https://github.com/vybestack/llxprt-code/issues/713 (2025-12-05).
"""

import re
from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage


def check(index: Index) -> Iterator[Found]:
    """Each call whose id has another form; the hint names the model's own id where it was kept."""
    demand = index.demand("ID03")
    if demand is None or demand.pattern is None:
        return
    fits = re.compile(demand.pattern).fullmatch
    for at, message in index.answers:
        for position, call in enumerate(message.calls):
            own = call.get("id")
            if not isinstance(own, str) or not own or fits(own):
                continue
            raw = raw_id(message, position)
            hint = f"its own id is kept beside it: {raw}" if raw else "keep the provider's id beside your own, and send it back"
            yield index.at_call(
                index.call_at(at, position), f"the id {own!r} replaced the model's own form", "id", hint=hint, fixable=bool(raw)
            )


def raw_id(message: AIMessage, position: int) -> str | None:
    """The provider's own id of a call, where the log keeps it."""
    kept = message.extra.get("raw_ids")
    if isinstance(kept, list) and position < len(kept) and isinstance(kept[position], str):
        return str(kept[position])
    own = (message.calls[position].get("extras") or {}).get("provider_id")
    return own if isinstance(own, str) else None


RULE = Rule(
    code="ID03",
    name="id-form-lost",
    severity="warning",
    check=check,
    fix="restore the id that is kept beside it",
    needs=facts.CALLS,
    profiled=True,
)
