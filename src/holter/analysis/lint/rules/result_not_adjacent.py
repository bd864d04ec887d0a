"""Something stands between a call and its results.

What:   between a call and its results there is nothing but results.
Why:    OpenAI and Anthropic look for the results right behind the call, and refuse the request when another message comes first.
Seen:   a user typed while a tool was running, and the line was stored where it came in.
Bad:    user make a report · calls a look · user as a table please · result a 2 found · user hello?
Good:   user make a report · calls a look · result a 2 found · user as a table please · user hello?
Source: https://github.com/bug-ops/zeph/issues/2615 (2026-04-04), https://github.com/osaurus-ai/osaurus/pull/2653 (2026-09-05).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """The first message in between, once for each place."""
    if index.wire == "responses" or index.speaks == "responses":
        return
    told: set[int] = set()
    for call in index.calls:
        if call.result is None:
            continue
        intruder = next((at for at in range(call.message + 1, call.result) if not isinstance(index.messages[at], ToolMessage)), None)
        if intruder is None or intruder in told or _is_same_message(index, intruder, call.result) or _is_call_turn(index, intruder):
            continue
        told.add(intruder)
        kind = {"human": "a user", "ai": "an assistant", "system": "a system"}[index.messages[intruder].type]
        text = f"{kind} message stands between {call.id or call.name} at {index.shown(call.message)} and its result at {index.shown(call.result)}"
        yield index.at(intruder, text, hint="hold it back until the results are in", fixable=index.is_fixable(call.message))


def _is_same_message(index: Index, intruder: int, result: int) -> bool:
    """Whether both are blocks of one message of the source: then their order in it is wrong, which is PAIR09; Gemini takes any."""
    place, other = index.place(intruder), index.place(result)
    return index.wire in ("anthropic", "gemini") and place.index is not None and place.index == other.index


def _is_call_turn(index: Index, intruder: int) -> bool:
    """Whether what stands between makes calls itself, for Gemini: then the order of its turns is wrong, which is PAIR10."""
    message = index.messages[intruder]
    return index.demand("PAIR10") is not None and isinstance(message, AIMessage) and bool(message.calls)


RULE = Rule(
    code="PAIR03",
    name="result-not-adjacent",
    severity="error",
    check=check,
    fix="move the results up to their call; what stood between goes behind them",
    needs=facts.PAIRS,
)
