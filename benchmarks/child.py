"""Running another Python and asking what it cost."""

import inspect
import os
import subprocess
import sys
from collections.abc import Sequence

import msgspec


def peak_bytes() -> int:
    """The peak memory of this process. Linux counts a child's `ru_maxrss` from the fork on, so it is never below what the parent held at
    that moment; VmHWM starts anew with the child's own program."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        import resource  # not on every system, and a child of `PEAK` has this function's source alone
        import sys

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


PEAK = inspect.getsource(peak_bytes)
"""The same for a child that is not to import anything of this package."""


class Cost(msgspec.Struct, frozen=True):
    """What a child process printed, and the CPU time it took (user and system)."""

    stdout: str
    cpu_s: float


def python(*arguments: str) -> Cost:
    """Runs this same interpreter with the arguments."""
    return run([sys.executable, *arguments])


def run(command: Sequence[str]) -> Cost:
    """Runs the command to its end; a failing one ends the benchmark."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        stdout = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"exit status {process.returncode} of {' '.join(command)}")
    return Cost(stdout, usage.ru_utime + usage.ru_stime)
