"""Word diffs."""

from hypothesis import given

from holter.analysis.diff import words
from tests.strategies import any_texts


def test_words() -> None:
    """Whole words of scripts with spaces, characters of those without."""
    assert words("sunny, 20 °C in Rome", "rainy, 20 °C in Rome") == [("removed", "sunny"), ("added", "rainy"), ("same", ", 20 °C in Rome")]
    assert words("明天是晴天", "明天是雨天") == [("same", "明天是"), ("removed", "晴"), ("added", "雨"), ("same", "天")]


def test_texts_with_little_in_common_stand_whole() -> None:
    """A patchwork of single words would say nothing."""
    assert words("a quick brown fox", "the slow dog sleeps on") == [("removed", "a quick brown fox"), ("added", "the slow dog sleeps on")]


@given(any_texts, any_texts)
def test_both_texts_are_in_it(a: str, b: str) -> None:
    """Without what was added it is the first text, without what was removed the second."""
    pieces = words(a, b)
    assert "".join(piece for kind, piece in pieces if kind != "added") == a
    assert "".join(piece for kind, piece in pieces if kind != "removed") == b


@given(any_texts)
def test_equal_texts(a: str) -> None:
    """Are one piece, or none."""
    assert words(a, a) == ([("same", a)] if a else [])
