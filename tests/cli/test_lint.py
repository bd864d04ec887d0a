"""`holter lint`: what it prints, and how it ends."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from holter import Agent, ScriptedModel, SQLiteJournal, ToolCallRequest, tool
from tests.cli.conftest import TALK, Run, write

BROKEN = [TALK[0], TALK[1], {"role": "user", "content": "well?"}]


@pytest.fixture(autouse=True)
def broken(folder: Path) -> None:
    """broken.json holds a call without a result."""
    write("broken.json", BROKEN)


def test_clean_log_is_silent(run: Run) -> None:
    """And fine."""
    assert run("lint", "log.json") == (0, "", "")


def test_text_shows_the_message_between_its_neighbours(run: Run) -> None:
    """Like a compiler."""
    ended = run("lint", "broken.json")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "error[PAIR01] unanswered-tool-call",
        "  --> broken.json · [1].tool_calls[0] · message 1",
        "    0 | user      明天北京的天气怎么样？🌤️",
        '    1 | assistant → get_weather({"city":"北京"}) [a]',
        "      | ^ get_weather (a) has no result",
        "    2 | user      well?",
        "   = help: answer it with an error result that says it may or may not have run",
        "   = fixable: `holter fix` puts it right",
        "",
        "1 error, 1 fixable with `holter fix`",
    ]


def test_json_has_every_field(run: Run) -> None:
    """Null where there is nothing to say."""
    ended = run("lint", "broken.json", "--format", "json")
    assert json.loads(ended.out) == {
        "findings": [
            {
                "file": "broken.json",
                "code": "PAIR01",
                "name": "unanswered-tool-call",
                "severity": "error",
                "conversation": 0,
                "message": 1,
                "index": 1,
                "path": "[1].tool_calls[0]",
                "line": None,
                "column": None,
                "text": "get_weather (a) has no result",
                "hint": "answer it with an error result that says it may or may not have run",
                "fixable": True,
            }
        ]
    }
    assert json.loads(run("lint", "log.json", "--format", "json").out) == {"findings": []}


def test_sarif_names_rule_place_and_level(run: Run) -> None:
    """SARIF 2.1.0."""
    log = json.loads(run("lint", "broken.json", "--format", "sarif").out)
    (result,) = log["runs"][0]["results"]
    assert (log["version"], result["ruleId"], result["level"]) == ("2.1.0", "PAIR01", "error")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.json"
    assert [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]] == ["PAIR01"]


def test_github_annotation(run: Run) -> None:
    """One workflow command a finding."""
    assert run("lint", "broken.json", "--format", "github").out.startswith(
        "::error file=broken.json,line=1,title=PAIR01 unanswered-tool-call::"
    )


def test_fail_on(run: Run) -> None:
    """What is bad enough is the caller's to say."""
    write("pending.json", TALK[:2])
    assert [run("lint", "pending.json", "--fail-on", level).code for level in ("error", "warning", "info", "never")] == [0, 0, 1, 0]
    assert run("lint", "broken.json", "--fail-on", "never").code == 0


def test_select_and_ignore(run: Run) -> None:
    """Codes, beginnings, names."""
    assert run("lint", "broken.json", "--ignore", "PAIR").code == 0
    assert run("lint", "broken.json", "--select", "ARG,USE").code == 0
    assert run("lint", "broken.json", "--select", "unanswered-tool-call").code == 1
    assert run("lint", "broken.json", "--select", "NOPE").code == 2


def test_target(run: Run) -> None:
    """One that there is not is named with those that there are."""
    assert run("lint", "log.json", "--target", "anthropic-no-prefill").code == 1
    ended = run("lint", "log.json", "--target", "nobody")
    assert (ended.code, "'nobody' is no target; there are openai" in ended.err) == (2, True)


def test_configuration_of_the_folder(run: Run) -> None:
    """pyproject.toml and holter.toml; the command line comes first."""
    Path("pyproject.toml").write_text('[tool.holter]\nignore = ["PAIR01"]\n', "utf-8")
    assert run("lint", "broken.json").code == 0
    Path("holter.toml").write_text('fail-on = "never"\n', "utf-8")
    assert run("lint", "broken.json").code == 0
    assert run("lint", "broken.json", "--fail-on", "error").code == 1
    Path("holter.toml").write_text("colour = 1\n", "utf-8")
    ended = run("lint", "broken.json")
    assert (ended.code, "there is no setting 'colour'" in ended.err) == (2, True)


