"""What a step costs: one model call and one asynchronous tool call, in memory. CPU time, the garbage collector on, best of several turns.

What a run costs without any step is taken off, and shown apart. Runs are of several lengths, since a cost that grows with the history
shows in long ones. The model's answers are made ahead; what is left of the model and the tool themselves, an answer looked up and a
text returned, is about a microsecond. The way in which a framework asks its model and enters its tool is its own cost.
"""

import gc
import time
from collections.abc import Iterator

from benchmarks.contender.load import Load
from benchmarks.contest import AGENT, BARE, CONTENDERS, GRAPH, Contender, Figures, rows, take_turns
from benchmarks.measurement import Measurement, Reach, Settings

LENGTHS = (10, 100, 1000)
"""Steps of a run."""

STEPS = 2000
"""Of each length together, in one turn of Holter's; a peer makes one run or several of 200."""

PEER_TURNS = 2
"""The longest run takes a peer up to a minute: only in the first."""


def run(settings: Settings) -> Iterator[Measurement]:
    """Rows for each length, for the fixed cost, and for a step of a long run beside one of a short run."""
    found = take_turns("step", settings.repeat, PEER_TURNS, [contender for contender in CONTENDERS if contender != BARE])
    for length in LENGTHS:
        of_step = {contender: step_us(figures, length) for contender, figures in found.items()}
        yield from rows(f"step in a run of {length:,}", "µs", Reach("value", "most", 100), of_step)
    yield from rows("run without a step", "µs", None, {contender: figures["0"] * 1e6 for contender, figures in found.items()})
    for contender in (AGENT, GRAPH):
        yield Measurement(
            name=f"step in a long run beside a short one, {contender.name}",
            value=step_us(found[contender], LENGTHS[-1]),
            unit="µs",
            floor=step_us(found[contender], LENGTHS[0]),
            floor_name=f"run of {LENGTHS[0]}",
            reach=Reach("ratio", "most", 1.25),
        )


def step_us(figures: Figures, length: int) -> float:
    """Microseconds of each step of a run of that length, without the run's fixed cost."""
    return (figures[str(length)] - figures["0"]) / length * 1e6


async def measure(contender: Contender, turn: int) -> Figures:
    """CPU seconds of a run, by its number of steps."""
    lengths = LENGTHS[:-1] if contender.is_peer and turn else LENGTHS
    steps = STEPS // 10 if contender.is_peer else STEPS
    await run_s(contender, Load(steps=2), 5)
    return {str(length): await run_s(contender, Load(steps=length), max(steps // max(length, 10), 1)) for length in (0, *lengths)}


async def run_s(contender: Contender, load: Load, count: int) -> float:
    """CPU seconds of one of so many runs."""
    run = contender.runner(load)
    gc.collect()
    began = time.process_time()
    lengths = [await run() for _ in range(count)]
    spent_s = time.process_time() - began
    if set(lengths) != {load.messages}:
        raise SystemExit(f"{contender.name}: a run of {load.steps} steps has {load.messages} messages; these had {set(lengths)}")
    return spent_s / count
