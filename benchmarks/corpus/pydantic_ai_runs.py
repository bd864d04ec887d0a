"""Pydantic AI: an agent with plain tools. Its own form is not read by Holter; what it sends and gets is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, ModelRetry  # type: ignore[import-not-found]
from pydantic_ai.models.openai import OpenAIChatModel  # type: ignore[import-not-found]
from pydantic_ai.providers.openai import OpenAIProvider  # type: ignore[import-not-found]

from benchmarks.corpus import scene as said
from benchmarks.corpus.scene import Scene


def run(scene: Scene, url: str) -> Iterator[tuple[str, Any]]:
    """No document of its own."""
    asyncio.run(_run(scene, url))
    yield from ()


async def _run(scene: Scene, url: str) -> None:
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        model = OpenAIChatModel(scene.name, provider=OpenAIProvider(openai_client=client))
        tools = [_told(one) for one in (said.get_weather, said.find_hotels, said.convert_currency)]
        agent = Agent(model, tools=tools, system_prompt=said.SYSTEM, retries=3)
        history: list[Any] = []
        for turn in scene.turns:
            history = (await agent.run(turn, message_history=history)).all_messages()


def _told(function: Callable[..., str]) -> Callable[..., str]:
    """The function as this framework wants errors that the model is told."""

    @wraps(function)
    def told(*args: Any, **fields: Any) -> str:
        try:
            return function(*args, **fields)
        except ValueError as error:
            raise ModelRetry(str(error)) from error

    return told
