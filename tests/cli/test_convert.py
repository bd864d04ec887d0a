"""`holter convert`."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import TALK, Run, write


def test_one_conversation_is_an_indented_document(run: Run) -> None:
    """Readable, in UTF-8, and the same messages."""
    ended = run("convert", "log.json", "--to", "openai")
    assert ended.code == 0
    assert '\n      "content": "明天北京的天气怎么样？🌤️"\n' in ended.out
    assert json.loads(ended.out)["messages"] == TALK


def test_several_conversations_are_lines(run: Run) -> None:
    """One document a line."""
    ended = run("convert", "many.jsonl", "--to", "openai")
    assert [len(json.loads(line)["messages"]) for line in ended.out.splitlines()] == [4, 1, 2]


def test_one_of_several(run: Run) -> None:
    """--conversation chooses one, which then is a document."""
    ended = run("convert", "many.jsonl", "--to", "openai", "--conversation", "2")
    assert len(json.loads(ended.out)["messages"]) == 2
    assert run("convert", "many.jsonl", "--to", "openai", "--conversation", "9").code == 2


def test_what_is_not_kept_is_said(run: Run) -> None:
    """On standard error, with the positions."""
    answer = {"role": "assistant", "content": "yes", "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    write("counted.json", [TALK[0], answer, TALK[0], answer])
    ended = run("convert", "counted.json", "--to", "openai")
    assert ended.code == 0
    lost = [line for line in ended.err.splitlines() if line.startswith("holter: not kept: usage_metadata")]
    assert [line.partition(", in ")[2] for line in lost] == ["messages 1, 3"]


def test_findings_are_counted(run: Run) -> None:
    """Damage is 1, and said."""
    Path("cut.json").write_bytes(Path("log.json").read_bytes()[:-20])
    ended = run("convert", "cut.json", "--to", "openai")
    assert ended.code == 1
    assert "1 error" in ended.err
    assert "found while reading; `holter show cut.json` shows them" in ended.err


def test_unknown_target_names_the_known(run: Run) -> None:
    """Before anything is read."""
    ended = run("convert", "nowhere.json", "--to", "klingon")
    assert ended.code == 2
    assert "'klingon' is no format that can be written; there are " in ended.err
    assert "openai" in ended.err


@pytest.mark.parametrize("name", ["nowhere.json", "prose.txt", "."])
def test_unreadable_input_is_2(run: Run, name: str) -> None:
    """One sentence."""
    ended = run("convert", name, "--to", "openai")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


def test_file_is_replaced_whole(run: Run) -> None:
    """The new text, the old mode, and nothing left over."""
    Path("out.json").write_text("old")
    os.chmod("out.json", 0o640)
    before = set(os.listdir())
    assert run("convert", "log.json", "--to", "openai", "-o", "out.json").code == 0
    assert json.loads(Path("out.json").read_text("utf-8"))["messages"] == TALK
    assert stat.S_IMODE(os.stat("out.json").st_mode) == 0o640
    assert set(os.listdir()) == before


def test_file_is_left_alone_when_reading_fails(run: Run) -> None:
    """Never half a file."""
    Path("out.json").write_text("old")
    before = set(os.listdir())
    assert run("convert", "prose.txt", "--to", "openai", "-o", "out.json").code == 2
    assert Path("out.json").read_text() == "old"
    assert set(os.listdir()) == before


def test_output_that_cannot_be_written(run: Run) -> None:
    """A folder and a missing folder are named."""
    assert run("convert", "log.json", "--to", "openai", "-o", ".") == (2, "", "holter: . is a directory; name a file in it\n")
    assert (
        run("convert", "log.json", "--to", "openai", "-o", "no/x.json").err
        == "holter: no/x.json cannot be written: no such file or directory\n"
    )


def test_redacted(run: Run) -> None:
    """A log can be passed on in another format, without its content."""
    ended = run("convert", "log.json", "--to", "openai", "--redact=content")
    assert ended.code == 0
    assert "北京" not in ended.out
    assert "get_weather" in ended.out
