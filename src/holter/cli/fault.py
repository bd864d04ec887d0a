"""What a program's own exception comes to: one sentence, and the line of the program."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from holter.cli.say import say
from holter.errors import HolterError, LeaseHeld
from holter.journal.redaction import NOTHING, Redaction
from holter.render.redact import Level, redact_value

_LONGEST = 2_000
"""Characters of a sentence that are said."""


def say_error(error: BaseException, *, with_traceback: bool, redact: Level | None, redaction: Redaction = NOTHING) -> None:
    """Says what was raised, at which line of the program, and in which node; with `with_traceback` the calls that led there, too.
    `redaction`: what is not to be shown of the thread."""
    if with_traceback:
        text = redaction.text("".join(traceback.format_exception(error)))
        sys.stderr.write(redact_value(text, redact) if redact else text)
    where = raised_at(error)
    text = " ".join(_sentence(error).split()) if isinstance(error, HolterError) else said(error)
    text = redaction.text(text)
    if redact:
        text = redact_value(text, redact)
    node = next((note for note in getattr(error, "__notes__", []) if note.startswith("in node ")), "").partition(", task ")[0]
    sentence = f"{where}: {text}" if where else text
    if node and node.removeprefix("in ") not in text:
        sentence += f" ({node})"
    hint = "" if with_traceback or isinstance(error, HolterError) else "; --traceback shows the calls that led there"
    say((sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST] + "…") + hint)


def _sentence(error: HolterError) -> str:
    """What the error says, with what to do about it in words of the command line."""
    return f"{error} with --takeover" if isinstance(error, LeaseHeld) else str(error)


def said(error: BaseException) -> str:
    """The exception in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - the class is the program's own
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def raised_at(error: BaseException) -> str:
    """The innermost line that is the program's own: not Python's, not Holter's and not a package's; empty where there is none."""
    here = Path(__file__).parents[1]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        is_foreign = (
            here in path.parents or "site-packages" in path.parts or str(path).startswith(sys.base_prefix) or frame.filename.startswith("<")
        )
        if not is_foreign:
            return place(frame.filename, frame.lineno)
    return ""


def place(file: str | None, line: int | None) -> str:
    """`tools.py:12`, short where the file lies below the working folder."""
    if not file:
        return ""
    path = Path(file)
    shown = path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
    return f"{shown}:{line}" if line is not None else str(shown)
