"""Holter's ready-made loop: an agent with one tool."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from benchmarks.contender.holter_model import PlayedModel
from benchmarks.contender.load import PROMPT, TOOL, Load, weather
from holter.agent import Agent, Limits
from holter.graph.feed import Delta
from holter.journal import Journal, SQLiteJournal
from holter.journal.sqlite_database import Sync
from holter.tools import tool


def runner(load: Load) -> Callable[[], Awaitable[int]]:
    """One `arun`."""
    agent = agent_of(load)

    async def run() -> int:
        return len((await agent.arun(PROMPT)).messages)

    return run


def reader(load: Load) -> Callable[[], Awaitable[int]]:
    """One `astream`, all its items taken."""
    agent = agent_of(load)

    async def read() -> int:
        count = 0
        async for item in agent.astream(PROMPT):
            if isinstance(item, Delta):
                count += len(item.chunk.content)
        return count

    return read


@contextmanager
def keeper(load: Load, folder: Path, sync: Sync) -> Iterator[Callable[[], Awaitable[int]]]:
    """One `arun` on a thread of its own, kept in a file."""
    with SQLiteJournal(folder / "journal.db", sync) as journal:
        agent = agent_of(load, journal)

        async def run() -> int:
            return len((await agent.arun(PROMPT, thread=uuid4().hex)).messages)

        yield run


def agent_of(load: Load, journal: Journal | None = None) -> Agent:
    """The agent, with the usual limits but for the number of steps."""
    limits = Limits(steps=load.steps + 1)
    return Agent(PlayedModel(load), tools=[tool(TOOL, weather(load))], limits=limits, journal=journal)
