"""What the README and the documentation say, run."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LOCAL_COMMANDS = ("holter ", "cat examples/")


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language, in order."""
    return [code for name, code in _BLOCK.findall(page.read_text("utf-8")) if name == language]


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder with the examples, and the log files that the pages speak of."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    travel = (ROOT / "examples" / "travel.json").read_bytes()
    (tmp_path / "log.json").write_bytes(travel)
    (tmp_path / "runs.jsonl").write_bytes(b"".join(b" ".join(travel.split(b"\n")) + b"\n" for _ in range(2)))
    return tmp_path


def run(command: list[str] | str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The finished command, with the `holter` of this environment first on the path."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    env = {"PATH": path, "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=env, shell=isinstance(command, str))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page: Path, workplace: Path) -> None:
    """Every Python block of a page runs from top to bottom."""
    for code in blocks(page, "python"):
        finished = run([sys.executable, "-c", code], workplace)
        assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_run(page: Path, workplace: Path) -> None:
    """Every holter command of a page succeeds."""
    for block in blocks(page, "console"):
        for line in block.splitlines():
            command = line.removeprefix("$ ").split("  #")[0]
            if line.startswith("$ ") and command.startswith(_LOCAL_COMMANDS):
                finished = run(command, workplace)
                assert finished.returncode == 0, f"{command}\n{finished.stderr}"


_TIMES = re.compile(r"\b\d\d:\d\d:\d\d\b|\b\d+\.\d s$", re.MULTILINE)
"""When a message came, and how long the run took."""


@pytest.mark.parametrize("page", PAGES[:2], ids=lambda page: page.name)
def test_the_demo_prints_what_the_readme_shows(page: Path, workplace: Path) -> None:
    """The text under the demo is what `make demo` prints, but for the times."""
    shutil.copy(ROOT / "Makefile", workplace)
    finished = run(["make", "-s", "-o", ".venv/.run-stamp", "demo", f"BIN={Path(sys.executable).parent}"], workplace)
    assert finished.returncode == 0, finished.stderr
    assert _TIMES.sub("", finished.stdout).rstrip("\n") == _TIMES.sub("", blocks(page, "text")[0]).rstrip("\n")


@pytest.mark.parametrize("page", PAGES[:2], ids=lambda page: page.name)
def test_the_readme_names_the_commands_of_the_demo(page: Path) -> None:
    """In its second console block, as the Makefile runs them."""
    recipe = (ROOT / "Makefile").read_text("utf-8").split("\ndemo:")[1].split("\n\n")[0]
    commands = re.findall(r"^\t\$\(BIN\)/(holter .*)$", recipe, re.MULTILINE)
    assert [f"$ {command}" for command in commands] == blocks(page, "console")[1].splitlines()
