"""Asking a person what a run asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rich.text import Text

from holter.cli.given import answer_of, is_answerable
from holter.cli.output import is_terminal
from holter.cli.say import say
from holter.cli.screen import Screen
from holter.render.control import one_line
from holter.render.live_note import plain_value
from holter.render.question import question_lines
from holter.render.redact import Level, redact_value
from holter.render.view import View
from holter.tools.unknown import CHOICES, is_of_unknown, verdict

_PROMPT = "  answer (y, n, JSON or text): "


def answers(
    questions: Mapping[str, Any], screen: Screen, view: View, redact: Level | None, leaves: Callable[[str], bool]
) -> dict[str, Any] | None:
    """What a person answers, by key; None when they answer nothing: Ctrl-D, Ctrl-C, or a line that `leaves` the questions."""
    found: dict[str, Any] = {}
    for key, question in questions.items():
        screen.write(_question_text(redact_value(plain_value(question), redact) if redact else question, view))
        text = next((line for line in _answers() if _says_something(line, question) or leaves(line.strip())), None)
        if text is None or leaves(text.strip()):
            return None
        if not is_answerable():
            screen.write(Text(f"  answer: {redact_value(text, redact) if redact else one_line(text)}\n"))
        found[key] = answer_of(text, question)
    return found


def _says_something(line: str, question: Any) -> bool:
    """Whether the line is an answer; says what would be one to the question what became of a call, which takes only some."""
    if not line.strip():
        return False
    if is_of_unknown(question) and verdict(answer_of(line, question)) is None:
        say(f"{line.strip()!r} does not say what became of the call; one that does: {CHOICES}")
        return False
    return True


def _question_text(question: Any, view: View) -> Text:
    """A question below what was written before."""
    return Text().join([Text("\n"), *(line + Text("\n") for line in question_lines(question, view))])


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
