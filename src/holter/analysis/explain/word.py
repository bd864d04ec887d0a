"""Words of texts of any script, as the index of a conversation takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_CJK_LETTERS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[a-z0-9_]+|[{_CJK_LETTERS}]+")
_CJK = re.compile(rf"[{_CJK_LETTERS}]")
_WRITTEN = re.compile(r"[\w.-]+")
_NO_LETTER = re.compile(r"[\W_]")


def pieces(text: str) -> Iterator[str]:
    """Words, and of scripts without spaces each pair of characters."""
    for word in _WORD.findall(text):
        if not _CJK.match(word) or len(word) == 1:
            yield word
        else:
            yield from (word[i : i + 2] for i in range(len(word) - 1))


def written(text: str) -> list[str]:
    """The words as they stand, with the dots and dashes inside them."""
    return [word.strip(".-") for word in _WRITTEN.findall(text)]


def bare(text: str) -> str:
    """Letters and digits only."""
    return _NO_LETTER.sub("", text)


def weight(text: str) -> int:
    """How much a text says: its characters, those of scripts without spaces counted twice."""
    return len(text) + len(_CJK.findall(text))


def is_apart(text: str, start: int, end: int) -> bool:
    """Whether what stands between is not a part of a longer word."""
    before = start > 0 and _joins(text[start - 1]) and _joins(text[start])
    after = end < len(text) and _joins(text[end]) and _joins(text[end - 1])
    return not before and not after


def _joins(letter: str) -> bool:
    return letter.isalnum() and not _CJK.match(letter)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of each value inside a value that says something: true, false, null and the empty text do not."""
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, dict):
            waiting += reversed([(f"{at}.{key}" if at else str(key), inner) for key, inner in item.items()])
        elif isinstance(item, list):
            waiting += reversed([(f"{at}[{i}]", inner) for i, inner in enumerate(item)])
        elif item is not None and not isinstance(item, bool) and item != "":
            yield at, item


def last_name(path: str) -> str:
    """The name that a path ends in, in lower case: "id" of "orders[0].ID"."""
    return path.rpartition(".")[2].partition("[")[0].lower()
