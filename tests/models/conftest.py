"""Models that ask a server of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest

from holter.models.anthropic import Anthropic
from holter.models.endpoint import Endpoint
from holter.models.exchange import Terms
from holter.models.openai_chat import OpenAIChat
from holter.models.retry import Retry
from holter.models.timeouts import Timeouts
from tests.models.server import Script, Server

KEY = "sk-test-0123456789abcdef"

QUICK = Retry(first_s=0.01, most_s=0.02)
"""Tries that a test can wait for."""


class Ask(Protocol):
    """Makes a server for a script, and a model that asks it."""

    def __call__(self, script: Script, *, timeouts: Timeouts = ..., retry: Retry = ..., **options: Any) -> tuple[Any, Server]: ...


@pytest.fixture
def asking() -> Iterator[Callable[..., tuple[Any, Server]]]:
    """The maker; its servers end with the test."""
    servers: list[Server] = []

    def make(
        script: Script, kind: type[OpenAIChat] | type[Anthropic], path: str, timeouts: Timeouts, retry: Retry, options: dict[str, Any]
    ) -> tuple[Any, Server]:
        server = Server(script)
        servers.append(server)
        key_header, key_prefix = ("x-api-key", "") if kind is Anthropic else ("Authorization", "Bearer ")
        endpoint = Endpoint(server.url + path, key=KEY, key_header=key_header, key_prefix=key_prefix)
        terms = Terms(timeouts=timeouts, retry=retry, on_retry=options.pop("on_retry", None))
        return kind("test:m-1", "m-1", endpoint, terms=terms, **options), server

    yield make
    for server in servers:
        server.__exit__()


@pytest.fixture
def chat_model(asking: Callable[..., tuple[Any, Server]]) -> Ask:
    """A model of OpenAI's chat and its server."""

    def make(script: Script, *, timeouts: Timeouts = Timeouts(), retry: Retry = QUICK, **options: Any) -> tuple[Any, Server]:  # noqa: B008 - frozen
        return asking(script, OpenAIChat, "/v1", timeouts, retry, options)

    return make


@pytest.fixture
def claude(asking: Callable[..., tuple[Any, Server]]) -> Ask:
    """A model of Anthropic's and its server."""

    def make(script: Script, *, timeouts: Timeouts = Timeouts(), retry: Retry = QUICK, **options: Any) -> tuple[Any, Server]:  # noqa: B008 - frozen
        return asking(script, Anthropic, "", timeouts, retry, options)

    return make
