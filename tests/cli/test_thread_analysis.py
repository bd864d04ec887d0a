"""Explain, stats, diff, query and decisions of threads in a journal."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def threads(run: Run) -> None:
    """Two threads of the travel assistant: trip, and other, which asks something else."""
    shutil.copytree(EXAMPLES, "examples")
    assert run("run", "examples/travel_assistant.py", "周六去杭州", "--thread", "trip").code == 0
    assert run("run", "examples/travel_assistant.py", "周六去苏州", "--thread", "other").code == 0


def test_stats_of_a_thread(run: Run) -> None:
    """With the times that a journal knows."""
    value = json.loads(run("stats", "trip", "--json").out)
    assert (value["conversations"], value["calls"], value["tokens"]["total"]) == (1, 2, 879)
    assert value["answer_s"]["count"] == 2
    assert value["tools"]["get_weather"]["took_s"]["count"] == 1


@pytest.mark.parametrize("names", [[], [".holter/journal.db"]])
def test_stats_of_a_journal(run: Run, names: list[str]) -> None:
    """All its threads; also where nothing is named."""
    assert json.loads(run("stats", *names, "--json").out)["conversations"] == 2
    groups = json.loads(run("stats", *names, "--by", "thread", "--json").out)["groups"]
    assert {name: group["calls"] for name, group in groups.items()} == {"trip": 2, "other": 2}


def test_stats_of_a_journal_with_a_fork(run: Run) -> None:
    """What a fork shares with its origin is counted once; looked at alone, a fork is whole."""
    whole = json.loads(run("stats", "--json").out)
    assert run("fork", "trip", "4").code == 0
    value = json.loads(run("stats", "--json").out)
    assert (value["conversations"], value["tokens"], value["calls"]) == (3, whole["tokens"], whole["calls"])
    assert json.loads(run("stats", "trip@4", "--json").out)["messages"]["human"] == 1


def test_stats_of_an_export(run: Run) -> None:
    """The same sums from its lines."""
    Path("threads.jsonl").write_text(run("threads", "export").out, "utf-8")
    value = json.loads(run("stats", "threads.jsonl", "--json").out)
    assert (value["conversations"], value["calls"], value["tokens"]["total"]) == (2, 4, 1_758)


def test_diff_of_a_thread_and_its_fork(run: Run) -> None:
    """What a fork shares is the same. One that is called as a snapshot would be comes before that."""
    assert run("fork", "trip", "4").out == "trip@4\n"
    ended = run("diff", "trip", "trip@4", "--json")
    value = json.loads(ended.out)
    assert (ended.code, value["a"]["messages"], value["removed"]) == (1, 5, 5 - value["same"])
    assert value["b"]["source"] == "trip@4"
    assert run("diff", "trip@5", "trip").code == 0
    assert json.loads(run("diff", "trip@1", "trip@3", "--json").out)["added"] == 2


def test_diff_of_two_threads(run: Run) -> None:
    """The first difference is what was asked."""
    sentence = json.loads(run("diff", "trip", "other", "--json").out)["sentence"]
    assert sentence == "The first difference is in message 0 (human): A says “周六去杭州”, B says “周六去苏州”."


def test_explain_a_thread(run: Run) -> None:
    """Its events, too; nothing of them is unknown."""
    value = json.loads(run("explain", "trip", "--json", "--lang", "en").out)
    assert value["unknown"] == {}
    assert value["account"][0][0]["text"] == "The user said “周六去杭州”."
    assert {field["message"] for field in value["fields"]} == {None, 0, 1, 2, 3, 4}


def test_annotated_threads_open_again(run: Run) -> None:
    """Lines of a journal with comments are still a journal."""
    Path("annotated.jsonc").write_text(run("explain", "trip", "--annotate").out, "utf-8")
    opened, original = (json.loads(run("show", name, "--json").out)["messages"] for name in ("annotated.jsonc", "trip"))
    assert opened == original


def test_query_and_decisions(run: Run) -> None:
    """Over threads."""
    pytest.importorskip("duckdb")
    rows = run("query", "select thread, calls from conversations order by thread", "--json").out.splitlines()
    assert [json.loads(row) for row in rows] == [{"thread": "other", "calls": 2}, {"thread": "trip", "calls": 2}]
    points = json.loads(run("show", "trip", "--decisions", "--json").out)["decisions"]
    assert [point["snapshot"] for point in points] == [1, 4]


def test_a_thread_that_is_not_there(run: Run) -> None:
    """Is an error of one sentence."""
    for command in (["stats", "nope"], ["diff", "nope", "trip"], ["query", "select 1", "nope"]):
        ended = run(*command)
        assert (ended.code, ended.err.count("\n")) == (2, 1), ended.err
