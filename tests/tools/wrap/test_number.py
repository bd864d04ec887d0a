"""The numbers that wrappers are made with."""

from typing import Any

import pytest

from holter.tools.wrap.number import as_count, as_seconds


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "3", None])
def test_counts_that_are_none(value: Any) -> None:
    """Name the option and what was found."""
    with pytest.raises(ValueError, match=r"f: n is a whole number from 1 up, found"):
        as_count("f: n", value)


@pytest.mark.parametrize("value", [-1, True, float("nan"), float("inf"), "3", None])
def test_seconds_that_are_none(value: Any) -> None:
    """Name the option and what was found."""
    with pytest.raises(ValueError, match=r"f: s is a number of seconds from 0 up, found"):
        as_seconds("f: s", value, may_be_zero=True)


def test_what_is_one() -> None:
    """Comes back as it is."""
    assert (as_count("n", 1), as_count("n", 0, 0), as_seconds("s", 0.5), as_seconds("s", 0, may_be_zero=True)) == (1, 0, 0.5, 0)
    with pytest.raises(ValueError, match="above 0"):
        as_seconds("s", 0)
