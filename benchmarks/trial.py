"""`python -m benchmarks.trial BENCHMARK CONTENDER TURN`: one turn of one contender, its figures as JSON; `benchmarks.contest` starts it."""

import asyncio
import importlib
import sys

import msgspec

from benchmarks.contest import CONTENDERS


def main() -> None:
    """Measures and prints."""
    benchmark, module, turn = sys.argv[1:]
    contender = next(contender for contender in CONTENDERS if contender.module == module)
    figures = asyncio.run(importlib.import_module(f"benchmarks.{benchmark}").measure(contender, int(turn)))
    sys.stdout.write(msgspec.json.encode(figures).decode())


if __name__ == "__main__":
    main()
