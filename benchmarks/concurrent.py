"""A thousand runs at once on one loop, with a model and a tool that take their time: how long all take, and how much memory each needs.

The memory of a run is what the process's peak grows by when the thousand come after five hundred, divided by the further runs: so it
holds nothing that is there anyway, neither imports nor what the allocator keeps. Each model answer is made anew.
"""

import asyncio
import gc
import time
from collections.abc import Iterator

from benchmarks.child import peak_bytes
from benchmarks.contender.load import Load
from benchmarks.contest import BARE, Contender, Figures, Run, rows, take_turns
from benchmarks.measurement import Measurement, Reach, Settings

LOAD = Load(steps=5, model_s=0.05, tool_s=0.02)

RUNS = 1000

PEER_TURNS = 1


def run(settings: Settings) -> Iterator[Measurement]:
    """Rows for the time that passes, for the memory of a run, and for the CPU time of a run."""
    found = take_turns("concurrent", settings.repeat, PEER_TURNS)
    for name, figure, unit, reach in (
        (f"{RUNS:,} runs at once", "wall_ms", "ms", Reach("value", "most", 1000)),
        (f"memory of a run, {RUNS:,} at once", "memory_kb", "kB", Reach("value", "most", 20)),
        (f"CPU of a run, {RUNS:,} at once", "cpu_us", "µs", None),
    ):
        yield from rows(name, unit, reach, {contender: figures[figure] for contender, figures in found.items()}, BARE)


async def measure(contender: Contender, turn: int) -> Figures:  # noqa: ARG001 - all turns are alike
    """`wall_ms` of all together, `memory_kb` and `cpu_us` of each."""
    start = contender.runner(LOAD)
    await together(contender, start, RUNS // 2)
    before_bytes = peak_bytes()
    began, began_cpu = time.perf_counter(), time.process_time()
    await together(contender, start, RUNS)
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
    return {
        "wall_ms": wall_s * 1e3,
        "memory_kb": (peak_bytes() - before_bytes) / (RUNS - RUNS // 2) / 1e3,
        "cpu_us": cpu_s / RUNS * 1e6,
    }


async def together(contender: Contender, start: Run, count: int) -> None:
    """So many runs at once, to their ends."""
    lengths = set(await asyncio.gather(*(start() for _ in range(count))))
    if lengths != {LOAD.messages}:
        raise SystemExit(f"{contender.name}: a run of {LOAD.steps} steps has {LOAD.messages} messages; these had {lengths}")
    gc.collect()
