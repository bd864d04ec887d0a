"""Every example runs and prints what stands beside this file."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SHOWN = sorted(HERE.glob("*.txt"))


def printed(*arguments: str, folder: Path = ROOT) -> str:
    """What Python prints with these arguments; nothing may go wrong, and nothing be warned of."""
    command = [sys.executable, "-W", "error", *arguments]
    finished = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", env={"PYTHONUTF8": "1"}, timeout=60)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_an_example_prints_what_is_shown(path: Path) -> None:
    """As `python examples/NAME.py` does it, without a warning."""
    assert printed(f"examples/{path.stem}.py") == path.read_text("utf-8")


def test_every_example_is_run() -> None:
    """Those that only hold tools are shown by `holter tools`."""
    examples = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert examples - {path.stem for path in SHOWN} == {"weather_tools"}


@pytest.mark.parametrize("example", ["calculator", "travel_assistant", "tool_state", "tool_retry", "tool_cache", "weather_tools"])
def test_the_tools_of_an_example_are_well_described(example: str) -> None:
    """A model would stumble over nothing."""
    assert printed("-m", "holter", "tools", f"examples/{example}.py")


def test_the_travel_assistant_is_run_from_the_command_line(tmp_path: Path) -> None:
    """With any prompt; the screen says that the model is scripted."""
    screen = printed("-m", "holter", "run", f"{ROOT / 'examples' / 'travel_assistant.py'}:agent", "周六想住在西湖边", folder=tmp_path)
    assert "周六想住在西湖边" in screen
    assert '→ get_weather(city="杭州", day="2026-10-31")' in screen
    assert "想多在湖边走走就选湖畔居。要预订吗？" in screen
    assert "scripted model" in screen


def test_the_travel_assistant_talks_for_several_turns() -> None:
    """The script answers every question."""
    found = runpy.run_path(str(ROOT / "examples" / "travel_assistant.py"))
    agent = found["agent"]
    for turn in (1, 2, 3):
        run = agent.run("再查一次", thread="t")
        assert (run.status, len(run.messages), run.usage["total_tokens"]) == ("done", 5 * turn, 286 * turn + 74 + 431 + 88)
