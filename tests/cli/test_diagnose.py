"""`holter diagnose`: what it prints, and how it ends."""

import json

from tests.cli.conftest import TALK, Run, write


def test_causes_with_their_evidence(run: Run) -> None:
    """Ranked, each with the messages that show it and the remedy."""
    write("broken.json", [TALK[0], TALK[1], {"role": "user", "content": "well?"}])
    ended = run("diagnose", "broken.json", "--lang", "en")
    assert ended.code == 1
    assert ended.out.startswith("1. the provider refuses the request: 400 about `tool_call_id`\n")
    assert "PAIR01 [1].tool_calls[0]: get_weather (a) has no result" in ended.out


def test_symptom_in_chinese_is_answered_in_chinese(run: Run) -> None:
    """The language of the user's words."""
    ended = run("diagnose", "log.json", "--symptom", "工具从来没有被调用")
    assert (ended.code, ended.out.splitlines()[0]) == (0, "1. 工具从来没有被调用")


def test_json(run: Run) -> None:
    """For a program."""
    first = json.loads(run("diagnose", "log.json", "--symptom", "the same call again and again", "--json").out)["diagnoses"][0]
    assert (first["key"], first["asked"]) == ("repeats", True)


def test_unreadable_file(run: Run) -> None:
    """One sentence and 2."""
    assert run("diagnose", "missing.json") == (2, "", "holter: missing.json: no such file or directory\n")
