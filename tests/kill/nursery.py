"""A process that has loaded everything and makes workers of itself, so that one that is killed costs milliseconds.

It reads a line of JSON for each worker from standard input, and answers with a line when the worker is gone: how it ended.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import time
import traceback
from contextlib import closing
from pathlib import Path
from typing import Any

from holter.journal.place import is_url, open_at
from tests.kill.program import agent_in, dies_at, work

if any(is_url(argument) for argument in sys.argv[1:]):
    import holter.journal.postgres  # noqa: F401 - loaded once for all workers


_LONGEST_S = 60
"""A worker that takes longer hangs: it says where, and ends."""


def run(job: dict[str, Any]) -> None:
    """One worker's life."""
    folder = Path(job["folder"])
    with closing(open_at(job["place"], **job["options"])) as journal:
        work(agent_in(folder, dies_at(journal, job["at"], is_after=job["is_after"], folder=folder)), folder)


def ended(child: int, delay_s: float | None) -> int:
    """The worker's exit code; a negative one is the signal that ended it. After the delay it is killed."""
    end = None if delay_s is None else time.monotonic() + delay_s
    while True:
        found, status = os.waitpid(child, 0 if end is None else os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() >= end:
            os.kill(child, signal.SIGKILL)
            end = None
        else:
            time.sleep(0.0002)


def main() -> None:
    """Serves until standard input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
            try:
                run(job)
            except BaseException:  # noqa: BLE001 - a worker says what went wrong, and never serves
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(ended(child, job["delay_s"]), flush=True)


if __name__ == "__main__":
    main()
