"""All lint rules over JSONL files of OpenAI chat, with reading: CPU time of one process, best of several."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import sample
from benchmarks.measurement import Measurement, Reach, Settings
from holter import formats
from holter.analysis.lint import Linter

SHAPES = (sample.Shape("full-sized"), sample.Shape("unknown fields", unknown_fields=True), sample.Shape("short messages", short=True))
LEAST_MB_S = 50


def run(settings: Settings) -> Iterator[Measurement]:
    """One row for each shape, beside reading alone."""
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            made = sample.write(Path(folder, "log.jsonl"), shape, (settings.size_mb or 40) * 1_000_000)
            read, linted = (made.size_bytes / 1e6 / _best(work, made.path, settings.repeat) for work in (_read, _lint))
        note = f"{made.size_bytes / made.messages:.0f} B a message"
        reach = Reach("value", "least", LEAST_MB_S)
        yield Measurement(
            name=f"linting, {shape.name}", value=linted, unit="MB/s", floor=read, floor_name="reading", reach=reach, note=note
        )


def _best(work: Callable[[Path], int], path: Path, repeat: int) -> float:
    """The least CPU seconds of `repeat` turns."""
    seconds = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work(path)
        seconds = min(seconds, time.process_time() - start)
    return seconds


def _read(path: Path) -> int:
    return sum(len(conversation.messages) for conversation in formats.iter_file(path))


def _lint(path: Path) -> int:
    linter = Linter()
    found = (finding for conversation in formats.iter_file(path) for finding in linter.check(conversation))
    errors = sum(finding.severity == "error" for finding in found)
    if errors:
        raise SystemExit(f"{path.name} is clean; the linter found {errors} errors")
    return errors
