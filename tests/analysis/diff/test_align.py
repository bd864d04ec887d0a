"""Aligning two sequences."""

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from holter.analysis.diff.align import align

sequences = st.lists(st.sampled_from("abcdefghij"), max_size=40)


@given(sequences, sequences)
def test_pairs_are_equal_and_rise(a: list[str], b: list[str]) -> None:
    """Whatever is compared."""
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


@given(sequences)
def test_equal_sequences_match_whole(a: list[str]) -> None:
    """Item by item."""
    assert align(a, a) == [(i, i) for i in range(len(a))]


@given(sequences, st.integers(0, 40), sequences)
def test_an_insertion_is_found(a: list[str], at: int, new: list[str]) -> None:
    """Everything that was there before is matched."""
    at = min(at, len(a))
    inserted = [f"new {item}" for item in new]
    assert len(align(a, [*a[:at], *inserted, *a[at:]])) == len(a)


def test_long_sequences_without_anything_in_common() -> None:
    """Cost no square: a hundred thousand items each."""
    begun = time.process_time()
    assert align(list(range(100_000)), list(range(100_000, 200_000))) == []
    assert align([1, 2] * 50_000, [3] * 100_000) == []
    assert time.process_time() - begun < 5
