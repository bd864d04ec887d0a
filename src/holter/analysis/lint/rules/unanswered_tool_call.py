"""A tool call that no result answers.

What:   every call has a result before the next message that is not a result, or before the end of a request.
Why:    OpenAI, Anthropic, Gemini and DeepSeek refuse the request, and the thread stays refused until it is repaired.
Seen:   a run was cancelled or crashed between call and result; a hand-off carried only its own result; one of several parallel calls was lost.
Bad:    user go · calls a look; b look · result a 4C · user well?
Good:   user go · calls a look; b look · result a 4C · result b 9C · user well?
Source: https://github.com/agno-agi/agno/issues/3105 (2025-05-06), https://github.com/anthropics/claude-code/issues/5989 (2025-08-17).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.call import Call
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import ToolMessage

_MANY = 5
"""So many unanswered calls in a row, to the end of the log, are one cut."""


def check(index: Index) -> Iterator[Found]:
    """Each unanswered call, in order; the hint names a result that may be its own under another id, or the place of a cut."""
    open_calls = [call for call in index.unanswered if not _is_counted(index, call)]
    cut = _cut(index, open_calls)
    for call in open_calls:
        what = f"{call.name or 'a call without a name'} ({call.id or 'no id'})"
        untold = next((at for at, turn in index.untold.items() if turn == call.message), None)
        fixable = index.is_fixable(call.message)
        hint = cut or _hint(index, call) if untold is None else f"the result without an id at {index.shown(untold)} may be its own"
        if call.message + 1 < index.is_forced_end:
            yield index.at_call(call, f"{what} has no result", hint=hint, fixable=fixable)
        elif index.is_sent:
            yield index.at_call(call, f"{what} has no result, and the request ends here", hint=hint, fixable=fixable)
        elif not index.ends_with_response:
            hint = "its result is not in this log: the run was going on, or ended here"
            yield index.at_call(call, f"{what} is pending", hint=hint, severity="info", fixable=False)


def _is_counted(index: Index, call: Call) -> bool:
    """Whether a narrower rule tells of the turn: Gemini counts the responses of a turn that has some (PAIR11)."""
    if index.demand("PAIR11") is None:
        return False
    after = call.message + 1
    return after < len(index.messages) and isinstance(index.messages[after], ToolMessage)


def _cut(index: Index, open_calls: list[Call]) -> str | None:
    """What is said of a whole run of unanswered calls."""
    if len(open_calls) < _MANY:
        return None
    first = open_calls[0].message
    if any(call.result is not None for call in index.calls if call.message > first):
        return None
    return f"no call is answered from message {index.shown(first)} on: the results were cut away here, or kept apart"


def _hint(index: Index, call: Call) -> str:
    turn_end = next((c.message for c in index.calls if c.message > call.message), len(index.messages))
    orphans = [at for at in index.orphans if call.message < at < turn_end]
    if orphans:
        result = index.messages[orphans[0]]
        assert isinstance(result, ToolMessage)
        return f"result {result.tool_call_id!r} at {index.shown(orphans[0])} answers no call: wrong id?"
    others = [c for c in index.calls if c.message == call.message and c is not call and c.result is not None]
    handed = next((c for c in others if (c.name or "").startswith(("transfer_to", "handoff", "hand_off"))), None)
    if handed is not None:
        return f"{handed.id} is a hand-off: results of the calls beside it were not carried along"
    return "answer it with an error result that says it may or may not have run"


RULE = Rule(
    code="PAIR01",
    name="unanswered-tool-call",
    severity="error",
    check=check,
    fix="insert an error result right behind the call: it may or may not have run",
    needs=facts.PAIRS,
)
