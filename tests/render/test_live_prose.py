"""Text that is written while it comes."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from holter.render.control import visible
from holter.render.cut import Limit
from holter.render.live_prose import Prose
from holter.render.span import span
from holter.render.wrap import wrap

_BLANKS = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
"""Blanks of other kinds, which are made visible or as wide as a tab."""
_CHARACTERS = st.one_of(
    st.sampled_from(" \nab，。（）好的x🌤️\u200d👩💻🇩🇪\x1b-*`"), st.characters(exclude_characters=_BLANKS, exclude_categories=["Cs"])
)


def written(prose: Prose, *deltas: str) -> str:
    """All that was to be written."""
    shown = Text()
    for delta in deltas:
        shown += prose.add(delta)
    return (shown + prose.end()).plain


@given(st.text(_CHARACTERS, max_size=60), st.lists(st.integers(0, 60), max_size=8), st.integers(8, 30))
def test_it_reads_as_the_whole_text(text: str, cuts: list[int], width: int) -> None:
    """However it comes in pieces, the lines are those that `wrap` makes of the whole text."""
    if any(len(line) - len(line.lstrip()) > width // 2 for line in text.split("\n")):
        return  # whether so deep an indentation is cut depends on the rest of the line, which has not come yet
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    shown = written(Prose(span("> "), width), *(text[start:end] for start, end in pairwise(places)))
    lines = [line.rstrip() for line in wrap(visible(text), width)]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    assert [line.rstrip() for line in shown.split("\n")[:-1]] == [f"> {line}".rstrip() for line in lines]


def test_what_is_written_is_not_taken_back() -> None:
    """A word is written when it is known where it ends."""
    prose = Prose(span("  "), 12)
    assert [prose.add(delta).plain for delta in ("Hel", "lo wor", "ld, wide", "\n\n", "  * x")] == [
        "",
        "  Hello",
        " world,",
        "\n  wide",
        "\n\n    *",
    ]
    assert prose.end().plain == " x\n"


def test_nothing_said() -> None:
    """Blanks alone are nothing."""
    assert written(Prose(span("  "), 20), " ", "\n", "\n ") == ""


def test_what_goes_beyond_the_limit_is_counted() -> None:
    """By lines and by characters."""
    assert (
        written(Prose(span("  "), 20, limit=Limit(2, 100)), "one\ntwo\nthree\n", "four")
        == "  one\n  two\n  … 11 more characters (--full)\n"
    )
    assert written(Prose(span("  "), 40, limit=Limit(9, 8)), "one two three") == "  one two\n  … 6 more characters (--full)\n"


def test_tabs_and_control_codes() -> None:
    """Tabs become blanks, and nothing reaches the terminal that it would obey."""
    assert written(Prose(span(""), 40), "\tif x:\x1b[31m", "\u202e") == "    if x:\\x1b[31m\\u202e\n"
