"""`holter query`."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write

pytest.importorskip("duckdb")


def test_a_table(run: Run) -> None:
    """For a person."""
    assert run("query", "select tool, count(*) as calls from calls group by tool", "log.json") == (
        0,
        "tool         calls\nget_weather      1\n1 row\n",
        "",
    )


def test_json_and_csv(run: Run) -> None:
    """For programs."""
    query = "select message, text from messages where type = 'human' order by conversation"
    lines = run("query", query, "many.jsonl", "--json").out.splitlines()
    assert [json.loads(line)["message"] for line in lines] == [0, 0, 0]
    assert run("query", query, "log.json", "--csv").out == "message,text\n0,明天北京的天气怎么样？🌤️\n"


def test_without_secrets(run: Run) -> None:
    """Or without any text."""
    write("secret.json", [{"role": "user", "content": "my key is sk-abcdefghijklmnop1234"}])
    assert run("query", "select text from messages", "secret.json", "--redact", "--csv").out == "text\nmy key is [redacted]\n"
    assert run("query", "select text from messages", "secret.json", "--redact=content", "--csv").out == "text\n[33 characters]\n"


def test_columns_of_one_name(run: Run) -> None:
    """Each has its place in an object."""
    assert run("query", "select 1 as a, 2 as a, 3 as a", "log.json", "--json").out == '{"a":1,"a_1":2,"a_2":3}\n'


def test_what_cannot_be_asked(run: Run) -> None:
    """Two forms at once; a folder with nothing in it."""
    ended = run("query", "select 1", "log.json", "--json", "--csv")
    assert (ended.code, ended.out) == (2, "")
    assert "choose one" in ended.err
    Path("empty").mkdir()
    assert run("query", "select 1", "empty") == (2, "", "holter: empty: there are no files in this folder (hidden ones are left out)\n")


def test_a_folder(run: Run) -> None:
    """All its logs are in the tables."""
    assert run("query", "select count(*) from conversations", ".").out == "count_star()\n           4\n1 row\n"


def test_tables(run: Run) -> None:
    """What there is to ask."""
    out = run("query", "--tables").out
    assert [line for line in out.splitlines() if line and not line.startswith(" ")] == [
        "conversations",
        "messages",
        "calls",
        "results",
        "usage",
    ]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["selec", "log.json"], "syntax error"),
        ([], "a query is needed"),
        (["select 1"], ".holter/journal.db"),
        (["select 1", "prose.txt"], "prose.txt"),
    ],
)
def test_what_cannot_be_answered(run: Run, args: list[str], said: str) -> None:
    """Is said in a sentence, with code 2."""
    ended = run("query", *args)
    assert ended.code == 2
    assert said in ended.err


def test_without_duckdb(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ended = run("query", "select 1", "log.json")
    assert ended.code == 2
    assert 'pip install "holter[duckdb]"' in ended.err
