"""`holter models`: who can be asked, and what one model can do."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from holter.models import PROVIDERS
from tests.cli.conftest import Run
from tests.models.server import Server, call, chat, deltas, says_events, says_json, serving


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for name in provider.key_names:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(answer) as one:
        yield one


def answer(asked: Any) -> Any:
    """A model that can all but call two tools at once."""
    if asked.json.get("stream"):
        return says_events(deltas({"content": "one "}, {"content": "two"}))
    if asked.json.get("tools"):
        return says_json(chat(None, "tool_calls", tool_calls=[call("get_weather", '{"city":"Oslo"}')]))
    return says_json(chat("ready"))


def test_the_list(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each provider with an example, and the variable of its key; the key itself is not shown."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-shown-nowhere")
    ended = run("models")
    assert ended.code == 0
    assert all(provider.title in ended.out and f"{name}:" in ended.out for name, provider in PROVIDERS.items())
    lines = {line.split()[0]: line for line in ended.out.splitlines()}
    assert "DEEPSEEK_API_KEY set " in lines["deepseek:deepseek-v4-flash"]
    assert "DASHSCOPE_API_KEY not set" in lines["qwen:qwen3.5-flash"]
    assert "no key" in lines["gguf:PATH"]
    assert "sk-shown" not in ended.out


def test_the_list_for_programs(run: Run) -> None:
    """One line of JSON for each."""
    rows = [json.loads(line) for line in run("models", "--json").out.splitlines()]
    assert [row["provider"] for row in rows] == [*PROVIDERS, "gguf", "url"]
    assert rows[0] == {
        "provider": "openai",
        "title": "OpenAI",
        "example": "openai:gpt-5-mini",
        "base_url": "https://api.openai.com/v1",
        "key_names": ["OPENAI_API_KEY"],
        "needs_key": True,
        "is_set": False,
    }


def test_a_check(run: Run, server: Server) -> None:
    """One tiny request for each capability, and exit code 1 where one is missing."""
    ended = run("models", "check", f"{server.url}/v1#m")
    assert ended.out == (
        "works  text               'ready'\n"
        "works  usage              10 tokens in, 5 out\n"
        "works  streaming          2 pieces of text\n"
        "works  usage of a stream  10 tokens in, 5 out\n"
        "works  tools              get_weather(city='Oslo')\n"
        "fails  parallel tools     it called only get_weather(city='Oslo')\n"
    )
    assert (ended.code, ended.err) == (1, "holter: not everything works; the sentences above say why\n")
    assert len(server.requests) == 4
    rows = [json.loads(line) for line in run("models", "check", f"{server.url}/v1#m", "--json").out.splitlines()]
    assert [(row["capability"], row["works"]) for row in rows][-2:] == [("tools", True), ("parallel tools", False)]


def test_a_key_that_is_refused(run: Run) -> None:
    """It is said once, and nothing else is asked."""
    with serving(says_json({"error": {"message": "no such key"}}, 401)) as server:
        ended = run("models", "check", f"{server.url}/v1#m")
        assert (ended.code, ended.out.count("\n"), len(server.requests)) == (1, 1, 1)
        assert "no such key" in ended.out


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["check"], "holter: check what? Name a model"),
        (["check", "acme:x"], "holter: there is no provider 'acme'"),
        (["check", "deepseek:x"], "holter: DeepSeek needs a key: set DEEPSEEK_API_KEY"),
        (["verify"], "holter: Invalid value for '[check'"),
    ],
)
def test_wrong_usage(run: Run, args: list[str], text: str) -> None:
    """One sentence and exit code 2."""
    ended = run("models", *args)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(text)
