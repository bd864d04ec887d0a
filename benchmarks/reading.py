"""Reading OpenAI chat JSONL into typed messages, beside the floor (`orjson.loads` of each line) and beside LangChain.

CPU time of one process, the garbage collector on, best of several; the readers take turns, so that a busy spell of the machine hits
all of them.
"""

import importlib.util
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from benchmarks import sample
from benchmarks.measurement import Measurement, Reach, Settings
from holter import formats

SHAPES = {
    sample.Shape("full-sized"): 0.5,
    sample.Shape("unknown fields", unknown_fields=True): 0.4,
    sample.Shape("short messages", short=True): 0.5,
}
"""What is read, and the share of the floor's speed to reach."""


def run(settings: Settings) -> Iterator[Measurement]:
    """Two rows for each shape: beside orjson, and beside LangChain where it is installed."""
    readers: dict[str, Callable[[Path], int]] = {"holter": read_with_holter, "orjson": read_with_orjson}
    if importlib.util.find_spec("langchain_core"):
        readers["langchain"] = read_with_langchain
    for shape, limit in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            made = sample.write(Path(folder, "log.jsonl"), shape, (settings.size_mb or 40) * 1_000_000)
            check(made)
            speeds = {name: made.size_bytes / 1e6 / seconds for name, seconds in best(readers, made.path, settings.repeat).items()}
        yield measurement(
            shape.name, speeds, "orjson", Reach("ratio", "least", limit), f"{made.size_bytes / made.messages:.0f} B a message"
        )
        if "langchain" in speeds:
            yield measurement(shape.name, speeds, "langchain", None, "")


def measurement(shape: str, speeds: dict[str, float], beside: str, reach: Reach | None, note: str) -> Measurement:
    """Holter's speed beside another reader's."""
    return Measurement(
        name=f"reading, {shape}", value=speeds["holter"], unit="MB/s", floor=speeds[beside], floor_name=beside, reach=reach, note=note
    )


def check(made: sample.Sample) -> None:
    """Refuses to measure a reader that loses something: every message is there, every call with its arguments decoded."""
    conversations = messages = calls = 0
    for conversation in formats.iter_file(made.path):
        conversations += 1
        messages += len(conversation.messages)
        decoded = [call for message in conversation.messages for call in getattr(message, "tool_calls", ())]
        calls += sum(isinstance(call["args"], dict) and "city" in call["args"] for call in decoded)
    found, expected = (conversations, messages, calls), (made.conversations, made.messages, made.calls)
    if found != expected:
        raise SystemExit(f"{made.path.name} holds (conversations, messages, calls) {expected}; holter.formats.iter_file found {found}")


def best(readers: dict[str, Callable[[Path], int]], path: Path, repeat: int) -> dict[str, float]:
    """The least CPU seconds that each reader took for the file, of `repeat` turns."""
    seconds = dict.fromkeys(readers, float("inf"))
    for _ in range(repeat):
        for name, read in readers.items():
            start = time.process_time()
            read(path)
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


def read_with_holter(path: Path) -> int:
    """The number of messages."""
    return sum(len(conversation.messages) for conversation in formats.iter_file(path))


def read_with_orjson(path: Path) -> int:
    """The number of records; nothing is done with them, which is why this is the floor."""
    count = 0
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
            count += 1
    return count


def read_with_langchain(path: Path) -> int:
    """The number of messages."""
    from langchain_core.messages import convert_to_messages  # only where it is installed

    count = 0
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            count += len(convert_to_messages(record["messages"] if isinstance(record, dict) else record))
    return count
