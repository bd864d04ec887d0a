"""What `import holter` costs over a bare Python, and what `holter --help` costs: CPU time, modules, memory.

Each is a process of its own, best of several; bare and loaded ones take turns.
"""

import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchmarks import child
from benchmarks.measurement import Measurement, Reach, Settings

UNWANTED = ("asyncio", "httpx2", "starlette", "sqlite3", "click", "rich")
"""What a program that imports holter does not pay for until it uses it."""

REPORT = child.PEAK + "import sys, json; print(json.dumps([sorted(sys.modules), peak_bytes()]))"


def run(settings: Settings) -> Iterator[Measurement]:
    """CPU time, memory and modules of the import; CPU time of the command's help."""
    turns = settings.repeat * 3
    bare, loaded = fastest(turns, "pass", "import holter")
    yield Measurement(
        name="import holter, CPU over bare Python",
        value=(loaded - bare) * 1000,
        unit="ms",
        floor=bare * 1000,
        floor_name="bare Python",
        reach=Reach("value", "most", 60),
    )
    bare_modules, bare_bytes = loaded_by("")
    modules, size_bytes = loaded_by("import holter\n")
    yield Measurement(
        name="import holter, memory over bare Python",
        value=(size_bytes - bare_bytes) / 1e6,
        unit="MB",
        floor=bare_bytes / 1e6,
        floor_name="bare Python",
        reach=Reach("value", "most", 25),
    )
    yield Measurement(
        name="import holter, modules over bare Python",
        value=len(modules) - len(bare_modules),
        unit="modules",
        floor=len(bare_modules),
        floor_name="bare Python",
    )
    unwanted = [name for name in UNWANTED if name in modules]
    yield Measurement(
        name="import holter, unwanted modules",
        value=len(unwanted),
        unit="modules",
        reach=Reach("value", "most", 0),
        note=", ".join(unwanted),
    )
    command = [str(Path(sysconfig.get_path("scripts"), "holter")), "--help"]
    yield Measurement(
        name="holter --help, CPU",
        value=min(child.run(command).cpu_s for _ in range(turns)) * 1000,
        unit="ms",
        floor=bare * 1000,
        floor_name="bare Python",
        reach=Reach("value", "most", 200),
    )


def fastest(turns: int, *programs: str) -> list[float]:
    """The least CPU seconds of each program, in their order."""
    rounds = [[child.python("-c", program).cpu_s for program in programs] for _ in range(turns)]
    return [min(times) for times in zip(*rounds, strict=True)]


def loaded_by(program: str) -> tuple[set[str], int]:
    """The modules that are loaded after the program, and the process's peak memory in bytes; the reporting itself included."""
    modules, peak_bytes = json.loads(child.python("-c", program + REPORT).stdout)
    return set(modules), peak_bytes
