"""Where the values of a call's arguments come from: from which earlier message, or from none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from holter.analysis.explain.index import Index
from holter.analysis.explain.word import leaves

Where: TypeAlias = Literal[
    "user", "system", "answer", "result", "choice", "form", "words", "part", "chance", "nowhere", "wording", "unseen"
]
"""What the user said; the instructions; what the model said or called before; a result; one of the choices that the tool's schema gives;
what the user wrote in another form; words of the user's; a text with a part that a result brought up; a message that so short a value may
stand in by chance; none of these: a value, or a text of the model's own; none, in a log that does not hold what was asked."""

_LONGEST_TEXT = 300
"""Characters of a text whose parts are looked for."""
_BLANKED = re.compile(r"\s*\[(?:redacted|number|\d+ characters)\]\s*")
"""What stands in the place of a text that is not to be shown."""
_FEWEST_WORDS = 8
"""Words from which on a text is written, and no value that somebody could know."""


class Origin(msgspec.Struct, frozen=True):
    """Where one value comes from."""

    path: str
    """Which argument: "city", "days[0]"."""
    value: Any
    where: Where
    message: int | None = None
    """Position of the message it stands in."""
    form: str = ""
    """What the user wrote, where the value is another form of it; the part that a result brought up."""


def origins(call: dict[str, Any], index: Index, choices: dict[str, list[Any]]) -> Iterator[Origin]:
    """Where each value of a call's arguments comes from. True, false and null come from nowhere and are left out; so is what was blanked
    out, of which nothing can be known. `choices` are the values that the tool's schema gives for an argument."""
    args = call.get("args")
    for path, value in leaves(args) if isinstance(args, dict) else ():
        if isinstance(value, str) and _BLANKED.fullmatch(value):
            continue
        found = index.find(value, path)
        if found is not None:
            yield Origin(path, value, *found)
        elif value in choices.get(path, ()):
            yield Origin(path, value, "choice")
        else:
            yield from _made(path, value, index)


def _made(path: str, value: Any, index: Index) -> Iterator[Origin]:
    """Where a value comes from that stands nowhere as it is."""
    if isinstance(value, str):
        if (form := index.forms(value)) is not None:
            yield Origin(path, value, "form", form[1], form[0])
            return
        parts = list(index.parts(value)) if len(value) <= _LONGEST_TEXT else []
        if parts:
            yield from (Origin(path, value, "part", at, part) for part, at in parts)
            return
        if (at := index.put_together(value)) is not None:
            yield Origin(path, value, "words", at)
            return
    if (at := index.chance(value)) is not None:
        yield Origin(path, value, "chance", at)
    elif not index.has_question:
        yield Origin(path, value, "unseen")
    else:
        yield Origin(path, value, "wording" if isinstance(value, str) and len(value.split()) >= _FEWEST_WORDS else "nowhere")


def choices_of(schema: dict[str, Any] | None) -> dict[str, list[Any]]:
    """Argument -> the values that a schema gives for it."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return {}
    return {name: inner["enum"] for name, inner in properties.items() if isinstance(inner, dict) and isinstance(inner.get("enum"), list)}
