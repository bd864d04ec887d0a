"""Measurements as a table and as JSON."""

import importlib.metadata
import platform
from collections.abc import Sequence

import msgspec
from rich.table import Table

from benchmarks.measurement import Measurement, Reach

SIGNS = {"most": "≤", "least": "≥"}
VERDICTS = {True: "[green]pass[/]", False: "[red]MISS[/]", None: ""}


def table(measurements: Sequence[Measurement]) -> Table:
    """One row for each measurement, in the order they were made."""
    result = Table(title=f"Holter {importlib.metadata.version('holter')}, Python {platform.python_version()}")
    for heading in ("what", "measured", "beside", "ratio", "reach", "", "note"):
        result.add_column(heading, justify="right" if heading in {"measured", "ratio"} else "left")
    for m in measurements:
        beside = "" if m.floor is None else f"{m.floor:,.1f} {m.unit} ({m.floor_name})"
        ratio = "" if m.ratio is None else f"{m.ratio:.2f} ×"
        result.add_row(m.name, f"{m.value:,.1f} {m.unit}", beside, ratio, reach_text(m.reach, m.unit), VERDICTS[m.passed], m.note)
    return result


def reach_text(reach: Reach | None, unit: str) -> str:
    """The target as people write it: `≤ 60 ms`, `≥ 0.5 ×`; empty where there is none."""
    if reach is None:
        return ""
    return f"{SIGNS[reach.at]} {reach.limit:g} {'×' if reach.of == 'ratio' else unit}"


def json(measurements: Sequence[Measurement]) -> bytes:
    """The same as one JSON object, with the machine's kind and the versions measured."""
    rows = [msgspec.to_builtins(m) | {"ratio": m.ratio, "passed": m.passed} for m in measurements]
    about = {
        "holter": importlib.metadata.version("holter"),
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
    }
    return msgspec.json.format(msgspec.json.encode(about | {"measurements": rows}), indent=2) + b"\n"
