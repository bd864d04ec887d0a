"""Asked from synchronous code: one loop for all, in a thread of its own."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from holter.models.background import run, run_each
from tests.models.conftest import Ask
from tests.models.server import Says, chat, deltas, says_events, says_json

user = ContextVar("user", default="nobody")


def test_results_errors_and_context() -> None:
    """What is returned and raised arrives, and the caller's context variables are seen; also inside of a running loop."""

    async def who() -> str:
        await asyncio.sleep(0)
        return f"{user.get()} on {threading.current_thread().name}"

    async def broken() -> None:
        raise ValueError("no")

    async def items() -> AsyncIterator[int]:
        yield 1
        yield 2
        raise ValueError("no more")

    async def cell() -> str:
        user.set("ann")
        return run(who())

    assert run(who()) == "nobody on holter-models"
    assert asyncio.run(cell()) == "ann on holter-models"
    with pytest.raises(ValueError, match="no"):
        run(broken())
    stream = run_each(items())
    assert (next(stream), next(stream)) == (1, 2)
    with pytest.raises(ValueError, match="no more"):
        next(stream)


def test_from_its_own_thread() -> None:
    """Who asks from inside of what runs there does not wait for ever."""

    async def inner() -> int:
        return 3

    async def outer() -> int:
        return run(inner())

    assert run(outer()) == 3


def test_many_threads(chat_model: Ask) -> None:
    """Threads ask at the same time, and share connections."""
    model, server = chat_model(says_json(chat("Hi")))
    with ThreadPoolExecutor(8) as pool:
        assert [answer.text for answer in pool.map(model.invoke, ["Hi"] * 40)] == ["Hi"] * 40
    assert server.connections <= 8


def test_ctrl_c(chat_model: Ask) -> None:
    """An interrupt while an answer is waited for closes its connection, and the next question is answered."""
    model, server = chat_model([Says(silent=True, hangs=True), says_json(chat("Hi"))])
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.invoke("Hi")
    timer.join()
    assert server.closed_early.wait(2)
    assert model.invoke("Hi").text == "Hi"


def test_a_forked_process(chat_model: Ask) -> None:
    """A child has no loop yet, and begins its own."""
    model, server = chat_model(says_json(chat("Hi")))
    assert model.invoke("Hi").text == "Hi"
    child = os.fork()
    if child == 0:
        os._exit(0 if model.invoke("Hi").text == "Hi" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert server.connections == 2


def test_the_process_ends_quietly(chat_model: Ask) -> None:
    """With connections that are open, and a stream that was left in the middle: no warning, and no thread that holds it up."""
    _, server = chat_model(
        lambda asked: says_events(deltas(*[{"content": "a"}] * 500), pause_s=0.02) if asked.json.get("stream") else says_json(chat("Hi"))
    )
    program = f"""
from holter.models import load
model = load("{server.url}/v1#m")
print(model.invoke("Hi").text)
stream = model.stream("Hi")
next(stream)
"""
    ended = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=20, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "Hi\n", "")


def test_who_plays_a_script_imports_no_http() -> None:
    """`holter.models` alone imports neither httpx2 nor a loop's thread."""
    program = "import sys, threading; import holter.models; print('httpx2' in sys.modules, threading.active_count())"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20)
    assert ended.stdout == "False 1\n"
