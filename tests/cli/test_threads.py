"""`holter threads`: lists, searches, clears up and moves the threads of a journal."""

import asyncio
import json
import os
import stat
import time
from pathlib import Path

import pytest

from holter.cli.group import Commands, holter
from holter.journal import SQLiteJournal
from holter.journal.event import Event, MessageAdded, RunEnded, RunStarted, ToolFailed, ToolStarted
from holter.messages import AIMessage, HumanMessage, ToolMessage
from tests.cli.conftest import Run

DAY_S = 86_400.0
CALL = {"name": "get_weather", "args": {"city": "北京"}, "id": "c", "type": "tool_call"}
TRIP: list[Event] = [
    RunStarted(run="r"),
    MessageAdded(message=HumanMessage("How is the weather in 北京? My key is sk-abcdefghijklmnopqrstuvwx1234", id="h")),
    MessageAdded(message=AIMessage("", id="a", tool_calls=[CALL])),
    ToolStarted(call_id="c", name="get_weather"),
    ToolFailed(call_id="c", name="get_weather", error="ValueError: no such city"),
    MessageAdded(message=ToolMessage("no", id="t", tool_call_id="c", status="error")),
    RunEnded(run="r", status="failed", error="gave up"),
]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal where the command looks by itself: a failed thread of 40 days ago, a fork of it and one more of now."""
    monkeypatch.delenv("HOLTER_JOURNAL", raising=False)
    Path(".holter").mkdir()
    path = Path(".holter/journal.db")

    async def fill(journal: SQLiteJournal, now: list[float]) -> None:
        await journal.append("trip", 0, TRIP)
        now[0] += 40 * DAY_S
        await journal.fork("trip", 3, "again")
        await journal.append("order", 0, [MessageAdded(message=HumanMessage("Refund my order", id="h"))])

    now = [time.time() - 40 * DAY_S]
    with SQLiteJournal(path, clock=lambda: now[0]) as journal:
        asyncio.run(fill(journal, now))
    return path


def shown(run: Run, *args: str) -> list[str]:
    """The ids of the threads that are listed."""
    ended = run("threads", *args, "--json")
    assert ended.code == 0, ended.err
    return [json.loads(line)["id"] for line in ended.out.splitlines()]


def test_threads_are_listed(run: Run, place: Path) -> None:
    """The one that changed last first, with status, length, time and first words."""
    ended = run("threads")
    assert ended.code == 0
    head, *rows = ended.out.splitlines()
    assert head.split() == ["thread", "status", "events", "changed", "(UTC)", "begins", "with"]
    assert [row.split()[:3] for row in rows] == [["order", "new", "1"], ["again", "new", "4"], ["trip", "failed", "7"]]
    assert "Refund my order" in rows[0]


def test_a_list_for_programs(run: Run, place: Path) -> None:
    """Every field, whole."""
    line = json.loads(run("threads", "--json", "--limit", "1", "--offset", "1").out)
    assert (line["type"], line["id"], line["events"], line["forked_from"], line["at"]) == ("thread", "again", 4, "trip", 3)
    assert line["updated"].endswith("+00:00")
    assert line["begins_with"].startswith("How is the weather in 北京?")


def test_threads_are_searched_and_filtered(run: Run, place: Path) -> None:
    """By words, status, tool, error and time."""
    assert shown(run, "--search", "REFUND") == ["order"]
    assert shown(run, "--search", "北京 weather") == ["again", "trip"]
    assert shown(run, "--search", '"order my"') == []
    assert shown(run, "--status", "failed") == ["trip"]
    assert shown(run, "--tool", "get_weather") == ["again", "trip"]
    assert shown(run, "--error", "City") == ["trip"]
    assert shown(run, "--since", "30d") == ["order", "again"]
    assert shown(run, "--until", "30d") == ["trip"]
    assert shown(run, "--since", "2020-01-01", "--until", "2100-01-01T00:00:00+02:00") == ["order", "again", "trip"]
    assert run("threads", "--search", "zebra").err == "holter: no thread fits\n"
    assert run("threads", "--offset", "99").err == "holter: there are no more than 99 such threads\n"


def test_secrets_are_blanked(run: Run, place: Path) -> None:
    """And all text, when that is asked for."""
    assert "sk-abc" in run("threads", "--json").out
    assert "sk-abc" not in run("threads", "--redact", "--json").out
    assert "weather" not in run("threads", "--redact=content").out


def test_without_a_journal_nothing_is_laid(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list says that there is none; one that was named has to be there."""
    monkeypatch.delenv("HOLTER_JOURNAL", raising=False)
    assert run("threads") == (0, "", "holter: there is no journal here yet\n")
    ended = run("threads", "--journal", "missing.db")
    assert (ended.code, ended.err) == (2, "holter: missing.db: there is no such file; name the journal of a run that was recorded\n")
    assert not Path(".holter").exists()
    assert not Path("missing.db").exists()


