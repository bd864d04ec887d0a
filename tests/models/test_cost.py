"""What answers cost, asked for many times."""

import pytest

from holter.models.cost import cost_of_many, cost_usd

pytest.importorskip("genai_prices")


@pytest.mark.parametrize("name", ["gpt-4o", "claude-sonnet-4-5-20250929", "gemini-2.5-pro", "deepseek-chat"])
@pytest.mark.parametrize("into", [0, 1, 1_000, 199_999, 200_000, 200_001, 5_000_000])
def test_prices_that_are_looked_up_once_are_the_same(name: str, into: int) -> None:
    """Whatever the size of the request, cached tokens included."""
    usage = {"input_tokens": into, "output_tokens": 321, "total_tokens": into + 321, "input_token_details": {"cache_read": into // 3}}
    assert cost_usd(name, usage) == pytest.approx(cost_of_many(name, usage), rel=1e-9, abs=1e-12)


def test_what_has_no_price() -> None:
    """As when one answer is asked for."""
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    assert cost_of_many("scripted", usage) is None
    assert cost_of_many("gpt-4o", None) is None
    assert cost_of_many(None, usage) is None
