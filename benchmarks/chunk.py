"""What a streamed delta costs on its way from the model to who reads the stream: CPU time, best of several turns.

The answer has 5,000 words, a delta for each. They come one by one, the loop turning before each, as where each is a packet of its own;
and all at once, as where the network brings many together. A framework may join deltas that nobody has taken yet: each counts as one
all the same, and all of the text must arrive. What it costs to read the model's stream without a framework is taken off.
"""

import gc
import time
from collections.abc import Iterator

from benchmarks.contender.load import Load
from benchmarks.contest import BARE, Contender, Figures, rows, take_turns
from benchmarks.measurement import Measurement, Reach, Settings

LOADS = {"one by one": Load(words=5000, is_paced=True), "all at once": Load(words=5000)}

ROUNDS = 5
"""In each turn; the fastest counts."""

PEER_TURNS = 2


def run(settings: Settings) -> Iterator[Measurement]:
    """Rows for both ways of coming."""
    found = take_turns("chunk", settings.repeat, PEER_TURNS)
    bare = found.pop(BARE)
    for name in LOADS:
        values = {contender: figures[name] - bare[name] for contender, figures in found.items()}
        yield from rows(f"streamed chunk, {name}", "µs", Reach("value", "most", 5), values)


async def measure(contender: Contender, turn: int) -> Figures:  # noqa: ARG001 - all turns are alike
    """Microseconds of a delta, by how they come."""
    return {name: min([await delta_us(contender, load) for _ in range(ROUNDS)]) for name, load in LOADS.items()}


async def delta_us(contender: Contender, load: Load) -> float:
    """CPU microseconds of each delta of one answer."""
    read = contender.reader(load)
    gc.collect()
    began = time.process_time()
    characters = await read()
    spent_s = time.process_time() - began
    if characters != load.characters:
        raise SystemExit(f"{contender.name}: the streamed answer has {load.characters} characters; {characters} came")
    return spent_s / load.words * 1e6
