"""Several models in a row."""

import asyncio
from typing import Any

import pytest

from holter.errors import ModelDown, ModelError, ModelRefused, RateLimited, StreamCut, TooLong
from holter.messages import AIMessage, merge_chunks
from holter.models import Answer, FallbackModel, ScriptedModel
from holter.models.fallback import Fallen


def scripted(*answers: Any, name: str = "scripted", **options: Any) -> ScriptedModel:
    return ScriptedModel(list(answers), name=name, **options)


@pytest.mark.parametrize("error", [RateLimited("slow"), ModelDown("down")])
def test_the_next_is_asked(error: ModelError) -> None:
    """Where one cannot answer, in every way to ask, and it is told."""
    fallen: list[Fallen] = []
    model = FallbackModel(scripted(*[error] * 4, name="a"), scripted(*["Hi"] * 4, name="b"), on_fallback=fallen.append)
    assert model.invoke("Hi").text == "Hi"
    assert merge_chunks(list(model.stream("Hi"))).text == "Hi"
    assert asyncio.run(model.ainvoke("Hi")).text == "Hi"
    assert [(f.model, f.next, f.error) for f in fallen] == [("a", "b", error)] * 3


@pytest.mark.parametrize("error", [ModelRefused("wrong"), TooLong("long"), StreamCut("cut")])
def test_what_the_next_would_refuse_too(error: ModelError) -> None:
    """The error is raised, and nobody else is asked."""
    other = scripted("Hi")
    with pytest.raises(type(error)):
        FallbackModel(scripted(error), other).invoke("Hi")
    assert other.requests == []


def test_an_answer_that_has_begun() -> None:
    """No other model goes on with it."""
    other = scripted("Hi")
    with pytest.raises(StreamCut):
        list(FallbackModel(scripted(Answer("Hello there", cut_after=1)), other).stream("Hi"))
    assert other.requests == []


def test_the_last_error() -> None:
    """Where none can answer, the last one's error is raised."""
    with pytest.raises(ModelDown, match="b is down"):
        FallbackModel(scripted(RateLimited("slow")), scripted(ModelDown("b is down"))).invoke("Hi")


def test_it_is_a_model() -> None:
    """It has the name of the first, the smallest window, and binds as any other."""
    model = FallbackModel(scripted("x", name="a", window_tokens=9), scripted("y", window_tokens=5))
    assert (model.name, model.window_tokens) == ("a", 5)
    assert isinstance(model.bind(temperature=0).invoke("Hi"), AIMessage)
    with pytest.raises(ValueError, match="a fallback needs models"):
        FallbackModel()
