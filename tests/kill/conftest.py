"""Workers that can be killed, and the count of those that were."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.postgres_server import Server

_KILLS = pytest.StashKey[Counter[str]]()


class Nursery:
    """Makes workers, and counts how many were killed."""

    def __init__(self, kills: Counter[str], *arguments: str) -> None:
        self._kills = kills
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill.nursery", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def work(
        self,
        place: tuple[str, dict[str, Any]],
        folder: Path,
        at: int | None = None,
        *,
        is_after: bool = False,
        delay_s: float | None = None,
    ) -> bool:
        """Whether a worker came to the end; it is killed at its append of that number, or after that time."""
        where, options = place
        job = {"place": where, "folder": str(folder), "at": at, "is_after": is_after, "delay_s": delay_s, "options": options}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        assert code in (0, -9), f"the worker failed: {code}"
        if code:
            self._kills["PostgreSQL" if "://" in where else "SQLite"] += 1
        return code == 0

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


@pytest.fixture(scope="session")
def nursery(request: pytest.FixtureRequest) -> Iterator[Nursery]:
    """One for all tests."""
    made = Nursery(request.config.stash.setdefault(_KILLS, Counter()), "postgresql://")
    yield made
    made.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running PostgreSQL server."""
    made = Server()
    yield made
    made.remove()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says how many workers were killed."""
    if kills := config.stash.get(_KILLS, None):
        counts = ", ".join(f"{count} on {place}" for place, count in sorted(kills.items()))
        terminalreporter.write_line(f"workers killed: {sum(kills.values())} ({counts})")
