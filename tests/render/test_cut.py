"""Long texts are cut, and it is said by how much."""

from holter.render.cut import PROSE, WHOLE, Limit, cut


def test_what_is_hardly_longer_is_shown_whole() -> None:
    """A note in place of two lines helps nobody."""
    text = "\n".join(map(str, range(42)))
    assert cut(text, PROSE) == (text, "")


def test_many_lines_are_counted() -> None:
    """The note says how many lines are left out."""
    text = "\n".join(map(str, range(100)))
    assert cut(text, Limit(3, 100)) == ("0\n1\n2", "… 97 more lines (--full)")


def test_one_long_line_is_counted_in_characters() -> None:
    """A line of 10,000 characters is cut too."""
    assert cut("x" * 10_000, Limit(3, 1_000)) == ("x" * 1_000, "… 9,000 more characters (--full)")


def test_whole_is_whole() -> None:
    """No limit, no note."""
    text = "x\n" * 10_000
    assert cut(text, WHOLE) == (text, "")
