"""Pieces of a chat template are found; HTML, XML and talk about tags are none."""

import pytest

from holter.tools.residue import marker, residue

_SPACED = "antml" + ":"
"""Claude's own namespace; apart, so that this file holds no whole tag of it."""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("part</arg_key><arg_value>2", "</arg_key>"),
        ("<arg_value>2</arg_value>", "<arg_value>"),
        ("a.txt</parameter>", "</parameter>"),
        ("a.txt</parameter", "</parameter"),
        (f"a.txt</{_SPACED}parameter>", f"</{_SPACED}parameter>"),
        ('a.txt<parameter name="n">1', '<parameter name="n">'),
        ("ls\n<parameter=cwd>\n/tmp", "<parameter=cwd>"),
        ("ls</function></tool_call>", "</function>"),
        ("ls<|tool_call_end|>", "<|tool_call_end|>"),
        ("<|im_start|>ls", "<|im_start|>"),
        ("ls<｜tool▁call▁end｜>", "<｜tool▁call▁end｜>"),
        ("<div>a</div>", ""),
        ("a < b > c <", ""),
        ("<parameters><parameter name='a'>1</parameter><parameter name='b'/></parameters>", ""),
        ("usage: run <parameter>", ""),
        ("List<function>", ""),
        ("the token <|im_end|> ends a turn", ""),
        ("<b>bold", ""),
    ],
)
def test_finds_markers_in_a_value(text: str, found: str) -> None:
    """What a template wrote around a value, but not what is a whole of its own inside it."""
    assert marker(text) == found


@pytest.mark.parametrize(("key", "found"), [("doc<arg_key>", "<arg_key>"), ("a<parameter>", "<parameter>"), ("<b>", ""), ("a", "")])
def test_finds_markers_in_a_key(key: str, found: str) -> None:
    """No key has any."""
    assert marker(key, is_key=True) == found


def test_says_where_it_found_one() -> None:
    """In depth under the nearest key; a value that is part of itself has an end."""
    cyclic: dict[str, object] = {"b": [{"c": ["x</parameter>"]}]}
    cyclic["a"] = cyclic
    assert residue(cyclic) == ("</parameter>", "the value of 'c'")
    assert residue({"a<arg_key>": 1}) == ("<arg_key>", "the key 'a<arg_key>'")
    assert residue({"a": [{"b": "<i>x</i>"}]}) is None
