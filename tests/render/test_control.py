"""What a terminal would obey or hide is made visible."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.render.control import one_line, visible, visible_in_json

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 中文 🌤️\n\ttab", "plain 中文 🌤️\n\ttab"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\rb\x7f\x9b", "a\\rb\\x7f\\x9b"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("hidden\U000e0041", "hidden\\U000e0041"),
        (ENGLAND, ENGLAND),
        ("\ud800", "\\ud800"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    ],
)
def test_dangerous_characters_are_written_as_python_writes_them(text: str, shown: str) -> None:
    """Controls, bidi overrides, smuggled tags and surrogates are escaped; emoji, flags and joiners are not."""
    assert visible(text) == shown


def test_names_stay_on_one_line() -> None:
    """A newline in a name cannot fake a line of output."""
    assert one_line("a\nb\tc") == "a\\nb\\tc"


@given(st.text())
def test_nothing_dangerous_is_left(text: str) -> None:
    """Whatever the text, the terminal gets printable characters, newlines and tabs."""
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in visible(text))


@given(st.text())
def test_json_keeps_its_value(text: str) -> None:
    """Escaping inside JSON changes how a string is written and not what it is."""
    assert json.loads(visible_in_json(json.dumps(text, ensure_ascii=False))) == text
