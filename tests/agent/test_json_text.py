"""The JSON in a model's answer."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.agent.json_text import NoValue, json_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (" \n[1, 2]\n", [1, 2]),
        ("15", 15),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here you are:\n\n```\n{"a": "```"}\n```\nAnything else?', {"a": "```"}),
        ('~~~\n{"a": 1}\n~~~', {"a": 1}),
        ('The answer is {"a": {"b": "}"}}, as asked.', {"a": {"b": "}"}}),
        ('See [1]: {"a": [1]} {not json}', {"a": [1]}),
    ],
)
def test_one_value(text: str, value: Any) -> None:
    """Alone, in a fence, or with prose around it."""
    assert json_in(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("It is 15.", "it holds no JSON"),
        ('{"a": 1} or {"a": 2}', "it holds 2 JSON values; answer with one"),
        ('```\n{"a": 1}\n```\n```\n{"a": 2}\n```', "it holds 2 JSON values; answer with one"),
        ('{"a": 1', "it is not JSON: Expecting ',' delimiter at character 7"),
        ('{"a": NaN}', "it is not JSON: NaN is not JSON"),
        ("{'a': 1}", "it is not JSON: Expecting property name enclosed in double quotes at character 1"),
    ],
)
def test_none_or_several(text: str, reason: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(NoValue) as error:
        json_in(text)
    assert str(error.value) == reason


def test_arrays_only_where_one_is_expected() -> None:
    """In prose, brackets are mostly something else."""
    assert json_in("They are [1, 2].", "{[") == [1, 2]
    with pytest.raises(NoValue):
        json_in("They are [1, 2].")


def test_text_that_never_becomes_json() -> None:
    """It costs a bounded number of tries, and no stack."""
    for text in ("{" * 100_000, "[" * 100_000, '{"a":' * 100_000):
        with pytest.raises(NoValue):
            json_in(text, "{[")


@given(st.text(alphabet='{}[]",:1a` \n', max_size=60))
def test_it_gives_a_value_or_a_reason(text: str) -> None:
    """And raises nothing else."""
    with suppress(NoValue):
        json_in(text, "{[")
