"""A model by its name: `load("deepseek:deepseek-v4-flash")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from holter.errors import KeyRefused
from holter.models.base import ChatModel
from holter.models.endpoint import Endpoint
from holter.models.exchange import Terms
from holter.models.fallback import FallbackModel
from holter.models.provider import COMPATIBLE, PROVIDERS, Provider, Quirks, of_url, quirks_of
from holter.models.retry import Retry, Retrying
from holter.models.timeouts import Timeouts, timeouts_of

URL_KEY = "HOLTER_MODEL_KEY"
"""The environment variable with the key of a model that is named by a URL alone."""


def load(
    name: Any,
    *,
    key: str | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeouts: Timeouts | float | None = None,
    retry: Retry | int | None = None,
    on_retry: Callable[[Retrying], object] | None = None,
    extra_body: dict[str, Any] | None = None,
    continue_length: int = 0,
    prompt_cache: bool = True,
    window_tokens: int | None = None,
    quirks: Quirks | None = None,
    fallbacks: Sequence[Any] = (),
    **settings: Any,
) -> ChatModel:
    """The model of this name: "provider:model" (`PROVIDERS` are known), a base URL that speaks OpenAI chat ("http://127.0.0.1:8080/v1#model"),
    "gguf:PATH", or a LangChain chat model. A `ChatModel` comes back as it is.

    `key` is the API key, else it is taken from the provider's environment variable. `timeouts` as a number is the limit of the whole, in
    seconds; `retry` as a number is how often a request is made at most. `extra_body` goes into every request as it is. `continue_length`
    is how often an answer that was cut by its length is continued. `fallbacks` are models, or their names, that are asked where this one
    cannot answer. `settings` are bound (`temperature=0`), by the provider's own names.

    KeyRefused where a key is needed and none is there; ValueError for a name that is none.
    """
    if fallbacks:
        options = {"timeouts": timeouts, "retry": retry, "on_retry": on_retry, "continue_length": continue_length, **settings}
        rest = [load(other, **options) for other in fallbacks]
        first = load(
            name,
            key=key,
            base_url=base_url,
            headers=headers,
            extra_body=extra_body,
            prompt_cache=prompt_cache,
            window_tokens=window_tokens,
            quirks=quirks,
            **options,
        )
        return FallbackModel(first, *rest)
    if not isinstance(name, str):
        return _bound(_adapted(name), settings)
    terms = Terms(
        timeouts=timeouts_of(timeouts), retry=Retry(tries=retry) if isinstance(retry, int) else retry or Retry(), on_retry=on_retry
    )
    common = {"terms": terms, "extra_body": extra_body, "continue_length": continue_length, "window_tokens": window_tokens}
    if name.startswith(("http://", "https://")):
        return _bound(_of_url(name, key, headers, quirks, common), settings)
    provider_name, _, model = name.partition(":")
    if provider_name == "gguf":
        from holter.models.gguf import GGUFModel

        return _bound(GGUFModel(model, **common), settings)
    provider = _provider(name, provider_name, model)
    endpoint = _endpoint(provider, key, base_url, headers)
    if provider.wire == "anthropic":
        common["prompt_cache"] = prompt_cache
    return _bound(_made(name, model, provider, endpoint, quirks or quirks_of(provider, model), common), settings)


def _adapted(model: Any) -> ChatModel:
    if isinstance(model, ChatModel):
        return model
    from holter.models.langchain import LangChainModel, is_chat_model

    if is_chat_model(model):
        return LangChainModel(model)
    raise TypeError(f"a model is a name, a ChatModel or a LangChain chat model, found {model!r}")


def _bound(model: ChatModel, settings: dict[str, Any]) -> ChatModel:
    return model.bind(**settings) if settings else model


def _provider(name: str, provider_name: str, model: str) -> Provider:
    provider = PROVIDERS.get(provider_name)
    if provider is None:
        known = ", ".join(PROVIDERS)
        hint = f"; {name!r} alone does not say whose model it is" if ":" not in name else ""
        raise ValueError(
            f"there is no provider {provider_name!r}{hint}. A model is 'provider:model' with one of {known}; 'gguf:PATH'; or a base URL, "
            "'http://127.0.0.1:8080/v1#model'"
        )
    if not model:
        raise ValueError(f"{name!r} names no model; {provider.title} has for example '{provider.name}:{provider.example}'")
    return provider


def _endpoint(provider: Provider, key: str | None, base_url: str | None, headers: Mapping[str, str] | None) -> Endpoint:
    key = key or next((os.environ[name] for name in provider.key_names if os.environ.get(name, "").strip()), None)
    if not key and provider.needs_key and not headers:
        names = " or ".join(provider.key_names)
        raise KeyRefused(f"{provider.title} needs a key: set {names} in the environment, or give it as `key=`", model=provider.name)
    given = base_url or next((_url(os.environ[name]) for name in provider.url_names if os.environ.get(name)), provider.base_url)
    key_header, key_prefix = ("x-api-key", "") if provider.wire == "anthropic" else ("Authorization", "Bearer ")
    return Endpoint(given, key=key, key_header=key_header, key_prefix=key_prefix, headers=dict(headers or {}))


def _url(given: str) -> str:
    """A base URL out of the environment; Ollama's is a host and port at times."""
    if "://" in given:
        return given if urlsplit(given).path.strip("/") or "api.anthropic" in given or "11434" not in given else f"{given.rstrip('/')}/v1"
    host = given.replace("0.0.0.0", "127.0.0.1")
    return f"http://{host if ':' in host else f'{host}:11434'}/v1"


def _of_url(name: str, key: str | None, headers: Mapping[str, str] | None, quirks: Quirks | None, common: dict[str, Any]) -> ChatModel:
    base_url, _, model = name.partition("#")
    if not model:
        shown = Endpoint(base_url).base_url
        raise ValueError(f"the URL names no model; put it behind a '#': '{shown}#model'")
    provider = of_url(base_url)
    endpoint = (
        _endpoint(provider, key, base_url, headers)
        if provider is not None
        else Endpoint(base_url, key=key or os.environ.get(URL_KEY), headers=dict(headers or {}))
    )
    shown = f"{endpoint.base_url}#{model}"
    return _made(shown, model, provider, endpoint, quirks or (quirks_of(provider, model) if provider else COMPATIBLE), common)


def _made(name: str, model: str, provider: Provider | None, endpoint: Endpoint, quirks: Quirks, common: dict[str, Any]) -> ChatModel:
    names = provider.key_names if provider is not None else (URL_KEY,)
    if provider is not None and provider.wire == "anthropic":
        from holter.models.anthropic import Anthropic

        return Anthropic(name, model, endpoint, quirks=quirks, key_names=names, **common)
    from holter.models.openai_chat import OpenAIChat

    return OpenAIChat(name, model, endpoint, quirks=quirks, key_names=names, **common)
