"""Target profiles: every demand rests on something, and logs tell whose they are."""

import re

import pytest

from holter.formats.target import TARGETS, inferred, model_of, target_named, target_of_model
from holter.messages import AIMessage, Conversation, HumanMessage


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_demand_has_a_source_and_a_date(target: object) -> None:
    """An address and a day."""
    from holter.formats.target import Target

    assert isinstance(target, Target)
    for demand in target.demands:
        assert demand.source.startswith("https://")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", demand.date)


def test_names_of_the_design() -> None:
    """And their other spellings."""
    asked = (
        "openai openai-responses openai.responses anthropic anthropic-no-prefill anthropic-bridge gemini gemini-3 deepseek "
        "deepseek-thinking mistral groq kimi kimi-k2 qwen-template strict-template vllm ollama bedrock"
    )
    assert all(target_named(name) is not None for name in asked.split())


@pytest.mark.parametrize(
    ("form", "model", "name"),
    [
        ("anthropic.messages", None, "anthropic"),
        ("gemini.contents", None, "gemini"),
        ("gemini.contents", "gemini-3-pro", "gemini-3"),
        ("openai.responses", None, "openai-responses"),
        ("openai.chat", "gpt-4o", "openai"),
        ("openai.chat", "openai/o3-mini", "openai"),
        ("openai.chat", "mistral-large-latest", "mistral"),
        ("openai.chat", "kimi-k2", "kimi"),
        ("openai.chat", "something-new", None),
        ("openai.chat", None, None),
        ("langchain.json", "gpt-4o", None),
    ],
)
def test_target_is_told_by_the_log(form: str, model: str | None, name: str | None) -> None:
    """By its format, and by the model that it names."""
    extra = {"model": model} if model else {}
    found = inferred(Conversation(format=form, messages=[HumanMessage("hi")], extra=extra))
    assert (found.name if found else None) == name


def test_model_of_the_last_answer() -> None:
    """Where the record names none."""
    answer = AIMessage("hello", response_metadata={"model_name": "gpt-4o"})
    assert model_of(Conversation(format="openai.chat", messages=[answer])) == "gpt-4o"


@pytest.mark.parametrize(
    ("model", "target"),
    [
        ("anthropic:claude-sonnet-4-5", "anthropic"),
        ("claude-sonnet-4-5", "anthropic-bridge"),
        ("openai:gpt-5-mini", "openai"),
        ("o3-mini", "openai"),
        ("groq:openai/gpt-oss-20b", "groq"),
        ("mistral:any", "mistral"),
        ("moonshot:kimi-k2.5", "kimi"),
        ("gemini:gemini-3-flash", "gemini-3"),
        ("deepseek:deepseek-v4-flash", "deepseek"),
        ("qwen:qwen3.5-flash", "qwen-template"),
        ("scripted", None),
    ],
)
def test_the_name_of_a_model_tells_its_target(model: str, target: str | None) -> None:
    """By its provider, else by itself."""
    found = target_of_model(model)
    assert (found and found.name) == target
