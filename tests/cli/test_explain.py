"""`holter explain`."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from holter.render.wrap import cells
from tests.cli.conftest import TALK, Run, run_apart, write

FIXTURES = Path(__file__).parents[1] / "fixtures" / "explained"


def test_account_then_fields(run: Run) -> None:
    """Message by message; what a field means is said once."""
    ended = run("explain", "log.json", "--lang", "en")
    assert ended.code == 0
    assert ended.out == snapshot("""\
log.json · conversation 0 · openai.chat · 4 messages

What happened
  The user said “明天北京的天气怎么样？🌤️”. The model asked for
  `get_weather(city="北京")`. city="北京" stands in what the user said.
  `get_weather` returned “晴 ☀️”. The model answered “明天是晴天。”.

─── 0 human ────────────────────────────────────────────────────────────────────
  role  "user"
    Who speaks.
    → The person, or the program that speaks for them.
  content  "明天北京的天气怎么样？🌤️"
    What is said: text, or a list of blocks. Beside calls it is often null or
    empty; that is no fault.

─── 1 ai ───────────────────────────────────────────────────────────────────────
  role  "assistant"
    → The model.
  content  null
    → the model asked for tools instead of speaking; that is no fault
  tool_calls
    The calls that the model asks for. They are requests: nothing has run yet.
    Calls of one message were asked for together, so none can depend on
    another's result.
    id  "a"
      The call's name in this conversation; the result repeats it as
      `tool_call_id`.
      → answered by message 2
    type  "function"
      What kind of call: of a function with arguments, or of a custom tool with
      free text.
    function
      Which function, with which arguments.
      name  "get_weather"
        The name of the tool that the model wants.
      arguments  "{\\"city\\":\\"北京\\"}"
        The arguments as text that should be one JSON object. It is a string: it
        must be decoded before it can be used.
        → text: JSON of 1 argument(s)
        → city: said by the user, message 0

─── 2 tool ─────────────────────────────────────────────────────────────────────
  role  "tool"
    → The program that ran a tool: the result of one call.
  tool_call_id  "a"
    Which call this result answers: the call's id, letter for letter. It is the
    only link between the two.
    → answers the call of `get_weather` in message 1
  content  "晴 ☀️"

─── 3 ai ───────────────────────────────────────────────────────────────────────
  role  "assistant"
    → The model.
  content  "明天是晴天。"
""")


def test_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is asked for, or where the locale says so."""
    asked = run("explain", "log.json", "--lang", "zh").out
    assert '模型请求 `get_weather(city="北京")`。' in asked.replace("\n", "").replace("  ", "") or "模型请求" in asked
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert run("explain", "log.json").out == asked


def test_one_message(run: Run) -> None:
    """With every meaning, and without the account."""
    out = run("explain", "log.json", "--message", "3", "--lang", "en").out
    assert "What happened" not in out
    assert "Who speaks." in out
    assert "─── 3 ai" in out
    assert "─── 2" not in out


def test_one_field(run: Run) -> None:
    """All that is known, and each value."""
    Path("calculator.txt").write_bytes((FIXTURES / "calculator.txt").read_bytes())
    out = run("explain", "calculator.txt", "--field", "response_metadata.token_usage.total_tokens", "--lang", "en").out
    assert out.splitlines()[2:] == snapshot(
        [
            "messages[].response_metadata.token_usage.total_tokens",
            "  `prompt_tokens` + `completion_tokens` of this one request.",
            "  set by: the model's server",
            "  unit: tokens",
            "  typical: the sum of the two",
            "  goes with: `prompt_tokens`, `completion_tokens`",
            "  check: Another sum: the server counts something apart. Totals of several",
            "         requests add up to what is billed, not to the size of the context.",
            "  source: OpenAI API reference, chat completions",
            "          https://platform.openai.com/docs/api-reference/chat (2026-11)",
            "",
            "messages[1].response_metadata.token_usage.total_tokens  573",
            "    → 457 + 116",
            "messages[3].response_metadata.token_usage.total_tokens  572",
            "    → 527 + 45",
        ]
    )


def test_field_with_a_position(run: Run) -> None:
    """Is one field."""
    out = run("explain", "log.json", "--field", "tool_calls[0].id").out
    assert "[1].tool_calls[0].id" in out


def test_dictionary(run: Run) -> None:
    """A field without a log, in each format that has it."""
    ended = run("explain", "tool_call_id", "--lang", "en")
    assert ended.code == 0
    assert [line for line in ended.out.splitlines() if line.startswith("tool_call_id")] == [
        "tool_call_id  LangChain",
        "tool_call_id  OpenAI chat",
    ]
    values = [json.loads(line) for line in run("explain", "tool_call_id", "--json", "--lang", "zh").out.splitlines()]
    assert [(value["format"], value["set_by"], value["goes_with"]) for value in values] == [
        ("LangChain", "runtime", ["tool_calls[].id"]),
        ("OpenAI chat", "runtime", ["tool_calls[].id"]),
    ]


