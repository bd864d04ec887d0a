"""Which items of two sequences belong together: in their order, by equality.

Equal beginnings and ends first, then items that occur once in each ("patience"), then what is left between those; small rests exactly,
large ones not at all, so that the work stays close to linear.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

_Span: TypeAlias = tuple[int, int, int, int]

_SMALL = 40_000
"""Cells of a table that a rest is aligned exactly with."""


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """(position in `a`, position in `b`) of equal items, both rising."""
    found: list[tuple[int, int]] = []
    waiting: list[_Span] = [(0, len(a), 0, len(b))]
    while waiting:
        start_a, end_a, start_b, end_b = waiting.pop()
        while start_a < end_a and start_b < end_b and a[start_a] == b[start_b]:
            found.append((start_a, start_b))
            start_a, start_b = start_a + 1, start_b + 1
        while start_a < end_a and start_b < end_b and a[end_a - 1] == b[end_b - 1]:
            end_a, end_b = end_a - 1, end_b - 1
            found.append((end_a, end_b))
        if start_a == end_a or start_b == end_b:
            continue
        span = start_a, end_a, start_b, end_b
        anchors = _unique(a, b, span)
        if anchors:
            found += anchors
            waiting += _between(anchors, span)
        elif (end_a - start_a) * (end_b - start_b) <= _SMALL:
            found += _exact(a, b, span)
    return sorted(found)


def _between(anchors: list[tuple[int, int]], span: _Span) -> Iterator[_Span]:
    start_a, end_a, start_b, end_b = span
    for i, j in [*anchors, (end_a, end_b)]:
        if start_a < i and start_b < j:
            yield start_a, i, start_b, j
        start_a, start_b = i + 1, j + 1


def _unique(a: Sequence[Hashable], b: Sequence[Hashable], span: _Span) -> list[tuple[int, int]]:
    """The longest rising run of items that occur once in each."""
    start_a, end_a, start_b, end_b = span
    once_a = {item for item, count in Counter(a[start_a:end_a]).items() if count == 1}
    once_b = {item for item, count in Counter(b[start_b:end_b]).items() if count == 1}
    both = once_a & once_b
    if not both:
        return []
    where = {b[j]: j for j in range(start_b, end_b) if b[j] in both}
    return _rising([(i, where[a[i]]) for i in range(start_a, end_a) if a[i] in both])


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers rise."""
    ends: list[int] = []
    owners: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(owners[at - 1] if at else -1)
        if at == len(ends):
            ends.append(j)
            owners.append(number)
        else:
            ends[at], owners[at] = j, number
    chosen = []
    number = owners[-1] if owners else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _exact(a: Sequence[Hashable], b: Sequence[Hashable], span: _Span) -> Iterator[tuple[int, int]]:
    """The longest common subsequence, by its table."""
    start_a, end_a, start_b, end_b = span
    rows, columns = end_a - start_a, end_b - start_b
    table = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        item, row, below = a[start_a + i], table[i], table[i + 1]
        for j in range(columns - 1, -1, -1):
            row[j] = below[j + 1] + 1 if item == b[start_b + j] else max(below[j], row[j + 1])
    i = j = 0
    while i < rows and j < columns:
        if a[start_a + i] == b[start_b + j]:
            yield start_a + i, start_b + j
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
