"""Peak memory of reading one big file conversation by conversation, in the three shapes that big logs come in.

The whole figure is that of a file of 1 GB (`--size-mb 1024`): the peak must not grow with the file.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks import child, sample
from benchmarks.measurement import Measurement, Reach, Settings

DISTINCT_RECORDS = 2000

READ = (
    child.PEAK
    + """
import sys
from holter.formats import iter_file

messages = 0
for conversation in iter_file(sys.argv[1]):
    messages += len(conversation.messages)
print(messages, peak_bytes())
"""
)


class Layout(msgspec.Struct, frozen=True):
    """How the records of a file are laid out."""

    name: str
    file: str
    before: bytes
    joint: bytes
    after: bytes


LAYOUTS = (
    Layout("JSON lines", "log.jsonl", b"", b"\n", b"\n"),
    Layout("data: lines", "log.txt", b"data: ", b"\n\ndata: ", b"\n\n"),
    Layout("one JSON array", "log.json", b"[", b",\n", b"]\n"),
)


def run(settings: Settings) -> Iterator[Measurement]:
    """One row for each layout."""
    size_mb = settings.size_mb or 200
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as folder:
            made = sample.write(
                Path(folder, layout.file),
                sample.Shape("full-sized"),
                size_mb * 1_000_000,
                before=layout.before,
                joint=layout.joint,
                after=layout.after,
                distinct=DISTINCT_RECORDS,
            )
            messages, peak_bytes = map(int, child.python("-c", READ, str(made.path)).stdout.split())
        if messages != made.messages:
            raise SystemExit(f"{layout.file} holds {made.messages} messages; holter.formats.iter_file found {messages}")
        yield Measurement(
            name=f"memory, {layout.name}",
            value=peak_bytes / 1e6,
            unit="MB",
            reach=Reach("value", "most", 200),
            note=f"file of {made.size_bytes / 1e6:,.0f} MB",
        )
