"""Cuts a long text: its beginning and its end stay, around a marker that says how much is missing."""

import unicodedata
from collections.abc import Sequence

_MOST_STEPS = 32
"""How far a cut moves to spare what belongs together; longer sequences are no writing."""
_JOINER = "\u200d"


def cut(text: str, max_chars: int) -> str:
    """At most `max_chars` characters of the text, the marker among them; itself when it is short enough.

    A character stays together with the marks that combine with it, and so do an emoji's parts.
    """
    if len(text) <= max_chars:
        return text
    longest = _marker(len(text), len(text))
    left = max_chars - len(longest)
    if left < 2:
        return text[: _before(text, max_chars - 1)] + "…" if max_chars > 0 else ""
    head = _before(text, left - left // 2)
    tail = _behind(text, len(text) - left // 2)
    return f"{text[:head]}{_marker(tail - head, len(text))}{text[tail:]}"


def cut_total(texts: Sequence[str], max_chars: int) -> list[str]:
    """The texts, each cut to the same length where it is longer, so that together they have at most `max_chars` characters.

    A text of which nothing is left is empty.
    """
    limit, left = 0, max_chars
    for position, length in enumerate(sorted(map(len, texts))):
        limit = left // (len(texts) - position)
        if length > limit:
            break
        left -= length
    return [cut(text, limit) for text in texts]


def _marker(missing: int, total: int) -> str:
    return f"\n… {missing:,} of {total:,} characters left out …\n"


def _before(text: str, at: int) -> int:
    """The last place up to `at` where nothing that belongs together is cut."""
    for place in range(at, max(at - _MOST_STEPS, 0), -1):
        if not _belongs(text[place - 1], text[place]):
            return place
    return at


def _behind(text: str, at: int) -> int:
    """The first place from `at` on where nothing that belongs together is cut."""
    for place in range(at, min(at + _MOST_STEPS, len(text))):
        if not _belongs(text[place - 1], text[place]):
            return place
    return at


def _belongs(a: str, b: str) -> bool:
    """Whether the second of two characters that stand side by side is a part of the first one's."""
    if b < "\u0300":
        return a == "\r" and b == "\n"
    return (
        a == _JOINER
        or b == _JOINER
        or unicodedata.category(b) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= b <= "\U0001f3ff"
        or "\U000e0020" <= b <= "\U000e007f"
        or ("\U0001f1e6" <= a <= "\U0001f1ff" and "\U0001f1e6" <= b <= "\U0001f1ff")
    )
