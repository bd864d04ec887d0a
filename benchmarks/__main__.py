"""`python -m benchmarks [NAME…] [--json FILE]`: measures, prints a table, and exits 1 when a target is missed."""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console

from benchmarks import (
    analysis,
    cache,
    chunk,
    concurrent,
    durable,
    journal,
    lint,
    lint_defects,
    memory,
    model_http,
    reading,
    report,
    startup,
    step,
    tool_call,
)
from benchmarks.measurement import Measurement, Settings

BENCHMARKS: dict[str, Callable[[Settings], Iterator[Measurement]]] = {
    "startup": startup.run,
    "reading": reading.run,
    "lint": lint.run,
    "lint_defects": lint_defects.run,
    "analysis": analysis.run,
    "memory": memory.run,
    "tool_call": tool_call.run,
    "step": step.run,
    "concurrent": concurrent.run,
    "chunk": chunk.run,
    "model_http": model_http.run,
    "cache": cache.run,
    "durable": durable.run,
    "journal": journal.run,
}


def arguments() -> argparse.Namespace:
    """The command line, parsed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Holter beside its floors and peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--size-mb", type=int, metavar="N", help="size of each generated file (default: reading 40, memory 200)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="measure N times, the best one counts (default: 5)")
    parsed = parser.parse_args()
    if unknown := [name for name in parsed.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark is called {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    return parsed


def main() -> int:
    """0 when every target is met, else 1."""
    parsed = arguments()
    settings = Settings(size_mb=parsed.size_mb, repeat=parsed.repeat)
    progress = Console(stderr=True)
    measurements: list[Measurement] = []
    for name in parsed.names or BENCHMARKS:
        progress.print(f"measuring {name} …")
        measurements += BENCHMARKS[name](settings)
    Console(width=None if sys.stdout.isatty() else 160).print(report.table(measurements))
    if parsed.json:
        parsed.json.write_bytes(report.json(measurements))
    return int(any(m.passed is False for m in measurements))


if __name__ == "__main__":
    sys.exit(main())
