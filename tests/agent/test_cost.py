"""What answers cost."""

import sys

import pytest

from holter.agent import Agent, Limits
from holter.messages import AIMessage
from holter.models import ScriptedModel, cost

USAGE = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}


@pytest.fixture
def prices() -> None:
    """Skips the test where the price list is not installed."""
    pytest.importorskip("genai_prices")


@pytest.mark.usefixtures("prices")
def test_the_cost_of_an_answer() -> None:
    """By the list; cached tokens are cheaper, and details that do not fit the whole are left out."""
    plain = cost.cost_usd("gpt-4o", USAGE)
    cached = cost.cost_usd("gpt-4o", {**USAGE, "input_token_details": {"cache_read": 900_000}})
    odd = cost.cost_usd("gpt-4o", {**USAGE, "input_token_details": {"cache_read": 9_000_000}})
    assert plain is not None
    assert cached is not None
    assert 0 < cached < plain == odd


@pytest.mark.usefixtures("prices")
def test_what_has_no_price() -> None:
    """A model that is not in the list, and an answer that does not say its tokens."""
    assert cost.cost_usd("scripted", USAGE) is None
    assert cost.cost_usd("gpt-4o", None) is None
    assert cost.cost_usd(None, USAGE) is None


@pytest.mark.usefixtures("prices")
def test_a_limit_on_cost_ends_the_run() -> None:
    """The answers so far cost more than they may."""
    model = ScriptedModel([[{"name": "nope", "args": {}}], "never"], name="gpt-4o", usage=USAGE)
    run = Agent(model, limits=Limits(cost_usd=0.01)).run("go")
    assert (run.status, len(model.requests)) == ("limit", 1)
    assert run.limit is not None
    assert run.limit.startswith("The run was stopped before message 3: the run cost 2.5")


@pytest.mark.usefixtures("prices")
def test_a_price_that_is_not_known_ends_the_run_too() -> None:
    """A bound that nobody can watch is not kept by going on."""
    model = ScriptedModel([[{"name": "nope", "args": {}}], "never"])
    run = Agent(model, limits=Limits(cost_usd=1)).run("go")
    assert run.limit is not None
    assert "no price is known for the answers of 'scripted', so the limit of 1 US dollars cannot be kept" in run.limit


def test_without_the_price_list_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the agent is made, and when a run asks for it."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    cost._prices.cache_clear()
    with pytest.raises(ImportError, match=r'pip install "holter\[tokens\]"'):
        Agent(ScriptedModel([AIMessage("x")]), limits=Limits(cost_usd=1))
    with pytest.raises(ImportError, match=r'pip install "holter\[tokens\]"'):
        Agent(ScriptedModel(["x"])).run("go", limits={"cost_usd": 1})
