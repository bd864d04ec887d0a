"""Token counts of any provider, by LangChain's names."""

from typing import Any

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from holter.messages.usage import count, sound, usage
from tests import strategies


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        (0, 0),
        (7, 7),
        (7.0, 7),
        (-1, None),
        (7.5, None),
        (True, None),
        ("7", None),
        (None, None),
        ([], None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_counts_only_whole_numbers(value: Any, counted: int | None) -> None:
    """A count is a non-negative whole number; everything else is unknown."""
    assert count(value) == counted
    assert not isinstance(count(value), bool | float)


@given(strategies.json_values, strategies.json_values, strategies.json_values, strategies.json_values)
def test_any_values_make_counts_or_nothing(given_in: Any, given_out: Any, total: Any, cached: Any) -> None:
    """Whatever a log holds, only counts come out."""
    made = usage(given_in, given_out, total, cache_read=cached)
    assert made is None or all(type(made[key]) is int and made[key] >= 0 for key in ("input_tokens", "output_tokens", "total_tokens"))


def test_keeps_what_a_provider_reports() -> None:
    """A missing total is the sum, one that is there stands, unknown details are left out."""
    assert [
        usage(10, 5),
        usage(10, 5, 99),
        usage(10, None),
        usage(None, None, 3),
        usage(10, 5, cache_read=4, cache_creation=0, reasoning=2, input_audio=1, output_audio=None),
    ] == snapshot(
        [
            {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "input_token_details": {}, "output_token_details": {}},
            {"input_tokens": 10, "output_tokens": 5, "total_tokens": 99, "input_token_details": {}, "output_token_details": {}},
            {"input_tokens": 10, "output_tokens": 0, "total_tokens": 10, "input_token_details": {}, "output_token_details": {}},
            {"input_tokens": 0, "output_tokens": 0, "total_tokens": 3, "input_token_details": {}, "output_token_details": {}},
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "total_tokens": 15,
                "input_token_details": {"audio": 1, "cache_read": 4, "cache_creation": 0},
                "output_token_details": {"reasoning": 2},
            },
        ]
    )


def test_no_numbers_are_no_usage() -> None:
    """Details alone are none either."""
    assert usage(None, None) is None
    assert usage("10", -5, cache_read=3) is None


def test_what_is_no_count_is_left_out() -> None:
    """Of usage metadata that a log gives; what is in order is the same object."""
    whole = {"input_tokens": 1, "output_token_details": {"reasoning": 2, "audio": None}, "service_tier": "flex"}
    assert sound(whole) is whole
    odd = {
        "input_tokens": "a",
        "output_tokens": 3,
        "total_tokens": True,
        "input_token_details": 5,
        "output_token_details": {"reasoning": "x"},
    }
    assert sound(odd) == {"output_tokens": 3, "output_token_details": {}}
