"""How much of a long text is shown."""

import msgspec

from holter.render.quantity import plural


class Limit(msgspec.Struct, frozen=True):
    """How much of one text is shown before the rest is only counted."""

    lines: int
    characters: int


PROSE = Limit(40, 4_000)
"""What people and models say to each other."""
MATERIAL = Limit(16, 1_600)
"""System prompts, reasoning, arguments and results: long by habit and read when needed."""
WHOLE = Limit(2**62, 2**62)


def cut(text: str, limit: Limit) -> tuple[str, str]:
    """The shown part of `text`, and the note that says how much is left out; the note is empty when nothing is.

    What is hardly longer than the limit is shown whole: a note in place of two lines helps nobody.
    """
    lines = text.split("\n")
    if len(lines) <= limit.lines + 3 and len(text) <= limit.characters + 200:
        return text, ""
    shown = _first(lines[: limit.lines], limit.characters)
    left = text[len(shown) :]
    whole_lines = left.count("\n") if left.startswith("\n") else 0
    return shown.rstrip("\n"), f"… {plural(whole_lines, 'more line') if whole_lines > 2 else plural(len(left), 'more character')} (--full)"


def _first(lines: list[str], characters: int) -> str:
    """Whole lines up to so many characters; of a first line that is longer, its beginning."""
    kept, taken = [], 0
    for line in lines:
        if taken + len(line) > characters:
            break
        kept.append(line)
        taken += len(line) + 1
    if taken < characters // 2 and len(kept) < len(lines):
        kept.append(lines[len(kept)][: characters - taken])
    return "\n".join(kept)
