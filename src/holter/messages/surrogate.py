"""Halves of UTF-16 pairs in a text: they are no characters, and nothing that stores or sends UTF-8 takes them."""

import re

_LONE = re.compile("[\ud800-\udfff]")


def is_valid(text: str) -> bool:
    """Whether the text is Unicode: no surrogate stands in it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def repaired(text: str) -> str:
    """The text with split pairs joined and every lone half replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def escaped(text: str) -> str:
    """The text with every half written as an escape (`\\ud83d`), so that it can be stored and still be seen."""
    return text if is_valid(text) else text.encode("utf-8", "backslashreplace").decode()


def first(text: str) -> int:
    """Where the first half stands, or -1."""
    found = _LONE.search(text)
    return found.start() if found else -1
