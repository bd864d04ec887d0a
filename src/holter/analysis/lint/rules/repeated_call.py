"""The same call again and again, with the same result.

What:   a call with equal arguments and an equal result does not come three times in a row; two calls that take turns count too.
Why:    nothing changes: tokens are spent until a limit ends the run.
Seen:   an empty result that does not say what to do next; results that are not sent back. A polling tool whose results change never counts.
Bad:    user list · calls r1 ls {"p": "/"} · result r1 [] · calls r2 ls {"p": "/"} · result r2 [] · calls r3 ls {"p": "/"} · result r3 []
Good:   user wait · calls p1 status {"j": 7} · result p1 10% · calls p2 status {"j": 7} · result p2 55% · calls p3 status {"j": 7} · result p3 100%
Source: https://github.com/earendil-works/pi/issues/9637 (2026-09-15), https://github.com/PrimeIntellect-ai/prime-agent/issues/1326 (2026-08-13).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.call import Call
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import canonical
from holter.messages import HumanMessage

_MANY = 3
_TAKING_TURNS = 2


def check(index: Index) -> Iterator[Found]:
    """The third equal call of each run of repeats; a user message begins anew."""
    run: list[tuple[tuple[str, str, str], Call]] = []
    told: set[tuple[str, str, str]] = set()
    last = -1
    for call in index.calls:
        if any(isinstance(index.messages[at], HumanMessage) for at in range(last + 1, call.message)):
            run, told = [], set()
        last = call.message
        key = _key(index, call)
        if key is None:
            continue
        while len({k for k, _ in run} | {key}) > _TAKING_TURNS:
            told.discard(run[0][0])
            del run[0]
        run.append((key, call))
        equal = [c for k, c in run if k == key]
        if len(equal) >= _MANY and key not in told and len({c.message for c in equal}) >= _MANY:
            told.add(key)
            places = ", ".join(str(index.shown(c.message)) for c in _all(index, key, equal[0]))
            text = f"{call.name} is called with equal arguments for the third time ({places}), with equal results"
            yield index.at_call(call, text, hint="a result that says what to do next, a limit on repeats, `tool_choice: auto`")


def _all(index: Index, key: tuple[str, str, str], first: Call) -> list[Call]:
    return [call for call in index.calls if call.message >= first.message and _key(index, call) == key][:10]


def _key(index: Index, call: Call) -> tuple[str, str, str] | None:
    """Name, canonical arguments and result; None for a call without a result."""
    if call.result is None:
        return None
    return call.name or "", canonical(call.call.get("args")), index.messages[call.result].text


RULE = Rule(code="LOOP01", name="repeated-call", severity="warning", check=check, needs=facts.SAME_RESULT)
