"""How long to wait."""

import pytest

from holter.tools.wrap import exponential


def test_waits() -> None:
    """They double up to the longest; with jitter they are at least half of that."""
    assert [exponential(0.5, jitter=False)(attempt) for attempt in (1, 2, 3, 7, 8, 5_000)] == [0.5, 1, 2, 30, 30, 30]
    waits = {exponential(1, max=4)(3) for _ in range(50)}
    assert len(waits) > 40
    assert all(2 <= wait <= 4 for wait in waits)


@pytest.mark.parametrize(("first_s", "longest"), [(-1, 30), (1, -1)])
def test_waits_that_cannot_be(first_s: float, longest: float) -> None:
    """Are refused when they are made."""
    with pytest.raises(ValueError, match="none is below 0"):
        exponential(first_s, max=longest)
