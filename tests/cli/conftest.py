"""The command, run in this process or in its own, in a folder with logs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from holter.cli import main

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "明天北京的天气怎么样？🌤️"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"北京"}'}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "晴 ☀️"},
    {"role": "assistant", "content": "明天是晴天。"},
]


class Ended(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Ended]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: log.json holds one conversation, many.jsonl three, prose.txt none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("HOLTER_DEBUG", raising=False)
    monkeypatch.delenv("HOLTER_JOURNAL", raising=False)
    write("log.json", TALK)
    lines = [json.dumps({"messages": TALK[:count]}, ensure_ascii=False) for count in (4, 1, 2)]
    Path("many.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    Path("prose.txt").write_text("Nothing but prose.\n", "utf-8")
    return tmp_path


def write(name: str, value: Any) -> None:
    """A JSON file in the working folder."""
    Path(name).write_text(json.dumps(value, ensure_ascii=False), "utf-8")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process."""

    def run(*args: str) -> Ended:
        code = main(args)
        return Ended(code, *capsys.readouterr())

    return run


def run_apart(*args: str, stdin: bytes = b"", **env: str) -> Ended:
    """Runs the command in a process of its own."""
    command = [sys.executable, "-m", "holter", *args]
    ended = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **env}, check=False, timeout=60)
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test imports is forgotten, and the path is as it was."""
    before, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith(("holter", "rich", "tests")):
            del sys.modules[name]
    sys.path[:] = path
