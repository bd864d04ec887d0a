"""OpenAI Agents: an agent with function tools, its items as `to_input_list` gives them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled  # type: ignore[import-not-found]
from openai import AsyncOpenAI

from benchmarks.corpus import scene as said
from benchmarks.corpus.scene import Scene

set_tracing_disabled(True)
TOOLS = [function_tool(one) for one in (said.get_weather, said.find_hotels, said.convert_currency)]


def run(scene: Scene, url: str) -> Iterator[tuple[str, Any]]:
    """(name, document): the items of all turns."""
    yield "OpenAI Agents, to_input_list", asyncio.run(_items(scene, url))


async def _items(scene: Scene, url: str) -> list[Any]:
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        agent = Agent(name="travel", instructions=said.SYSTEM, model=OpenAIChatCompletionsModel(scene.name, client), tools=TOOLS)
        items: list[Any] = []
        for turn in scene.turns:
            items = (await Runner.run(agent, [*items, {"role": "user", "content": turn}], max_turns=30)).to_input_list()
        return items
