"""Tokens of several answers, added up."""

from holter.agent.total import tokens_of, total_usage


def test_counts_and_details_are_added() -> None:
    """Field by field; what is no count is passed over."""
    one = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "input_token_details": {"cache_read": 4}}
    two = {"input_tokens": 5, "output_tokens": 1, "total_tokens": "?", "input_token_details": {"cache_read": 1, "odd": "x"}}
    assert total_usage([one, two]) == {
        "input_tokens": 15,
        "output_tokens": 3,
        "total_tokens": 12,
        "input_token_details": {"cache_read": 5},
        "output_token_details": {},
    }


def test_of_nothing() -> None:
    """Zeros, so that a caller need not ask."""
    assert total_usage([])["total_tokens"] == 0


def test_tokens_of_one_answer() -> None:
    """The total, else the sum of its parts."""
    assert tokens_of({"input_tokens": 3, "output_tokens": 4}) == 7
    assert tokens_of({"input_tokens": 3, "output_tokens": 4, "total_tokens": 9}) == 9
    assert tokens_of(None) == 0
