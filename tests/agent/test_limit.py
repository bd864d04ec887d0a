"""What bounds a run: which limits there may be, and what is said when one is reached."""

import asyncio
from typing import Any

import pytest

from holter.agent import Agent, Limits
from holter.agent.limit import limits_of
from holter.agent.meter import Meter
from holter.graph.ending import LimitHit
from holter.messages import AIMessage
from holter.models import ModelRequest, ScriptedModel


def test_the_usual_limits() -> None:
    """50 steps and 5 repetitions; no bound on tokens, cost and time."""
    assert Limits() == Limits(steps=50, tokens=None, cost_usd=None, seconds=None, repeats=5)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"steps": 0}, "the limit 'steps' is a whole number of 1 or more, or None, found 0"),
        ({"steps": True}, "the limit 'steps' is a whole number of 1 or more, or None, found True"),
        ({"tokens": -1}, "the limit 'tokens' is a whole number of 1 or more, or None, found -1"),
        ({"tokens": 1.5}, "the limit 'tokens' is a whole number of 1 or more, or None, found 1.5"),
        ({"cost_usd": 0}, "the limit 'cost_usd' is a number of more than 0, or None, found 0"),
        ({"seconds": float("nan")}, "the limit 'seconds' is a number of more than 0, or None, found nan"),
        ({"seconds": "5"}, "the limit 'seconds' is a number of more than 0, or None, found '5'"),
        ({"repeats": 1}, "the limit 'repeats' is a whole number of 2 or more, or None, found 1"),
    ],
)
def test_a_limit_that_cannot_be(given: dict[str, Any], text: str) -> None:
    """0 is no limit: None is none, and a run that may do nothing is no run."""
    with pytest.raises(ValueError, match=r"the limit") as error:
        Limits(**given)
    assert str(error.value) == text


def test_limits_as_people_write_them() -> None:
    """A dict will do; a name that is none is an error."""
    assert limits_of({"steps": 3}) == Limits(steps=3)
    assert limits_of(None) == Limits()
    with pytest.raises(TypeError, match="limits are a Limits or a dict with some of steps, tokens, cost_usd, seconds, repeats"):
        limits_of({"step": 3})


def _answer(tokens: int) -> AIMessage:
    return AIMessage("x", usage_metadata={"input_tokens": tokens - 1, "output_tokens": 1, "total_tokens": tokens})


def _hit(meter: Meter) -> LimitHit:
    with pytest.raises(LimitHit) as hit:
        meter.check(7)
    return hit.value


def test_the_sentence_of_each_limit() -> None:
    """It says which limit it was, and before which message."""
    steps, tokens, seconds = Meter(Limits(steps=1)), Meter(Limits(tokens=100)), Meter(Limits(seconds=1e-9))
    for meter in (steps, tokens, seconds):
        meter.asked()
        meter.answered(_answer(120), "m")
    assert str(_hit(steps)) == "The run was stopped before message 7: the model was asked 1 times, which is the limit."
    assert str(_hit(tokens)) == "The run was stopped before message 7: the run used 120 tokens; the limit is 100."
    assert (_hit(seconds).limit, _hit(seconds).value) == ("seconds", 1e-9)


def test_nothing_is_raised_below_the_limits() -> None:
    """As long as there is room, a run goes on."""
    meter = Meter(Limits(steps=2, tokens=100, seconds=60))
    meter.asked()
    meter.answered(_answer(99), "m")
    meter.check(3)
    assert (meter.steps, meter.tokens, meter.usages) == (1, 99, [_answer(99).usage_metadata])


def test_a_model_that_makes_a_timeout_of_its_cancellation() -> None:
    """The run's time is over all the same."""

    class Late(ScriptedModel):
        async def generate(self, request: ModelRequest) -> AIMessage:
            try:
                await asyncio.sleep(5)
            except asyncio.CancelledError:
                raise TimeoutError("the database") from None
            return await super().generate(request)

    run = Agent(Late(["late"]), limits={"seconds": 0.1}).run("go")
    assert (run.status, run.limit) == ("limit", "The run was stopped before message 1: it took 0.1 s, which is its limit.")


def test_a_models_own_timeout_is_no_limit() -> None:
    """It comes in time, so it is the model's failure."""

    class Failing(ScriptedModel):
        async def generate(self, request: ModelRequest) -> AIMessage:
            raise TimeoutError("the database")

    with pytest.raises(TimeoutError, match="the database"):
        Agent(Failing(["never"]), limits={"seconds": 5}).run("go")
