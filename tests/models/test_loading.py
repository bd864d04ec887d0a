"""A model by its name."""

import re
from typing import Any

import pytest

from holter.errors import KeyRefused
from holter.messages import merge_chunks
from holter.models import PROVIDERS, Anthropic, FallbackModel, OpenAIChat, Retry, ScriptedModel, Timeouts, load
from tests.models.server import chat, deltas, says_events, says_json, serving


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment says nothing."""
    for provider in PROVIDERS.values():
        for name in (*provider.key_names, *provider.url_names):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HOLTER_MODEL_KEY", raising=False)


@pytest.mark.parametrize("provider", [name for name, one in PROVIDERS.items() if one.wire == "openai"])
def test_every_provider(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is asked where it is told, with the key of its environment variable."""
    with serving(lambda asked: says_events(deltas({"content": "Hi"})) if asked.json.get("stream") else says_json(chat("Hi"))) as server:
        monkeypatch.setenv(PROVIDERS[provider].key_names[0], " key-of-environment\n")
        model = load(f"{provider}:some/model:1", base_url=f"{server.url}/base/")
        assert isinstance(model, OpenAIChat)
        assert (model.name, model.model) == (f"{provider}:some/model:1", "some/model:1")
        assert model.invoke("Hi").text == "Hi"
        assert merge_chunks(list(model.stream("Hi"))).text == "Hi"
        for asked in server.requests:
            assert (asked.path, asked.headers["authorization"]) == ("/base/chat/completions", "Bearer key-of-environment")
            assert asked.json["model"] == "some/model:1"


def test_anthropic() -> None:
    """It speaks its own wire, and its key goes into its own header."""
    model = load("anthropic:claude-sonnet-4-5", key="sk-ant-x", max_tokens=5)
    assert isinstance(model, Anthropic)
    assert model.bound.settings == {"max_tokens": 5}
    assert model._endpoint.url("/v1/messages") == "https://api.anthropic.com/v1/messages"
    assert "sk-ant-x" not in repr(vars(model))


def test_a_url() -> None:
    """Any server that speaks OpenAI chat; a key of some provider does not go there."""
    with serving(says_json(chat("Hi"))) as server:
        model = load(f"{server.url}/v1#local")
        assert model.invoke("Hi").text == "Hi"
        assert (model.name, server.requests[0].json["model"]) == (f"{server.url}/v1#local", "local")
        assert "authorization" not in server.requests[0].headers
        load(f"{server.url}/v1#local", key="k-123456").invoke("Hi")
        assert server.requests[1].headers["authorization"] == "Bearer k-123456"
        load(f"http://bob:pass-word@127.0.0.1:{server.port}/v1#local").invoke("Hi")
        assert server.requests[2].headers["authorization"] == "Basic Ym9iOnBhc3Mtd29yZA=="


def test_the_url_of_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known host means its provider: its rules, and its key."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", "key-of-environment")
    model = load("https://api.deepseek.com/v1#deepseek-v4-flash")
    assert isinstance(model, OpenAIChat)
    assert (model.quirks.reasoning, model._endpoint.has_key) == ("required", True)


@pytest.mark.parametrize(
    ("given", "url"),
    [("127.0.0.1:9", "http://127.0.0.1:9/v1"), ("0.0.0.0", "http://127.0.0.1:11434/v1"), ("http://x:1/v1", "http://x:1/v1")],
)
def test_a_url_of_the_environment(monkeypatch: pytest.MonkeyPatch, given: str, url: str) -> None:
    """Where a provider's own tools look for it, too."""
    monkeypatch.setenv("OLLAMA_HOST", given)
    model = load("ollama:qwen3:4b")
    assert isinstance(model, OpenAIChat)
    assert (model._endpoint.base_url, model.model) == (url, "qwen3:4b")


def test_a_key_that_is_missing() -> None:
    """It is said at once, and where it is looked for."""
    with pytest.raises(KeyRefused, match=r"Qwen \(DashScope\) needs a key: set DASHSCOPE_API_KEY or QWEN_API_KEY .* or give it as `key=`"):
        load("qwen:qwen3.5-flash")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gpt-5-mini", "'gpt-5-mini' alone does not say whose model it is. A model is 'provider:model' with one of openai, anthropic"),
        ("acme:x", "there is no provider 'acme'. A model is"),
        ("deepseek", "'deepseek' names no model; DeepSeek has for example 'deepseek:deepseek-v4-flash'"),
        ("http://127.0.0.1:1/v1", "the URL names no model; put it behind a '#': 'http://127.0.0.1:1/v1#model'"),
        ("gguf:/nowhere.gguf", "there is no GGUF file '/nowhere.gguf'"),
    ],
)
def test_names_that_are_none(name: str, text: str) -> None:
    """What was found, and what a name looks like."""
    with pytest.raises(ValueError, match=re.escape(text)):
        load(name, key="k")


@pytest.mark.parametrize("url", ["ftp://x/v1#m", "http://#m", "https://x/v1?api_key=abcdef#m"])
def test_urls_that_are_none(url: str) -> None:
    """A secret in a URL is refused, since URLs are logged."""
    with pytest.raises(ValueError, match="base URL") as raised:
        load(url)
    assert "abcdef" not in str(raised.value)


@pytest.mark.parametrize("key", ["sk-a b", "sk-“x”", "sk-a\nb"])
def test_keys_that_are_none(key: str) -> None:
    """They are refused without being shown."""
    with pytest.raises(ValueError, match="the key holds characters that no key has") as raised:
        load("openai:gpt-5-mini", key=key)
    assert key not in str(raised.value)


def test_options() -> None:
    """Numbers stand for the limit of the whole and for the tries; settings are bound; a model comes back as it is."""
    model = load("openai:m", key="k-123456", timeouts=5, retry=1, temperature=0)
    assert isinstance(model, OpenAIChat)
    assert (model._terms.timeouts, model._terms.retry) == (Timeouts(whole_s=5), Retry(tries=1))
    assert model.bound.settings == {"temperature": 0}
    scripted = ScriptedModel(["x"])
    assert load(scripted) is scripted
    with pytest.raises(TypeError, match="a model is a name, a ChatModel or a LangChain chat model"):
        load(3)


def test_fallbacks() -> None:
    """Models, or their names, that are asked where the first one cannot answer."""
    with serving(says_json({"error": {"message": "down"}}, 500)) as server, serving(says_json(chat("Hi"))) as other:
        first: Any = f"{server.url}/v1#m"
        model = load(first, retry=1, fallbacks=[f"{other.url}/v1#m"])
        assert isinstance(model, FallbackModel)
        assert model.invoke("Hi").text == "Hi"
        assert (len(server.requests), len(other.requests)) == (1, 1)
