"""Helps say what there is, and their examples run."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holter.cli.group import COMMANDS, Commands, holter
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"


def examples(text: str) -> list[str]:
    """The lines of a help's last section."""
    return [line.strip() for line in text.split("Example")[1].splitlines()[1:] if line.strip()]


def test_help_lists_the_commands(run: Run) -> None:
    """Without arguments, too."""
    ended = run("--help")
    assert ended.code == 0
    assert ended == run()
    assert all(f"  {name}" in ended.out for name in COMMANDS)


@pytest.mark.parametrize("args", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_examples_run(run: Run, args: list[str]) -> None:
    """Every example of every help, in a shell, in a folder that holds a log, a thread, and the repository's examples."""
    shutil.copytree(EXAMPLES, "examples")
    assert run("run", "examples/travel_assistant.py", "明天北京的天气怎么样？", "--thread", "trip").code == 0
    found = examples(run(*args).out)
    assert found
    for example in found:
        command = f'holter() {{ {shlex.quote(sys.executable)} -m holter "$@"; }}; {example}'
        ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=60)
        assert (example, ended.returncode, "bug" in ended.stderr) == (example, 0, False), ended.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_what_the_list_says(name: str) -> None:
    """The table that spares the import names commands that exist."""
    assert isinstance(holter, Commands)
    command = holter.commands.get(name) or holter.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.name in (name, "command")


def test_help_loads_no_command() -> None:
    """The help is quick because it imports click and little else."""
    program = "import sys; from holter.cli import main; main(['--help']); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(ended.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint({"rich", "msgspec", "asyncio", "holter.formats", "holter.messages", "holter.cli.show"})


def test_json_loads_no_rich() -> None:
    """Output for programs does not pay for output for people."""
    program = "import sys; from holter.cli import main; main(['show', 'log.json', '--json']); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert "rich" not in ended.stdout.splitlines()[-1].split()
