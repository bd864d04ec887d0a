"""Lines fit, in cells."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from holter.render.wrap import flow, shorten, wrap


def test_words_are_kept_whole() -> None:
    """Lines end between words."""
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_chinese_is_broken_between_characters() -> None:
    """A line is filled to its end, though Chinese has no blanks."""
    assert wrap("用API查天气和酒店", 10) == ["用API查天", "气和酒店"]


def test_no_line_begins_with_a_closing_mark() -> None:
    """Punctuation stays with what it closes, brackets with what they open."""
    assert wrap("我们去北京。好", 10) == ["我们去北", "京。好"]
    assert wrap("我们去看《天》", 10) == ["我们去看", "《天》"]


def test_continuation_lines_keep_the_indentation() -> None:
    """Code and lists stay readable."""
    assert wrap("    one two three four", 16) == ["    one two", "    three four"]


def test_a_word_wider_than_the_line_is_cut() -> None:
    """Addresses and base64 do not break the layout."""
    assert wrap("see " + "x" * 20, 10) == ["see", "x" * 10, "x" * 10]


def test_emoji_sequences_are_not_torn() -> None:
    """A family stays together."""
    family = "👨\u200d👩\u200d👧"
    assert wrap(family * 6, 8) == [family * 4, family * 2]


def test_tabs_are_columns() -> None:
    """A tab goes to the next stop, counted in cells."""
    assert wrap("中\tb", 20) == ["中  b"]


def test_facts_are_broken_between_two_of_them() -> None:
    """A dot neither begins nor ends a line."""
    assert flow(["one", "two", "three"], 10) == ["one · two", "three"]


def test_shortened_text_says_so() -> None:
    """The end of what is left out is marked, within the width."""
    assert shorten("明天北京的天气", 8) == "明天北…"


@given(st.text(), st.integers(8, 40))
def test_no_line_is_too_wide(text: str, width: int) -> None:
    """Whatever the text."""
    text = text.replace("\r", "").replace("\x0b", "").replace("\x0c", "")
    assert all(cell_len(line) <= width for line in wrap(text, width))


@given(st.text(), st.integers(8, 40))
def test_nothing_but_blanks_is_lost(text: str, width: int) -> None:
    """All that can be seen is still there, in order."""
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())
