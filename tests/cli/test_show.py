"""`holter show`."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import TALK, Run, run_apart, write

SECRET = "sk-proj-0123456789abcdefABCDEF"


def test_timeline(run: Run) -> None:
    """Without options, all of it."""
    assert run("show", "log.json") == (
        0,
        snapshot("""\
log.json · conversation 0 · openai.chat · 4 messages
─── 2 steps, 1 call ────────────────────────────────────────────────────────────
  0 human
    明天北京的天气怎么样？🌤️

  1 ai
    → get_weather(city="北京")
  2 ← 晴 ☀️

  3 ai
    明天是晴天。

4 messages · 1 call
"""),
        "",
    )


def test_list(run: Run) -> None:
    """A line for each conversation."""
    assert run("show", "many.jsonl", "--list").out == snapshot("""\
  #  format            messages  calls   tokens  errors  begins with
  0  openai.chat              4      1        -       0  明天北京的天气怎么样？…
  1  openai.chat              1      0        -       0  明天北京的天气怎么样？…
  2  openai.chat              2      1        -       0  明天北京的天气怎么样？…
""")


def test_list_of_several_files_names_them(run: Run) -> None:
    """Each file has its own list."""
    out = run("show", "log.json", "many.jsonl", "--list").out.splitlines()
    assert out[0] == "log.json"
    assert out[3:5] == ["", "many.jsonl"]


def test_json(run: Run) -> None:
    """One line for each conversation, in UTF-8."""
    ended = run("show", "many.jsonl", "--json")
    values = [json.loads(line) for line in ended.out.splitlines()]
    assert [(value["position"], len(value["messages"])) for value in values] == [(0, 4), (1, 1), (2, 2)]
    assert "北京" in ended.out


def test_json_list(run: Run) -> None:
    """The list for programs."""
    values = [json.loads(line) for line in run("show", "many.jsonl", "--list", "--json").out.splitlines()]
    assert [(value["position"], value["messages"], value["calls"]) for value in values] == [(0, 4, 1), (1, 1, 0), (2, 2, 1)]


def test_one_message(run: Run) -> None:
    """--message chooses a message, and passes over conversations that are too short."""
    out = run("show", "many.jsonl", "--message", "3").out
    assert "明天是晴天。" in out
    assert out.count("many.jsonl") == 1


def test_one_message_as_json(run: Run) -> None:
    """As one JSON object a line, under LangChain's names."""
    message = json.loads(run("show", "log.json", "--message", "2", "--json").out)
    assert (message["type"], message["content"], message["tool_call_id"], message["status"]) == ("tool", "晴 ☀️", "a", "success")


def test_one_conversation(run: Run) -> None:
    """--conversation chooses one."""
    out = run("show", "many.jsonl", "--conversation", "1").out
    assert out.startswith("many.jsonl · conversation 1 · ")
    assert out.count("many.jsonl") == 1


def test_snapshot(run: Run) -> None:
    """--snapshot shows how it stood then: the call has no result yet."""
    assert "← no result yet" in run("show", "log.json", "--snapshot", "2").out


def test_snapshot_before_the_first_message(run: Run) -> None:
    """Nothing was said yet."""
    assert run("show", "log.json", "--snapshot", "0") == (
        0,
        "log.json · conversation 0 · openai.chat · 0 messages\n0 messages · 0 calls\n",
        "",
    )
    assert json.loads(run("show", "log.json", "--snapshot", "0", "--json").out)["messages"] == []


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_message_behind_the_snapshot_is_not_there(run: Run, as_json: list[str]) -> None:
    """In whichever conversation."""
    sentence = "there is no message at 2 of the first 2; the longest conversation has 4 messages, 0 to 3"
    assert run("show", "log.json", "--snapshot", "2", "--message", "2", *as_json) == (2, "", f"holter: log.json: {sentence}\n")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["many.jsonl", "--conversation", "7"], "holter: many.jsonl: there is no conversation at 7; it holds 3 conversations, 0 to 2\n"),
        (["log.json", "--conversation", "1"], "holter: log.json: there is no conversation at 1; it holds one conversation, at 0\n"),
        (["log.json", "--message", "4"], "holter: log.json: there is no message at 4; the longest conversation has 4 messages, 0 to 3\n"),
        (["log.json", "--snapshot", "9"], "holter: log.json: there are no 9 messages; the longest conversation has 4 messages, 0 to 3\n"),
    ],
)
def test_what_is_not_there_is_said(run: Run, args: list[str], sentence: str) -> None:
    """A position that is out of range names what exists."""
    assert run("show", *args) == (2, "", sentence)


