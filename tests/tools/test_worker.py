"""Worker threads."""

import threading
from contextvars import ContextVar

import pytest

from holter.tools.worker import submit

WHO: ContextVar[str] = ContextVar("who", default="nobody")


def test_work_runs_beside_the_caller_with_its_context() -> None:
    """The function runs in another thread and sees the caller's context variables."""
    WHO.set("ann")
    assert submit(lambda: (WHO.get(), threading.current_thread() is threading.main_thread())).result(5) == ("ann", False)


def test_whatever_is_raised_is_the_waiters() -> None:
    """An exit does not end the worker or the process."""

    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        submit(leave).result(5)
    assert submit(lambda: 1).result(5) == 1


def test_many_run_at_once() -> None:
    """A hundred functions that wait for each other all get a thread."""
    barrier = threading.Barrier(100, timeout=10)
    futures = [submit(barrier.wait) for _ in range(100)]
    assert sorted(future.result(10) for future in futures) == list(range(100))


def test_threads_do_not_keep_the_process() -> None:
    """Workers are daemons."""
    assert submit(lambda: threading.current_thread().daemon).result(5) is True
