"""A long text keeps its beginning and its end, and no character is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.tools.cut import cut, cut_total


def test_says_how_much_is_left_out() -> None:
    """In characters."""
    assert cut("a" * 50_000 + "z" * 10_000, 60) == snapshot("""\
aaaaaaaaa
… 59,982 of 60,000 characters left out …
zzzzzzzzz\
""")


@pytest.mark.parametrize("whole", ["e\u0301\u0323", "👩‍👩‍👧", "👍🏽", "🏴\U000e0067\U000e0062\U000e007f", "☀️", "\r\n", "நி"])
def test_keeps_together_what_belongs_together(whole: str) -> None:
    """Marks with their letter, the parts of an emoji, a line end."""
    for limit in range(60, 60 + 2 * len(whole)):
        head, _, tail = cut(whole * 1_000, limit).partition(" characters left out …\n")
        head = head.rpartition("\n… ")[0]
        assert head == whole * (len(head) // len(whole))
        assert tail == whole * (len(tail) // len(whole))


def test_an_endless_sequence_is_cut_all_the_same() -> None:
    """A thousand marks on one letter are no writing."""
    assert 900 < len(cut("e" + "\u0301" * 10_000, 1_000)) <= 1_000


@given(st.text(max_size=200), st.integers(0, 120))
def test_is_never_too_long(text: str, limit: int) -> None:
    """The marker included; what fits is not touched."""
    short = cut(text, limit)
    assert len(short) <= limit
    assert short == text or len(text) > limit


@given(st.lists(st.text(max_size=200), min_size=1, max_size=5), st.integers(0, 400))
def test_texts_share_what_there_is(texts: list[str], limit: int) -> None:
    """The short ones stay whole, the long ones are cut alike."""
    short = cut_total(texts, limit)
    if sum(map(len, texts)) > limit:
        assert sum(map(len, short)) <= limit
    kept = [len(text) for text, now in zip(texts, short, strict=True) if now == text]
    assert all(len(text) >= max(kept, default=0) for text, now in zip(texts, short, strict=True) if now != text)