def test_baseline(run: Run) -> None:
    """Known findings are left out."""
    assert run("lint", "broken.json", "--write-baseline", "known.json") == (0, "", "")
    assert run("lint", "broken.json", "--baseline", "known.json") == (0, "", "")
    write("other.json", BROKEN)
    assert run("lint", "other.json", "--baseline", "known.json").code == 1


def test_several_files_one_of_them_unreadable(run: Run) -> None:
    """The others are linted all the same."""
    ended = run("lint", "missing.json", "broken.json", "prose.txt", "--format", "json")
    assert ended.code == 2
    assert [finding["file"] for finding in json.loads(ended.out)["findings"]] == ["broken.json"]
    assert "missing.json: no such file or directory" in ended.err


def test_large_files_in_processes_of_their_own(run: Run) -> None:
    """What is found is the same, in the order of the files."""
    line = json.dumps({"messages": [*TALK, {"role": "user", "content": "x" * 2_000}]}, ensure_ascii=False)
    bad = json.dumps({"messages": BROKEN})
    for name in ("a.jsonl", "b.jsonl"):
        Path(name).write_text(f"{line}\n" * 1_500 + f"{bad}\n", "utf-8")
    ended = run("lint", "a.jsonl", "b.jsonl", "--format", "json")
    found = [(f["file"], f["code"], f["conversation"], f["line"]) for f in json.loads(ended.out)["findings"]]
    assert found == [("a.jsonl", "PAIR01", 1_500, 1_501), ("b.jsonl", "PAIR01", 1_500, 1_501)]


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("target = 3", "target is a text, found 3"),
        ("select = 3", "select is codes, in a list or in one text with commas, found 3"),
        ("ignore = [1]", "ignore is codes"),
        ('window-tokens = "x"', "window-tokens is a whole number from 1 on, found 'x'"),
        ("baseline = 0", "baseline is a text, found 0"),
        ("[lint]\nfail-on = true", "fail-on is a text, found True"),
        ("x =", "Invalid value"),
    ],
)
def test_settings_of_the_wrong_kind(run: Run, setting: str, text: str) -> None:
    """A sentence that names the file, the setting and what it is."""
    Path("holter.toml").write_text(setting, "utf-8")
    ended = run("lint", "broken.json")
    assert (ended.code, "holter.toml" in ended.err, text in ended.err) == (2, True, True)


def test_a_baseline_that_is_not_there(run: Run) -> None:
    """As of any file."""
    assert run("lint", "broken.json", "--baseline", "gone.json") == (2, "", "holter: gone.json: no such file or directory\n")


@tool
def pay(euro: int) -> str:
    """Pay."""
    raise TimeoutError(f"no answer about {euro} EUR within 5 s")


def twice(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
    """Tries once more, whatever may have been paid."""
    with suppress(TimeoutError):
        return execute(request)
    return execute(request)


def test_a_thread_of_the_journal(run: Run) -> None:
    """By its name, and from an export: its messages, and what happened."""
    Path(".holter").mkdir()
    journal = SQLiteJournal(".holter/journal.db")
    model = ScriptedModel([[{"name": "pay", "args": {"euro": 9}, "id": "a"}], "Done."])
    Agent(model, [pay], journal=journal, wrap_tool_call=twice).run("Pay it.", thread="trip")
    journal.close()
    (found,) = json.loads(run("lint", "trip", "--format", "json", "--ignore", "READ").out)["findings"]
    assert (found["code"], found["severity"], found["message"], found["path"]) == ("RUN02", "warning", 1, f"events[{found['index']}]")
    assert run("threads", "export", "trip", "-o", "trip.jsonl").code == 0
    (again,) = json.loads(run("lint", "trip.jsonl", "--format", "json", "--ignore", "READ").out)["findings"]
    assert again | {"file": "trip"} == found
