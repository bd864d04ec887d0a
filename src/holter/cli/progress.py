"""How far the reading of a big file is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from holter.cli.output import is_terminal
from holter.render.control import one_line

_BIG_BYTES = 8_000_000


class Bar:
    """A bar on standard error that is gone when the work is done, or when something is to be printed on the same terminal."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True, markup=False, highlight=False)
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task(title)
        self._progress.start()

    def __call__(self, done_bytes: int, total_bytes: int) -> None:
        """Moves the bar."""
        self._progress.update(self._task, completed=done_bytes, total=total_bytes)

    def make_way(self) -> None:
        """Takes the bar away before something is printed, if that is printed on the same terminal."""
        if is_terminal():
            self.close()

    def close(self) -> None:
        """Takes the bar away; it does not come back."""
        self._progress.stop()


@contextmanager
def bar(path: str) -> Iterator[Bar | None]:
    """A bar for the reading of this file; None where nobody looks at standard error or the file is small."""
    if sys.stderr is None or not sys.stderr.isatty() or not _is_big(path):
        yield None
        return
    shown = Bar(one_line(os.path.basename(path)))
    try:
        yield shown
    finally:
        shown.close()


def _is_big(path: str) -> bool:
    try:
        return os.path.getsize(path) > _BIG_BYTES
    except OSError:
        return False
