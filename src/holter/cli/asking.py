"""Asking a person what a run asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rich.text import Text

from holter.cli.given import answer_of, is_answerable
from holter.cli.output import is_terminal
from holter.cli.screen import Screen
from holter.graph.input import misfit
from holter.journal.question import Question
from holter.render.control import one_line
from holter.render.live_note import plain_value
from holter.render.paragraph import indented, paragraph
from holter.render.question import question_lines
from holter.render.redact import Level, redact_value
from holter.render.view import View

_PROMPT = "  answer (y, n, JSON or text): "


def answers(
    questions: Mapping[str, Any], screen: Screen, view: View, redact: Level | None, leaves: Callable[[str], bool]
) -> dict[str, Any] | None:
    """What a person answers, by key; None when they answer nothing: Ctrl-D, Ctrl-C, or a line that `leaves` the questions. An answer that
    does not fit its question is asked for again."""
    found: dict[str, Any] = {}
    for key, value in questions.items():
        question = Question(key=key, value=value)
        screen.write(_question_text(redact_value(plain_value(value), redact) if redact else value, view))
        while key not in found:
            text = next((line for line in _answers() if line.strip()), None)
            if text is None or leaves(text.strip()):
                return None
            if not is_answerable():
                screen.write(Text(f"  answer: {redact_value(text, redact) if redact else one_line(text)}\n"))
            answer = answer_of(text, value)
            if (wrong := misfit(question, answer)) is None:
                found[key] = answer
            else:
                screen.write(_misfit_text(redact_value(wrong, redact) if redact else wrong, view))
    return found


def _question_text(question: Any, view: View) -> Text:
    """A question below what was written before."""
    return Text().join([Text("\n"), *(line + Text("\n") for line in question_lines(question, view))])


def _misfit_text(wrong: str, view: View) -> Text:
    """What is wrong with an answer, below it."""
    return Text().join(line + Text("\n") for line in indented(paragraph(wrong, view.measure - 2), Text("  ")))


def _answers() -> Iterator[str]:
    """As `lines`; Ctrl-C ends them."""
    try:
        yield from lines(_PROMPT, begins_anew=False)
    except KeyboardInterrupt:
        if is_terminal():
            sys.stdout.write("\n")


def lines(prompt: str, *, begins_anew: bool = True) -> Iterator[str]:
    """What is typed, line by line, until the input ends. The prompt is shown to a person only, on standard error where standard output is
    not the terminal. Ctrl-C begins the line anew, or is raised."""
    while (line := _line(prompt, begins_anew=begins_anew)) is not None:
        yield line


def _line(prompt: str, *, begins_anew: bool) -> str | None:
    if not is_answerable():
        line = sys.stdin.readline() if sys.stdin is not None else ""
        return line.rstrip("\r\n") if line else None
    try:
        if is_terminal():
            return _typed(prompt, begins_anew=begins_anew)
        sys.stderr.write(prompt)
        sys.stderr.flush()
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
    except EOFError:
        return None


def _typed(prompt: str, *, begins_anew: bool) -> str:
    """A line, which can be edited where Python can do that."""
    with suppress(ImportError):
        import readline  # noqa: F401 - what `input` edits with
    while True:
        try:
            return input(prompt)
        except KeyboardInterrupt:
            if not begins_anew:
                raise
            sys.stdout.write("\n")
