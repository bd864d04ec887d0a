"""`holter diff`."""

import copy
import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import TALK, Run, write


@pytest.fixture
def other() -> str:
    """A log that is different in an argument, a result and the answer, and goes on."""
    talk = copy.deepcopy(TALK)
    talk[1]["tool_calls"][0]["function"]["arguments"] = '{"city":"上海"}'
    talk[1]["tool_calls"][0]["id"] = talk[2]["tool_call_id"] = "b"
    talk[2]["content"] = "雨 🌧️"
    talk[3]["content"] = "明天是雨天。"
    write("other.json", [*talk, {"role": "user", "content": "谢谢"}])
    return "other.json"


def test_differences(run: Run, other: str) -> None:
    """The first in a sentence, then each message."""
    assert run("diff", "log.json", other) == (
        1,
        snapshot("""\
The first difference is in message 1 (ai): city of get_weather is "北京" in A, "
上海" in B.

~ 1 ai
    get_weather city: "北京" → "上海"

~ 2 tool
    [-晴 ☀️-]{+雨 🌧️+}

~ 3 ai
    明天是[-晴-]{+雨+}天。

+ 4 human 谢谢

1 the same · 3 changed · 1 only in B
"""),
        "",
    )


def test_snapshots(run: Run) -> None:
    """Of one log: what came between."""
    assert run("diff", "log.json@1", "log.json@3") == (
        1,
        snapshot("""\
B goes on where A ends: 2 more messages, from message 1 (ai) on.

+ 1 ai → get_weather({"city": "北京"})
+ 2 tool 晴 ☀️

1 the same · 2 only in B
"""),
        "",
    )
    assert run("diff", "log.json@4", "log.json").code == 0
    assert run("diff", "log.json", "log.json@1").out.startswith("A goes on where B ends: 3 more messages")


@pytest.mark.parametrize("to", ["langchain", "openai", "openai-responses", "anthropic", "gemini"])
def test_other_formats(run: Run, to: str) -> None:
    """Equal logs are equal in any."""
    run("convert", "log.json", "--to", to, "-o", "converted.json")
    assert run("diff", "log.json", "converted.json") == (0, "The two say the same.\n", "")


def test_conversations_of_a_file(run: Run) -> None:
    """Chosen by their position; without, one by one."""
    assert run("diff", "many.jsonl#0", "many.jsonl#2").code == 1
    assert run("diff", "many.jsonl#0@2", "many.jsonl#2").code == 0
    assert run("diff", "many.jsonl", "many.jsonl").out == "The two say the same.\n\n" * 2 + "The two say the same.\n"
    assert run("diff", "many.jsonl", "log.json") == (
        1,
        "The two say the same.\n\nConversation 1 is only in A.\n\nConversation 2 is only in A.\n",
        "",
    )


def test_json(run: Run, other: str) -> None:
    """Everything, for programs; equal messages are only counted."""
    value = json.loads(run("diff", "log.json", other, "--json").out)
    assert (value["equal"], value["same"], value["changed"], value["removed"], value["added"]) == (False, 1, 3, 0, 1)
    assert value["first"] == {"a": 1, "b": 1}
    assert value["messages"][0]["changes"] == [
        {"aspect": "argument", "path": "calls[0].args.city", "a": "北京", "b": "上海", "label": "get_weather"}
    ]


def test_ids(run: Run) -> None:
    """On request."""
    talk = copy.deepcopy(TALK)
    talk[1]["tool_calls"][0]["id"] = talk[2]["tool_call_id"] = "b"
    write("other.json", talk)
    assert run("diff", "log.json", "other.json").code == 0
    ended = run("diff", "log.json", "other.json", "--ids")
    assert ended.code == 1
    assert 'tool_call_id: "a" → "b"' in ended.out


def test_redact(run: Run, other: str) -> None:
    """No text is shown."""
    out = run("diff", "log.json", other, "--redact=content").out
    assert "晴" not in out
    assert "谢谢" not in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["log.json@9", "log.json"], "log.json@9: there are only 4 messages"),
        (["log.json#3", "log.json"], "there is no conversation at 3"),
        (["nowhere.json", "log.json"], "nowhere.json"),
        (["prose.txt", "log.json"], "prose.txt"),
    ],
)
def test_what_is_not_there(run: Run, args: list[str], said: str) -> None:
    """Is no difference."""
    ended = run("diff", *args)
    assert ended.code != 0
    assert said in ended.err


def test_a_file_whose_name_looks_like_a_snapshot(run: Run) -> None:
    """Comes first."""
    Path("odd@2").write_bytes(Path("log.json").read_bytes())
    assert run("diff", "odd@2", "log.json").code == 0


def test_times(run: Run) -> None:
    """Are told, and do not count; --full shows them."""
    for name, seconds in (("a.json", 1), ("b.json", 4)):
        human = {"type": "human", "content": "hi", "ts": "2026-03-01T12:00:00+00:00"}
        write(name, [human, {"type": "ai", "content": "hello", "ts": f"2026-03-01T12:00:0{seconds}+00:00"}])
    assert run("diff", "a.json", "b.json") == (0, "The two say the same.\n1 equal message took another time (--full).\n", "")
    assert "took 1.0 s → 4.0 s" in run("diff", "a.json", "b.json", "--full").out
