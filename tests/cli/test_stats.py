"""`holter stats`."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import TALK, Run, write

FIXTURES = Path(__file__).parents[1] / "fixtures" / "explained"


@pytest.fixture
def without_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extra is not installed."""
    import sys

    from holter.models import cost

    monkeypatch.setitem(sys.modules, "genai_prices", None)
    cost._prices.cache_clear()


@pytest.mark.usefixtures("without_prices")
def test_one_log(run: Run) -> None:
    """Sums, tools, and each step."""
    Path("calculator.txt").write_bytes((FIXTURES / "calculator.txt").read_bytes())
    assert run("stats", "calculator.txt") == (
        0,
        snapshot("""\
messages  4 in 1 conversation: 1 human, 2 ai, 1 tool
steps     2, qwen3.5-flash
tokens    1,145: 984 in, 161 out (93 reasoning); 572 per step
calls     1, 0 failed (0 %), 0 repeated
context   ▇█  457 → 527 tokens in

tool                                      calls   failed  repeated  chars each
calculator                ████████████        1        0         0           4

step  message                      in   cached      out  reasoning  calls
   0        1  ████████████       457        0      116         63      1
   1        3  ████████████       527        0       45         30      0
"""),
        'holter: cost is left out: it needs the price list, pip install "holter[tokens]"\n',
    )


def test_json(run: Run) -> None:
    """Everything, for programs."""
    value = json.loads(run("stats", str(FIXTURES / "weather.txt"), "--json").out)
    assert value["tokens"] == {"input": 642, "cached": 0, "output": 221, "reasoning": 0, "total": 863, "per_step": 431.5}
    assert value["tools"]["get_weather"]["calls"] == 1
    assert [step["total_tokens"] for step in value["step_list"]] == [370, 493]
    assert value["context_growth"] == [295, 347]


def test_a_folder(run: Run) -> None:
    """All logs in it; what is none is counted, and said."""
    ended = run("stats", ".", "--json")
    value = json.loads(ended.out)
    assert (value["conversations"], value["calls"]) == (4, 3)
    assert ended == (0, ended.out, "holter: .: 1 file without a log passed over\n")


@pytest.mark.parametrize("by", ["tool", "model", "day", "thread"])
def test_groups(run: Run, by: str) -> None:
    """A row each; the same as JSON."""
    value = json.loads(run("stats", "log.json", "--by", by, "--json").out)
    assert value["by"] == by
    assert list(value["groups"]) == [{"tool": "get_weather", "model": "?", "day": "?", "thread": "log.json#0"}[by]]
    assert run("stats", "log.json", "--by", by).out.count("\n") == 2


def test_unreadable_files(run: Run) -> None:
    """Are said; the others are counted, and the code is 2."""
    ended = run("stats", "prose.txt", "log.json")
    assert ended.code == 2
    assert "4 in 1 conversation" in ended.out
    assert "prose.txt" in ended.err
    assert run("stats", "nowhere.json").code == 2


def test_times(run: Run) -> None:
    """Where messages say theirs."""
    stamped = [{**message, "ts": f"2026-03-01T12:00:0{at}+00:00"} for at, message in enumerate(TALK)]
    write(
        "timed.json",
        [
            {"type": {"user": "human", "assistant": "ai"}.get(m["role"], m["role"]), "content": m["content"] or "", "ts": m["ts"]}
            for m in stamped
            if m["role"] != "tool"
        ],
    )
    value = json.loads(run("stats", "timed.json", "--json").out)
    assert value["answer_s"]["count"] == 2
