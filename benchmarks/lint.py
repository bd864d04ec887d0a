"""All lint rules over JSONL files of OpenAI chat, with reading: CPU time of one process, best of several; and its peak memory."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import child, sample
from benchmarks.measurement import Measurement, Reach, Settings
from holter import formats
from holter.analysis.lint import Linter

SHAPES = (sample.Shape("full-sized"), sample.Shape("unknown fields", unknown_fields=True), sample.Shape("short messages", short=True))
LEAST_MB_S = 50
MOST_MB = 200
"""As of reading alone."""
DISTINCT_RECORDS = 2_000

LINT = (
    child.PEAK
    + """
import sys
from holter import formats
from holter.analysis.lint import Linter

linter = Linter()
print(sum(len(linter.check(conversation)) for conversation in formats.iter_file(sys.argv[1])), peak_bytes())
"""
)


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
    yield _memory(settings.size_mb or 200)


def _memory(size_mb: int) -> Measurement:
    """Peak memory over a large file, beside that over a quarter of it."""
    peaks = []
    for size in (size_mb, size_mb // 4):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "log.jsonl")
            sample.write(path, sample.Shape("full-sized"), size * 1_000_000, distinct=DISTINCT_RECORDS)
            _, peak_bytes = map(int, child.python("-c", LINT, str(path)).stdout.split())
        peaks.append(peak_bytes / 1e6)
    return Measurement(
        name=f"memory of linting {size_mb:,} MB",
        value=peaks[0],
        unit="MB",
        floor=peaks[1],
        floor_name=f"{size_mb // 4:,} MB",
        reach=Reach("value", "most", MOST_MB),
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
