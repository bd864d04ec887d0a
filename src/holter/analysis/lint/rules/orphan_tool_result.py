"""A tool result that answers no call.

What:   every result names a call that was made earlier and is still open.
Why:    providers refuse a result whose call is not in the request.
Seen:   a trimmer cut the call away and left its result; ids were made anew on one side; only new items were sent to Responses.
Bad:    result a 4C · assistant It is 4C. · user thanks
Good:   user go · calls a look · result a 4C · assistant It is 4C. · user thanks
Source: https://github.com/continuedev/continue/issues/4751 (2025-03-21), https://github.com/langchain-ai/langchain/pull/35313 (2026-02-18).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each result without a call, in order; the hint says where its call may have gone."""
    if "previous_response_id" in index.settings or "conversation" in index.settings or index.is_fragment:
        return
    made = {call.id for call in index.calls if call.id}
    first_call = index.calls[0].message if index.calls else len(index.messages)
    for at in index.orphans:
        result = index.messages[at]
        assert isinstance(result, ToolMessage)
        if at in index.empties or result.tool_call_id in made or _is_head(index, at):
            continue
        text = f"result {result.tool_call_id!r} answers no call"
        yield index.at_result(at, text, "id" if index.wire == "responses" else "", hint=_hint(index, at, result, first_call))


def _is_head(index: Index, at: int) -> bool:
    """Whether the result stands at the head of a Gemini history, or in a turn that Gemini counts: PAIR10 and PAIR11 tell of that."""
    if index.demand("PAIR10") is None:
        return False
    before = at - 1
    while before >= 0 and isinstance(index.messages[before], ToolMessage):
        before -= 1
    return before < 0 or bool(index.calls_of(before))


def _hint(index: Index, at: int, result: ToolMessage, first_call: int) -> str:
    own = result.tool_call_id or ""
    for call in index.unanswered:
        if own and call.id and call.message < at and min(len(own), len(call.id)) >= 8:
            longer, shorter = sorted((own, call.id), key=len, reverse=True)
            if longer.startswith(shorter):
                return f"it is a cut-off form of {call.id} at {index.shown(call.message)}"
    waiting = [call for call in index.unanswered if call.message < at]
    if waiting:
        return f"likely the result of {waiting[-1].id} at {index.shown(waiting[-1].message)}, which has none: wrong id?"
    if at < first_call:
        return "the history begins behind its call: it was cut inside a call and its results"
    return "its call was left out of this history"


RULE = Rule(
    code="PAIR02",
    name="orphan-tool-result",
    severity="error",
    check=check,
    fix="give it the id of the one open call of its turn, else leave it out of what is sent",
    needs=facts.PAIRS,
)
