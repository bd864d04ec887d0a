"""What changed between two texts, word by word; in scripts without spaces, character by character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from holter.analysis.diff.align import align

Kind: TypeAlias = Literal["same", "removed", "added"]

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_JOINED = r"[\ufe0e\ufe0f\u20e3\u0300-\u036f\U0001f3fb-\U0001f3ff]|\u200d."
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s](?:{_JOINED})*", re.DOTALL)
_MOST_WORDS = 20_000
"""Words of a text that is compared so; longer ones are compared line by line."""
_LEAST_KEPT = 0.35
"""Of the longer text; where less is in both, a patchwork of single words would say nothing."""


def words(before: str, after: str) -> list[tuple[Kind, str]]:
    """The pieces of both texts in order: what is in both, only in the first, only in the second. All but the added ones make the first
    text, all but the removed ones the second."""
    pieces = [(kind, piece) for kind, piece in _pieces(_split(before), _split(after)) if piece]
    kept = sum(len(piece) for kind, piece in pieces if kind == "same")
    if kept >= _LEAST_KEPT * max(len(before), len(after)):
        return pieces
    apart: list[tuple[Kind, str]] = [("removed", before), ("added", after)]
    return [(kind, piece) for kind, piece in apart if piece]


def _split(text: str) -> list[str]:
    found = _WORD.findall(text) if len(text) < _MOST_WORDS * 8 else []
    return found if 0 < len(found) <= _MOST_WORDS else text.splitlines(keepends=True)


def _pieces(a: list[str], b: list[str]) -> Iterator[tuple[Kind, str]]:
    at_a = at_b = 0
    same: list[str] = []
    for i, j in align(a, b):
        if i > at_a or j > at_b:
            yield "same", "".join(same)
            same = []
            yield "removed", "".join(a[at_a:i])
            yield "added", "".join(b[at_b:j])
        same.append(a[i])
        at_a, at_b = i + 1, j + 1
    yield "same", "".join(same)
    yield "removed", "".join(a[at_a:])
    yield "added", "".join(b[at_b:])
