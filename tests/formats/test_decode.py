import json
from math import isinf, isnan
from typing import Any

import pytest
from hypothesis import given

from holter.formats.decode import Locator, json_inside, loose_json, strict_json, without_stub
from holter.messages import Place
from tests.strategies import json_values


def loose(text: str) -> tuple[Any, list[tuple[int | None, int | None, str]]]:
    value, findings = loose_json(text, Locator(text))
    return value, [(finding.line, finding.column, finding.text) for finding in findings]


@given(json_values)
def test_json(value: Any) -> None:
    """What is JSON is read alike by both readers, and nothing is wrong with it."""
    text = json.dumps(value)
    assert strict_json(text.encode()) == value
    assert loose(text) == (value, [])


@pytest.mark.parametrize("data", [b"", b"{", b"NaN", b'"\xff"', b'"\\ud800"', b"1e999", b"[" * 100_000, b'{"a":' * 100_000, b"[1] x"])
def test_what_is_no_strict_json(data: bytes) -> None:
    """Everything that some JSON reader refuses is a ValueError, and depth is no crash."""
    with pytest.raises(ValueError, match=r".+"):
        strict_json(data)


@pytest.mark.parametrize("text", ["", "{", "[1] x", "[" * 100_000, "[1,]"])
def test_what_is_no_json(text: str) -> None:
    """What Python's reader refuses, too, is a ValueError."""
    with pytest.raises(ValueError, match=r".+"):
        loose(text)


@pytest.mark.parametrize(
    ("text", "value", "finding"),
    [
        ('{"a":\n1e999}', {"a": "1e999"}, (2, 1, "1e999 is too large; it was kept as text")),
        ("[-1e400]", ["-1e400"], (1, 2, "-1e400 is too large; it was kept as text")),
        (f"[{'1' * 4_301}]", ["1" * 4_301], (1, 2, "a number of 4301 characters is too large; it was kept as text")),
        ('["\\ud800"]', ["\ud800"], (1, 3, "a lone surrogate is no character; it cannot be stored or sent")),
        ('["\\ud83d\\ude00\\udc00"]', ["😀\udc00"], (1, 15, "a lone surrogate is no character; it cannot be stored or sent")),
        ('["\ud800"]', ["\ud800"], (1, 3, "a lone surrogate is no character; it cannot be stored or sent")),
        ('["a\x1b"]', ["a\x1b"], (1, 4, "the control character U+001B stands in the text")),
        ('["NaN", "a\tb"]', ["NaN", "a\tb"], (1, 11, "a text holds a raw line break or tab, which JSON does not allow")),
    ],
)
def test_what_only_the_loose_reader_takes(text: str, value: Any, finding: tuple[int, int, str]) -> None:
    """It is read, and said with its place; a number that is too large is kept as its text."""
    assert loose(text) == (value, [finding])


def test_numbers_that_json_cannot_hold() -> None:
    """NaN and infinity are read as what they are; one finding, at the first that is no text."""
    (nan, infinity, text), findings = loose('[NaN, -Infinity, "NaN"]')
    assert isnan(nan)
    assert isinf(infinity)
    assert (text, findings) == ("NaN", [(1, 2, "NaN is not JSON; it was read as a number that JSON cannot hold")])
    assert loose('["NaN", Infinity]')[1] == [(1, 9, "Infinity is not JSON; it was read as a number that JSON cannot hold")]


def test_escaped_backslashes_before_what_looks_like_a_surrogate() -> None:
    """A backslash that is escaped begins no escape; a whole pair is one character."""
    assert loose('["\\\\ud800", "\\ud83d\\ude00"]') == (["\\ud800", "😀"], [])


@pytest.mark.parametrize(
    ("text", "value"), [(' {"a": 1}', {"a": 1}), ("[1]", [1]), ('"[1]"', None), ("3", None), ("[1", None), ("words", None), ("", None)]
)
def test_json_inside(text: str, value: Any) -> None:
    """A text may be a list or an object; scalars and everything else are only text."""
    assert json_inside(text) == value


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ([{"role": "user", "content": "x"}, {"role": "assi"}], [{"role": "user", "content": "x"}]),
        ({"messages": [{"a": 1}, {"ro": None}]}, {"messages": [{"a": 1}]}),
        ({"messages": [{}]}, {"messages": []}),
        ([{"role": "user", "content": None}], []),
        ([{"role": "user", "content": ""}], [{"role": "user", "content": ""}]),
        ([1, [2]], [1, [2]]),
        ({}, {}),
        ("x", "x"),
    ],
)
def test_without_stub(value: Any, left: Any) -> None:
    """An item at the very end that has at most a role had only begun."""
    assert without_stub(value) == left


def test_locator() -> None:
    """Lines and columns are counted from 1, a line feed belonging to its line."""
    locate = Locator("ab\n\nc")
    assert [locate(offset) for offset in range(6)] == [
        Place(line=1, column=1),
        Place(line=1, column=2),
        Place(line=1, column=3),
        Place(line=2, column=1),
        Place(line=3, column=1),
        Place(line=3, column=2),
    ]
