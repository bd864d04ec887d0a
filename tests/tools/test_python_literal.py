"""What is read is what Python would read, of JSON's types only."""

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.tools.json_value import Stopped
from holter.tools.python_literal import read
from tests import strategies


@given(strategies.json_objects)
def test_reads_any_repr(value: dict[str, Any]) -> None:
    """With all of Python's quotes and escapes."""
    text = repr(value)
    assert read(text, 0) == (value, len(text))


_TEXTS = ["{}", "[]", "{'a': [], 'b': {},}", "[1, -1, +1, 1.5, .5, 1., 1e3, 1E-3, 01.5, 0]", "'\\x41\\101\\u00e9\\U0001f600\\\\\\\n'"]
_TEXTS += [
    '"""a\n"b" """',
    "'''it's'''",
    "''",
    "''''''",
    "{\"a\": '\"', 'b': \"'\"}",
    "[True, False, None]",
    "{'a': 1, 'a': 2}",
    "{ 'a' :\n1 }",
]


@pytest.mark.parametrize("text", _TEXTS)
def test_reads_as_python_does(text: str) -> None:
    """Compared with Python itself."""
    assert read(text, 0) == (ast.literal_eval(text), len(text))


_FAULTS = {
    "{'a': 1 'b': 2}": 8,
    "{'a'= 1}": 1,
    "['a\nb']": 3,
    "['\\d']": 2,
    "['\\x4']": 2,
    "['\\N{DIGIT ONE}']": 2,
    "['a\0']": 3,
    "[01]": 1,
}
_FAULTS |= {"[1_000]": 1, "[0x10]": 1, "[1,,2]": 3, "[,]": 1, "[1)": 2, "[1e999]": 1, "[None.x]": 5, "[- 1]": 1, "[" * 300: 200}
_FAULTS |= {"['\\U00110000']": 2}


@pytest.mark.parametrize(("text", "at"), _FAULTS.items())
def test_says_where_it_is_no_literal(text: str, at: int) -> None:
    """At the first character that does not fit."""
    with pytest.raises(Stopped) as stopped:
        read(text, 0)
    assert (stopped.value.at, stopped.value.is_end) == (at, False)


@given(strategies.json_objects, st.data())
def test_says_where_the_text_ends(value: dict[str, Any], data: st.DataObject) -> None:
    """Any beginning of a literal could have become one."""
    text = repr(value)
    with pytest.raises(Stopped) as stopped:
        read(text[: data.draw(st.integers(0, len(text) - 1))], 0)
    assert stopped.value.is_end
