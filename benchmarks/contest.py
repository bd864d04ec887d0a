"""Holter's two ways to run an agent, and the peers of each: measured in processes of their own that take turns.

Each in a process of its own, since the garbage collector passes over everything that a process has imported. Taking turns, so that a
busy spell of the machine hits all of them.
"""

import importlib
import importlib.util
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from benchmarks import child
from benchmarks.contender.load import Load
from benchmarks.measurement import Measurement, Reach

Figures: TypeAlias = dict[str, float]
"""What one turn measured, by names of the benchmark's own. Less is better."""

Run: TypeAlias = Callable[[], Awaitable[int]]


class Contender(msgspec.Struct, frozen=True):
    """Who is measured."""

    module: str
    """In `benchmarks.contender`."""
    name: str
    package: str = ""
    """What is imported of a peer; empty for what is there always."""

    @property
    def is_peer(self) -> bool:
        """Whether it is another framework."""
        return bool(self.package)

    @property
    def is_installed(self) -> bool:
        """Whether it can be measured."""
        return not self.package or importlib.util.find_spec(self.package) is not None

    def runner(self, load: Load) -> Run:
        """A whole run; gives the number of its messages."""
        return self._module().runner(load)  # type: ignore[no-any-return]

    def reader(self, load: Load) -> Run:
        """An answer read delta by delta; gives the number of its characters."""
        return self._module().reader(load)  # type: ignore[no-any-return]

    def keeper(self, load: Load, folder: Path, sync: str) -> Any:
        """A context manager that gives a whole run, kept in a file of the folder."""
        return self._module().keeper(load, folder, sync)

    def _module(self) -> Any:
        return importlib.import_module(f"benchmarks.contender.{self.module}")


AGENT = Contender("holter_agent", "agent")
GRAPH = Contender("holter_graph", "graph")
BARE = Contender("bare", "bare asyncio")
LANGGRAPH = Contender("langgraph_graph", "LangGraph", "langgraph")
OPENAI_AGENTS = Contender("openai_agents", "OpenAI Agents", "agents")
PYDANTIC_AI = Contender("pydantic_ai_agent", "Pydantic AI", "pydantic_ai")

PEERS = {AGENT: (OPENAI_AGENTS, PYDANTIC_AI), GRAPH: (LANGGRAPH,)}
"""Beside whom each is shown: a ready-made loop beside ready-made loops, a graph built by hand beside another."""

CONTENDERS = (AGENT, GRAPH, BARE, LANGGRAPH, OPENAI_AGENTS, PYDANTIC_AI)


def take_turns(benchmark: str, turns: int, peer_turns: int, contenders: Sequence[Contender] = CONTENDERS) -> dict[Contender, Figures]:
    """The least of each figure, for everyone who is installed. Peers take long, so they have fewer turns."""
    found: dict[Contender, Figures] = {}
    for turn in range(turns):
        for contender in contenders:
            if contender.is_installed and (turn < peer_turns or not contender.is_peer):
                found[contender] = least(found.get(contender, {}), take_turn(benchmark, contender, turn))
    return found


def take_turn(benchmark: str, contender: Contender, turn: int) -> Figures:
    """What `benchmarks.trial` measures. Peers warn of what they deprecate; that does not belong into the table."""
    cost = child.python("-W", "ignore", "-m", "benchmarks.trial", benchmark, contender.module, str(turn))
    return msgspec.json.decode(cost.stdout, type=Figures)


def least(one: Figures, other: Figures) -> Figures:
    """The lesser of each; a figure that only one of them has is that one's."""
    return {name: min(figures[name] for figures in (one, other) if name in figures) for name in one | other}


def rows(
    name: str, unit: str, reach: Reach | None, values: Mapping[Contender, float], floor: Contender | None = None
) -> Iterator[Measurement]:
    """Holter's figures, by agent and by graph, each in a row for the floor and for every peer; the first has the target, and says which
    peers are not installed."""
    for contender, peers in PEERS.items():
        shown: list[Contender | None] = [beside for beside in (floor, *peers) if beside in values]
        missing = ", ".join(peer.name for peer in peers if peer not in values)
        for position, beside in enumerate(shown or [None]):
            yield Measurement(
                name=f"{name}, {contender.name}",
                value=values[contender],
                unit=unit,
                floor=values[beside] if beside else None,
                floor_name=beside.name if beside else "",
                reach=None if position else reach,
                note=f"not installed: {missing}" if missing and not position else "",
            )
