"""How a run ended, as a person reads it: the state, and a line with what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from holter.cli.driving import Outcome
from holter.messages import Conversation
from holter.render.live_note import plain_value
from holter.render.quantity import plural
from holter.render.redact import Level, redact_value
from holter.render.span import span
from holter.render.total import total, total_facts
from holter.render.value import fields
from holter.render.view import View
from holter.render.wrap import flow


def state_text(values: Mapping[str, Any], view: View, redact: Level | None) -> Text:
    """The fields of a state, whole; nothing of an empty one."""
    if not values:
        return Text()
    plain = {key: plain_value(value) for key, value in values.items()}
    shown = redact_value(plain, redact) if redact else plain
    lines = [span("state", "bold"), *(span("  ") + line for line in fields(shown, view.measure - 2))]
    return Text().join([Text("\n"), *(line + span("\n") for line in lines)])


def total_text(outcome: Outcome, view: View) -> Text:
    """`done · 3 steps · 2 calls · 431 tokens: 339 in, 92 out · 1.4 s`."""
    answers = outcome.answers
    steps = len(answers) or outcome.steps
    _, *counts = total_facts(total(Conversation(format="", messages=[*answers])))
    facts = [outcome.status or "not begun", plural(steps, "step"), *(counts if answers else []), f"{outcome.seconds:.1f} s"]
    lines = [span(line, "dim") for line in flow(facts, view.width)]
    status = facts[0]
    lines[0].stylize("not dim bold green" if status == "done" else "not dim bold red", 0, len(status))
    return Text().join([Text("\n"), *(line + span("\n") for line in lines)])
