"""Every example runs and prints what stands beside this file."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.models.server import call, deltas, says_events, serving

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SHOWN = sorted(HERE.glob("*.txt"))


def printed(*arguments: str, folder: Path = ROOT, **env: str) -> str:
    """What Python prints with these arguments; nothing may go wrong, and nothing be warned of."""
    command = [sys.executable, "-W", "error", *arguments]
    finished = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", env={"PYTHONUTF8": "1", **env}, timeout=60)
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


def test_the_travel_assistant_asks_a_real_model() -> None:
    """Where HOLTER_MODEL names one; the tools run as they do for the script."""
    asked = call("get_weather", '{"city": "杭州市", "day": "2026-10-31"}')

    def says(request: Any) -> Any:
        if len(request.json["messages"]) == 2:
            return says_events(deltas({"tool_calls": [asked]}, finish="tool_calls"))
        return says_events(deltas({"content": "Take a jacket."}))

    with serving(says) as server:
        name = f"{server.url}/v1#m-1"
        screen = printed("-m", "holter", "run", "examples/travel_assistant.py:agent", "Weather?", HOLTER_MODEL=name)
        offered = [tool["function"]["name"] for tool in server.requests[0].json["tools"]]
    assert offered == ["search_hotels", "get_weather"]
    assert "晴，14–22 °C" in screen
    assert "Take a jacket." in screen