def test_another_journal_is_named(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the option, before or after the command below, or by the environment."""
    place.rename("moved.db")
    assert shown(run, "--journal", "moved.db", "--limit", "1") == ["order"]
    monkeypatch.setenv("HOLTER_JOURNAL", "moved.db")
    assert shown(run, "--limit", "1") == ["order"]
    monkeypatch.delenv("HOLTER_JOURNAL")
    assert run("threads", "--journal", "moved.db", "delete", "order").code == 0
    assert run("threads", "delete", "again", "--journal", "moved.db").code == 0
    assert shown(run, "--journal", "moved.db") == ["trip"]


def test_old_threads_are_pruned(run: Run, place: Path) -> None:
    """First said, then done; a fork keeps what it shares."""
    assert run("threads", "prune", "--older-than", "30d", "--dry-run") == (0, "trip\n", "holter: 1 thread would be deleted\n")
    assert run("threads", "prune", "--older-than", "30d") == (0, "trip\n", "holter: 1 thread deleted\n")
    assert shown(run) == ["order", "again"]
    assert shown(run, "--search", "weather") == ["again"]
    assert run("threads", "prune", "--older-than", "30d") == (0, "", "holter: 0 threads deleted\n")


def test_an_event_is_redacted(run: Run, place: Path) -> None:
    """One text of it, or all; nothing of it is left in the file."""
    assert run("threads", "redact", "trip", "1", "--text", "sk-abcdefghijklmnopqrstuvwx1234").code == 0
    assert b"sk-abc" not in place.read_bytes()
    assert shown(run, "--search", "key") == ["trip", "again"]
    assert run("threads", "redact", "again", "1", "--reason", "asked for") == (0, "", "holter: event 1 of thread 'again' was redacted\n")
    assert shown(run, "--search", "key") == []
    assert shown(run, "--search", "asked") == ["again"]
    ended = run("threads", "redact", "trip", "99")
    assert (ended.code, ended.err) == (2, "holter: thread 'trip' has 8 events; there is none at 99\n")


def test_threads_are_moved(run: Run, place: Path) -> None:
    """What is exported is imported into another journal, which is made; again, it changes nothing."""
    assert run("threads", "export", "-o", "all.jsonl").code == 0
    for said in ("3 threads imported", "0 threads imported; 3 threads there already"):
        assert run("threads", "import", "all.jsonl", "--journal", "new.db") == (0, "", f"holter: {said}\n")
    assert shown(run, "--journal", "new.db", "--search", "weather") == ["again", "trip"]
    assert stat.S_IMODE(os.stat("new.db").st_mode) == 0o600
    Path("cut.jsonl").write_bytes(Path("all.jsonl").read_bytes()[:-20])
    ended = run("threads", "import", "cut.jsonl", "--journal", "other.db")
    assert (ended.code, ended.err.startswith("holter: cut.jsonl: line 11 is no line of an exported journal")) == (2, True)


def test_nothing_is_moved_from_nowhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The export of no journal holds no threads, and can be imported."""
    monkeypatch.delenv("HOLTER_JOURNAL", raising=False)
    assert run("threads", "export", "-o", "none.jsonl") == (0, "", "holter: there is no journal here yet\n")
    assert run("threads", "import", "none.jsonl", "--journal", "new.db") == (0, "", "holter: 0 threads imported\n")


def test_the_folder_of_a_journal_is_kept_out_of_git(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An import into no journal makes the folder, which ignores itself."""
    run("threads", "export", "trip", "-o", "all.jsonl")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert run("threads", "import", "../all.jsonl").code == 0
    assert Path(".holter/.gitignore").read_text() == "*\n"
    assert stat.S_IMODE(Path(".holter").stat().st_mode) == 0o700
    assert shown(run) == ["trip"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--since", "soon"], "'soon' is no time; write how long ago (30d, 12h, 2w) or a date (2026-01-31, 2026-01-31T08:00)"),
        (["--status", "odd"], "'odd' is not one of"),
        (["delete", "nowhere"], "there is no thread 'nowhere'"),
        (["export", "nowhere"], "there is no thread 'nowhere'"),
        (["prune"], "Missing option '--older-than'"),
        (["--journal", "log.json"], "log.json is no SQLite database"),
    ],
)
def test_what_is_wrong_is_said(run: Run, place: Path, args: list[str], said: str) -> None:
    """In one sentence, with exit code 2."""
    ended = run("threads", *args)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_helps_below_say_what_there_is(run: Run) -> None:
    """Each command below has a help with examples."""
    assert isinstance(holter, Commands)
    for name in ("prune", "delete", "redact", "export", "import"):
        ended = run("threads", name, "--help")
        assert ended.code == 0
        assert f"holter threads {name}" in ended.out.split("Example")[1]
