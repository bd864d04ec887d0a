"""What a step costs that is kept in a SQLite file: one model call and one asynchronous tool call of a whole run. CPU time.

As `benchmarks.step`, with a journal; LangGraph has its AsyncSqliteSaver, and SQLite's `synchronous` as Holter's durability has it. A run's
fixed cost is taken off. Peers' runs are shorter: each of LangGraph's steps writes the whole history anew.
"""

import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.contender.load import Load
from benchmarks.contest import AGENT, GRAPH, LANGGRAPH, Contender, Figures, take_turns
from benchmarks.measurement import Measurement, Reach, Settings

LENGTHS = {False: (10, 100, 1_000), True: (10, 100, 300)}
"""Steps of a run, for Holter and for a peer."""
REACH = {"effects": 200, "disk": 400}
PEER_TURNS = 1


def run(settings: Settings) -> Iterator[Measurement]:
    """A row for each durability and length."""
    found = take_turns("durable", settings.repeat, PEER_TURNS, [AGENT, GRAPH, LANGGRAPH])
    peer = found.get(LANGGRAPH)
    for contender in (AGENT, GRAPH):
        for sync, limit in REACH.items():
            for mine, its in zip(LENGTHS[False], LENGTHS[True], strict=True):
                yield Measurement(
                    name=f"durable step, {sync}, in a run of {mine:,}, {contender.name}",
                    value=step_us(found[contender], sync, mine),
                    unit="µs",
                    floor=step_us(peer, sync, its) if peer else None,
                    floor_name=f"LangGraph, run of {its:,}",
                    reach=Reach("value", "most", limit),
                )
        yield Measurement(
            name=f"durable step in a long run beside a short one, {contender.name}",
            value=step_us(found[contender], "effects", 1_000),
            unit="µs",
            floor=step_us(found[contender], "effects", 10),
            floor_name="run of 10",
            reach=Reach("ratio", "most", 1.25),
        )


def step_us(figures: Figures, sync: str, length: int) -> float:
    """Microseconds of each step of a run of that length, without the run's fixed cost."""
    return (figures[f"{sync} {length}"] - figures[f"{sync} 0"]) / length * 1e6


async def measure(contender: Contender, turn: int) -> Figures:  # noqa: ARG001 - each turn is alike
    """CPU seconds of a run, by durability and number of steps."""
    lengths = LENGTHS[contender.is_peer]
    return {f"{sync} {length}": await run_s(contender, length, sync) for sync in REACH for length in (0, *lengths)}


async def run_s(contender: Contender, length: int, sync: str) -> float:
    """CPU seconds of a run, all threads of the process."""
    load = Load(steps=length)
    count = max((100 if contender.is_peer else 500) // max(length, 10), 1)
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            keeper = contender.keeper(load, Path(folder), sync)
            run = await stack.enter_async_context(keeper) if contender.is_peer else stack.enter_context(keeper)
            await run()
            gc.collect()
            began = time.process_time()
            lengths = [await run() for _ in range(count)]
            spent_s = time.process_time() - began
    if set(lengths) != {load.messages}:
        raise SystemExit(f"{contender.name}: a run of {length} steps has {load.messages} messages; these had {set(lengths)}")
    return spent_s / count
