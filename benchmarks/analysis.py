"""What `holter stats` and `holter diff` cost: CPU time of whole commands, start included, and the memory of counting."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import child
from benchmarks.measurement import Measurement, Reach, Settings

CONVERSATIONS = 10_000
"""About 50 MB."""
MESSAGES = 10_000
STATS_S = 3
DIFF_S = 1
STATS_MB = 200
WORDS = "order flight booking refund ticket seat gate price total city hotel room night station 北京 上海 天气 酒店".split()

COUNT = (
    child.PEAK
    + """
import sys
from holter.analysis.stats import Tally
from holter.formats import iter_file

tally = Tally()
for conversation in iter_file(sys.argv[1]):
    tally.add(conversation)
print(tally.calls, peak_bytes())
"""
)


def run(settings: Settings) -> Iterator[Measurement]:
    """stats over many conversations, its memory, and diff of two long logs that are equal, alike and entirely different."""
    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder, "whole.jsonl"), Path(folder, "part.jsonl")
        size_mb = _write_many(whole, CONVERSATIONS)
        _write_many(part, CONVERSATIONS // 10)
        reach = Reach("value", "most", STATS_S)
        seconds = _best(settings, "stats", str(whole), "--json")
        name = f"stats of {CONVERSATIONS:,} conversations"
        yield Measurement(name=name, value=seconds, unit="s", reach=reach, note=f"{size_mb:.0f} MB")
        yield _memory(whole, part)
        for name, changed in (("equal", 0.0), ("a tenth changed", 0.1), ("nothing in common", 1.0)):
            logs = [_write_long(Path(folder, f"{seed}.json"), Random(seed), changed if seed else 0.0) for seed in (0, 1)]
            seconds = _best(settings, "diff", *map(str, logs), "--json")
            title = f"diff of {MESSAGES:,} messages, {name}"
            yield Measurement(name=title, value=seconds, unit="s", reach=Reach("value", "most", DIFF_S))


def _memory(whole: Path, part: Path) -> Measurement:
    """The peak over the whole file beside that over a tenth of it."""
    peak, small = (int(child.python("-c", COUNT, str(path)).stdout.split()[1]) / 1e6 for path in (whole, part))
    reach = Reach("value", "most", STATS_MB)
    return Measurement(name="memory of stats", value=peak, unit="MB", floor=small, floor_name="a tenth of it", reach=reach)


def _best(settings: Settings, *command: str) -> float:
    """The least CPU seconds of the command, whose exit code may say that two logs are different."""
    program = f"import sys; from holter.cli import main; sys.exit(main({list(command)!r}) == 2)"
    return min(child.python("-c", program).cpu_s for _ in range(settings.repeat))


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _step(random: Random, name: str, words: int) -> list[dict[str, Any]]:
    """A call and its result."""
    function = {"name": random.choice(["search", "weather", "book"]), "arguments": json.dumps({"query": _text(random, 4)})}
    calls = [{"id": name, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": name, "content": _text(random, words)},
    ]


def _write_many(path: Path, count: int) -> float:
    """Writes conversations of 15 messages, a line each, and gives the file's size in MB."""
    random = Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            messages = [{"role": "system", "content": "You help."}, {"role": "user", "content": _text(random, 30)}]
            for step in range(6):
                messages += _step(random, f"call_{number}_{step}", 95)
            messages.append({"role": "assistant", "content": _text(random, 40)})
            file.write(json.dumps({"messages": messages, "model": "gpt-4o"}, ensure_ascii=False) + "\n")
    return path.stat().st_size / 1e6


def _write_long(path: Path, other: Random, changed: float) -> Path:
    """Writes one conversation; so many of its messages are other ones than in the unchanged log."""
    base = Random(7)
    messages: list[dict[str, Any]] = []
    while len(messages) < MESSAGES:
        part = [
            {"role": "user", "content": _text(base, 20)},
            *_step(base, f"call_{len(messages)}", 30),
            {"role": "assistant", "content": _text(base, 30)},
        ]
        for message in part:
            if message["content"] and other.random() < changed:
                message["content"] = _text(other, 30)
        messages += part
    path.write_text(json.dumps({"messages": messages[:MESSAGES]}, ensure_ascii=False), "utf-8")
    return path