def test_a_field_nobody_knows(run: Run) -> None:
    """Names that are spelled alike are said."""
    ended = run("explain", "tool_cal_id")
    assert (ended.code, ended.out) == (2, "")
    assert "no such file or thread, and no field of this name is known; alike are tool_call_id" in ended.err
    assert "no field is called 'nope'" in run("explain", "log.json", "--field", "nope").err


def test_unknown_fields_are_listed(run: Run) -> None:
    """At the end, and in JSON."""
    write("odd.json", {"messages": [{**TALK[0], "mood": "good"}]})
    assert run("explain", "odd.json", "--lang", "en").out.endswith("unknown fields (no explanation)\n  messages[].mood\n")
    assert json.loads(run("explain", "odd.json", "--json").out)["unknown"] == {"messages[].mood": 1}


def test_options_of_logs_do_not_go_with_a_field(run: Run) -> None:
    """A field has no messages."""
    for options in (["--annotate"], ["--message", "1"], ["--field", "id"], ["--conversation", "0"]):
        ended = run("explain", "tool_call_id", *options)
        assert (ended.code, ended.out) == (2, "")
        assert "there is no file or thread 'tool_call_id', only a field" in ended.err


def test_a_file_that_is_not_there(run: Run) -> None:
    """Is no field that is spelled alike."""
    assert run("explain", "nope.json").err == "holter: nope.json: there is no such file\n"


def test_where_arguments_come_from_beside_a_field(run: Run) -> None:
    """Also with --field; nothing is said of what was blanked out."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city": "Rome"}'}}
    write("rome.json", {"messages": [{"role": "user", "content": "Rome"}, {"role": "assistant", "content": None, "tool_calls": [call]}]})
    assert "→ city: said by the user, message 0" in run("explain", "rome.json", "--field", "arguments", "--lang", "en").out
    assert "no earlier message" not in run("explain", "rome.json", "--lang", "en", "--redact=content").out


def test_no_line_is_wider_than_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor in Chinese, whose characters take two cells."""
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(cells, run("explain", "log.json", "--lang", "zh").out.splitlines())) <= 80


def test_annotate(run: Run) -> None:
    """JSON with comments, which `show` opens to the same conversation."""
    ended = run("explain", "log.json", "--annotate", "--lang", "en", "-o", "annotated.jsonc")
    assert ended == (0, "", "")
    text = Path("annotated.jsonc").read_text("utf-8")
    assert "  // 2. The result of a\n" in text
    shown, original = (json.loads(run("show", name, "--json").out) for name in ("annotated.jsonc", "log.json"))
    assert shown["messages"] == original["messages"]


def test_annotate_many(run: Run) -> None:
    """One document after another."""
    Path("annotated.jsonc").write_text(run("explain", "many.jsonl", "--annotate").out, "utf-8")
    shown, original = (
        [json.loads(line)["messages"] for line in run("show", name, "--json").out.splitlines()]
        for name in ("annotated.jsonc", "many.jsonl")
    )
    assert shown == original


def test_a_stream_is_not_repeated(run: Run) -> None:
    """Each field once."""
    out = run("explain", str(FIXTURES.parent / "openai_stream" / "answer.jsonl"), "--lang", "en").out
    assert out.count("system_fingerprint") <= 1
    assert out.count("finish_reason") == 1


def test_redact(run: Run) -> None:
    """Texts are gone from the account and from the fields."""
    out = run("explain", "log.json", "--redact=content").out
    assert "晴" not in out
    assert "北京" not in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["log.json", "--message", "9"], "there is no message at 9"),
        (["log.json", "--conversation", "5"], "there is no conversation at 5; it holds one conversation, at 0"),
        (["log.json", "--annotate", "--json"], "--annotate writes the whole log"),
        (["log.json", "-o", "x"], "-o goes with --annotate"),
        (["prose.txt"], "nothing in it was recognised"),
    ],
)
def test_what_is_not_there(run: Run, args: list[str], said: str) -> None:
    """Is said in a sentence."""
    ended = run("explain", *args)
    assert ended.code != 0
    assert said in ended.err


def test_standard_input() -> None:
    """As `-`."""
    ended = run_apart("explain", "-", "--lang", "en", stdin=json.dumps(TALK).encode())
    assert ended.code == 0
    assert "What happened" in ended.out