def test_standard_input() -> None:
    """`-` is standard input."""
    ended = run_apart("show", "-", stdin=json.dumps(TALK).encode())
    assert ended.code == 0
    assert ended.out.startswith("standard input · conversation 0")


def test_a_damaged_log_is_shown_and_is_1(run: Run) -> None:
    """A finding that is an error makes the exit code 1."""
    Path("cut.json").write_bytes(Path("log.json").read_bytes()[:-20])
    ended = run("show", "cut.json")
    assert ended.code == 1
    assert "error READ01 input-cut" in ended.out


def test_unreadable_files_do_not_stop_the_others(run: Run) -> None:
    """A sentence for each, the rest is shown, and the exit code is 2."""
    ended = run("show", "nowhere.json", "prose.txt", ".", "log.json")
    assert ended.code == 2
    assert "明天是晴天。" in ended.out
    sentences = ended.err.splitlines()
    assert sentences[0] == "holter: nowhere.json: no such file or directory"
    assert sentences[1].startswith("holter: prose.txt")
    assert sentences[2] == "holter: . is a directory; name the files in it"
    assert len(sentences) == 3


def test_redact_takes_no_file_for_its_value(run: Run) -> None:
    """`--redact FILE` blanks secrets in FILE."""
    write("secret.json", [{"role": "user", "content": f"my key is {SECRET}"}])
    ended = run("show", "--redact", "secret.json")
    assert ended.code == 0
    assert "my key is [redacted]" in ended.out


@pytest.mark.parametrize("options", [[], ["--json"], ["--list"], ["--list", "--json"], ["--message", "0"], ["--message", "0", "--json"]])
def test_redacted_content_is_nowhere(run: Run, options: list[str]) -> None:
    """In no form of the output."""
    ended = run("show", "log.json", "--redact=content", *options)
    assert ended.code == 0
    assert "北京" not in ended.out


def test_long_texts_are_cut_unless_full(run: Run) -> None:
    """--full and --message show them whole."""
    write("long.json", [{"role": "user", "content": "\n".join(f"line {n}" for n in range(300))}])
    assert "line 299" not in run("show", "long.json").out
    assert "… 260 more lines (--full)" in run("show", "long.json").out
    assert "line 299" in run("show", "long.json", "--full").out
    assert "line 299" in run("show", "long.json", "--message", "0").out


def test_control_codes_are_not_obeyed(run: Run) -> None:
    """Neither from the text nor from the file's name."""
    write("bad\x1b[2J.json", [{"role": "user", "content": "\x1b[31mred\u202e"}])
    ended = run("show", "bad\x1b[2J.json")
    assert "bad\\x1b[2J.json" in ended.out
    assert "\\x1b[31mred\\u202e" in ended.out
    assert "\x1b" not in ended.out
    assert "\x1b" not in run("show", "no\x1b[2J.json").err


def test_surrogates_crash_nothing(run: Run) -> None:
    """A lone surrogate is escaped, in text and in JSON."""
    Path("lone.json").write_text('[{"role": "user", "content": "a\\ud800b"}]')
    assert "a\\ud800b" in run("show", "lone.json").out
    assert json.loads(run("show", "lone.json", "--json").out)["messages"][0]["content"] == "a\ud800b"


def test_decisions(run: Run) -> None:
    """Each snapshot that the model was asked with, and what was new there."""
    assert run("show", "log.json", "--decisions").out == snapshot("""\
log.json · conversation 0 · openai.chat · 4 messages

@1    before the model is asked
      new  0 human 明天北京的天气怎么样？🌤️
      then 1 ai → get_weather({"city": "北京"})

@3    after 1 result, before the model is asked
      new  1 ai → get_weather({"city": "北京"})
      new  2 tool get_weather ← 晴 ☀️
      then 3 ai 明天是晴天。

holter diff log.json@1 log.json@3
""")
    value = json.loads(run("show", "log.json", "--decisions", "--json").out)
    assert value["decisions"][1] == {"snapshot": 3, "new": [1, 2], "results": 1, "answer": 3}
    assert run("show", "log.json", "--decisions", "--list").code == 2
    Path("my log.json").write_bytes(Path("log.json").read_bytes())
    assert run("show", "my log.json", "--decisions").out.endswith("\nholter diff 'my log.json@1' 'my log.json@3'\n")
