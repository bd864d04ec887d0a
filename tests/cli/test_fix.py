"""`holter fix`: what it writes, and where."""

import json
import os
from pathlib import Path

from tests.cli.conftest import TALK, Run, write

BROKEN = [TALK[0], TALK[1], {"role": "user", "content": "well?"}]


def test_clean_log_comes_out_byte_for_byte(run: Run) -> None:
    """Also with odd spacing."""
    Path("odd.json").write_text("  " + json.dumps(TALK, indent=3) + "\n\n", "utf-8")
    assert run("fix", "odd.json", "-o", "out.json").code == 0
    assert Path("out.json").read_bytes() == Path("odd.json").read_bytes()


def test_open_call_is_answered(run: Run) -> None:
    """On standard output; what was done is told apart."""
    write("broken.json", BROKEN)
    ended = run("fix", "broken.json")
    assert [message["role"] for message in json.loads(ended.out)] == ["user", "assistant", "tool", "user"]
    assert ended.err == "holter: fixed PAIR01 unanswered-tool-call: get_weather (a) has no result\n"


def test_only_broken_lines_are_written_anew(run: Run) -> None:
    """The others keep their bytes."""
    good = json.dumps({"messages": TALK}, indent=None) + "  "
    Path("lines.jsonl").write_text(f"{good}\n{json.dumps({'messages': BROKEN})}\n{good}\n", "utf-8")
    assert run("fix", "lines.jsonl", "-o", "out.jsonl").code == 0
    lines = Path("out.jsonl").read_text("utf-8").split("\n")
    assert (lines[0], lines[2]) == (good, good)
    assert len(json.loads(lines[1])["messages"]) == 4


def test_in_place_only_when_asked(run: Run) -> None:
    """--write, and a second time there is nothing to do."""
    write("broken.json", BROKEN)
    before = Path("broken.json").read_bytes()
    run("fix", "broken.json")
    assert Path("broken.json").read_bytes() == before
    assert run("fix", "broken.json", "--write").code == 0
    after = Path("broken.json").read_bytes()
    assert after != before
    assert run("fix", "broken.json", "--write").err == "holter: nothing to fix\n"
    assert Path("broken.json").read_bytes() == after
    assert run("fix", "broken.json", "--write", "-o", "x.json").code == 2


def test_format_that_cannot_be_written_needs_another(run: Run) -> None:
    """A repr is written only with --to."""
    call = "{'name': 'f', 'args': {}, 'id': 'a', 'type': 'tool_call'}"
    Path("repr.txt").write_text(
        f"[HumanMessage(content='hi'), AIMessage(content='', tool_calls=[{call}]), HumanMessage(content='?')]", "utf-8"
    )
    ended = run("fix", "repr.txt")
    assert (ended.code, "name a format with --to" in ended.err) == (2, True)
    assert len(json.loads(run("fix", "repr.txt", "--to", "openai").out)["messages"]) == 4


def test_a_bare_list_stays_one(run: Run) -> None:
    """Also in a line of several; a list of another format too."""
    broken = BROKEN
    write("list.json", broken)
    fixed = json.loads(run("fix", "list.json").out)
    assert [message["role"] for message in fixed] == ["user", "assistant", "tool", "user"]
    Path("lines.jsonl").write_text(f"{json.dumps(broken)}\n{json.dumps({'messages': broken})}\n", "utf-8")
    one, other = (json.loads(line) for line in run("fix", "lines.jsonl").out.splitlines())
    assert (one, other) == (fixed, {"messages": fixed})


def test_other_format_asks_for_more(run: Run) -> None:
    """An id that OpenAI takes and Anthropic does not, and an empty result; `holter lint` has nothing to say of what is written."""
    call = {"id": "functions.f:0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    log = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "functions.f:0", "content": ""},
        {"role": "user", "content": "well?"},
    ]
    write("log.json", log)
    assert run("fix", "log.json").err == "holter: nothing to fix\n"
    ended = run("fix", "log.json", "--to", "anthropic", "-o", "out.json")
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "holter: fixed CONT05 empty-tool-result: the result is empty",
        "holter: fixed ID02 id-charset: the id 'functions.f:0' does not fit [A-Za-z0-9_-]+ and 1 more",
    ]
    assert (run("lint", "out.json").code, run("lint", "out.json").out) == (0, "")


def test_file_with_nothing_to_fix_is_not_touched(run: Run) -> None:
    """--write writes only what differs."""
    write("good.json", TALK)
    os.utime("good.json", (0, 0))
    assert run("fix", "good.json", "--write").code == 0
    assert Path("good.json").stat().st_mtime == 0
