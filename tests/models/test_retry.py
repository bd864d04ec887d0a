"""How long is waited before a further try."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.models import Retry
from holter.models.retry import asked_wait_s


@given(st.integers(1, 60), st.floats(0, 5), st.floats(0, 1))
def test_waits_grow(tried: int, first_s: float, jitter: float) -> None:
    """Twice as long each time, up to the longest, and shortened by no more than the jitter."""
    retry = Retry(tries=100, first_s=first_s, jitter=jitter)
    whole = min(first_s * 2 ** (tried - 1), retry.most_s)
    wait_s = retry.wait_s(tried, None)
    assert wait_s is not None
    assert whole * (1 - jitter) - 1e-9 <= wait_s <= whole + 1e-9


def test_no_further_try() -> None:
    """When there were as many as there may be, or where the wait that is asked for is too long."""
    assert Retry(tries=2).wait_s(2, None) is None
    assert Retry(patience_s=5).wait_s(1, 6) is None
    assert (Retry(jitter=0).wait_s(1, 4)) == 4


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
    ],
)
def test_what_a_provider_asks_for(headers: dict[str, str], wait_s: float | None) -> None:
    """Seconds, milliseconds, a date; what cannot be understood is none."""
    assert asked_wait_s(headers) == wait_s


def test_a_date() -> None:
    """The time until then."""
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    wait_s = asked_wait_s({"retry-after": until})
    assert wait_s is not None
    assert 25 < wait_s <= 30


@pytest.mark.parametrize("options", [{"tries": 0}, {"first_s": -1}, {"jitter": 2}])
def test_options_that_cannot_be(options: dict[str, float]) -> None:
    """They are refused when it is made."""
    with pytest.raises(ValueError, match=r"tries|waits"):
        Retry(**options)  # type: ignore[arg-type]
