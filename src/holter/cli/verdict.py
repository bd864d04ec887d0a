"""How a run ended, as an exit code and a sentence."""

from __future__ import annotations

import json
from typing import Any, assert_never

from holter.cli.driving import Outcome
from holter.cli.fault import say_error
from holter.cli.say import say
from holter.render.redact import Level, redact_value

CANCELLED = 130
"""Exit code of what Ctrl-C ended, as shells have it."""
NOT_BEGUN = 2
"""Exit code of a run that never began: an input that does not fit, a thread that another one drives."""


def verdict(outcome: Outcome, *, with_traceback: bool, redact: Level | None) -> int:
    """The exit code; says what kept the run from its end, if something did."""
    match outcome.status:
        case "done":
            return 0
        case "interrupted":
            say(_open(redact_value(outcome.questions, redact) if redact else outcome.questions))
            return 1
        case "limit":
            say(outcome.limit or "the run hit a limit")
            return 1
        case "cancelled":
            say("the run was cancelled; its history is valid")
            return CANCELLED
        case "failed" | None:
            if outcome.error is not None:
                say_error(outcome.error, with_traceback=with_traceback, redact=redact, redaction=outcome.redaction)
            return 1 if outcome.status == "failed" else NOT_BEGUN
        case _:
            assert_never(outcome.status)


def _open(questions: dict[str, Any]) -> str:
    said = "; ".join(f"{_in_a_line(question)} ({key})" for key, question in questions.items())
    are = "1 question is" if len(questions) == 1 else f"{len(questions)} questions are"
    return f"{are} open: {said}"


def _in_a_line(question: Any) -> str:
    match question:
        case {"type": "approval", "tool": str(name)}:
            return f"may {name} run?"
        case {"type": "unknown", "tool": str(name)}:
            return f"{name} was started and nobody knows what it did: again, its result, or fail?"
        case str(text):
            return text
        case _:
            return json.dumps(question, ensure_ascii=False, default=str)
