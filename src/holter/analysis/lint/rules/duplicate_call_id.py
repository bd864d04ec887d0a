"""An id that two calls have.

What:   ids of calls are unique inside a message and across the log.
Why:    the wrong result is taken for a call's own. Anthropic refuses the request; others pair by turn, and real logs do use ids again.
Seen:   ids made from name and position (`sh:0`) come again in every turn.
Bad:    user go · calls a look {"n":1}; a look {"n":2} · result a x · result a y · user ok
Good:   user go · calls a look {"n":1}; b look {"n":2} · result a x · result b y · user ok
Source: https://github.com/can1357/oh-my-pi/issues/2055 (2026-06-07), https://github.com/1jehuang/jcode/issues/884 (2026-08-11).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.call import Call
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import Severity


def check(index: Index) -> Iterator[Found]:
    """Each call whose id was used before, in order."""
    if any(f.code == "STRM05" for f in index.conversation.findings):
        return
    strict = (index.target is not None and index.target.ids_unique_in == "history") or index.wire == "anthropic"
    seen: dict[str, Call] = {}
    for call in index.calls:
        if not call.id:
            continue
        first = seen.setdefault(call.id, call)
        if first is call:
            continue
        seen[call.id] = call
        same = first.message == call.message
        was_open = first.result is None or first.result > call.message
        where = "in the same message" if same else f"at {index.shown(first.message)}"
        hint = None if same or was_open else "the earlier call was answered: pair by turn, never by id over the whole log"
        severity: Severity = "error" if same or was_open or strict else "warning"
        text = f"{call.id} was used before, {where}"
        fixable = index.is_fixable(call.message) if index.is_fixable(first.message) is None else False
        yield index.at_call(call, text, "id", hint=hint, severity=severity, fixable=fixable)


RULE = Rule(
    code="PAIR05",
    name="duplicate-call-id",
    severity="error",
    check=check,
    fix="rename the later ones with their results",
    needs=facts.IDS_AGAIN,
)
