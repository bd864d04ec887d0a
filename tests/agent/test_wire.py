"""Agents whose models are asked over the wire: tries in the journal, forms, names of models, LangChain's models and tools."""

import json
from typing import Any

import pytest
from langchain_core.tools import tool as langchain_tool

from holter import Agent, HumanMessage, KeyRefused, MemoryJournal, ModelDown, RateLimited, load
from holter.journal.event import ModelFailed, ModelStarted
from holter.models import FallbackModel, LangChainModel
from holter.tools.drive import drive
from tests.agent.sample import calls_of, said
from tests.agent.ways import Way
from tests.models.conftest import QUICK
from tests.models.server import Says, Server, call, chat, deltas, says_events, says_json, serving
from tests.models.test_langchain import Model

SLOW_DOWN = says_json({"error": {"message": "slow down"}}, 429, headers={"retry-after": "0.02"})


@langchain_tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def either(whole: Any, *pieces: dict[str, Any], finish: str = "stop") -> Any:
    """A script that answers whole or in a stream, as it is asked."""
    return lambda asked: says_events(deltas(*pieces, finish=finish)) if asked.json.get("stream") else says_json(whole)


def at(server: Server, **options: Any) -> Any:
    """A model at a server of ours."""
    return load(f"{server.url}/v1#m-1", key="sk-test", retry=QUICK, **options)


def tries(journal: MemoryJournal) -> list[tuple[str, str, int, float | None]]:
    """Requests and failures of the thread, in order."""
    return [
        (event.kind, event.model.rpartition("#")[2], event.attempt, getattr(event, "wait_s", None))
        for event in (entry.event for entry in drive(journal.read("t")))
        if isinstance(event, ModelStarted | ModelFailed)
    ]


def test_every_try_is_an_event(way: Way) -> None:
    """With the wait before the next one, which the provider may have asked for."""
    hello = either(chat("Hello"), {"content": "Hello"})
    count = iter(range(9))
    with serving(lambda asked: SLOW_DOWN if next(count) < 2 else hello(asked)) as server:
        agent = Agent(at(server), journal=(journal := MemoryJournal()))
        assert way(agent, "Hi", thread="t").answer == "Hello"
    told = tries(journal)
    assert [one[:3] for one in told] == [
        ("model_started", "m-1", 1),
        ("model_failed", "m-1", 1),
        ("model_started", "m-1", 2),
        ("model_failed", "m-1", 2),
        ("model_started", "m-1", 3),
    ]
    assert all(wait_s is not None and 0.02 <= wait_s <= 0.03 for _, _, _, wait_s in told[1::2])


def test_the_last_failure_has_no_wait(way: Way) -> None:
    """And is raised."""
    with serving(says_json({"error": {"message": "down"}}, 500)) as server:
        agent = Agent(at(server), journal=(journal := MemoryJournal()))
        with pytest.raises(ModelDown, match="asked 3 times"):
            way(agent, "Hi", thread="t")
    assert [wait_s is None for kind, _, _, wait_s in tries(journal) if kind == "model_failed"] == [False, False, True]


@pytest.mark.parametrize("is_one_model", [True, False])
def test_a_fallback_is_an_event(way: Way, is_one_model: bool) -> None:
    """Whether the agent falls back or the model does by itself: the same events, one number for each request."""
    with serving(SLOW_DOWN) as busy, serving(either(chat("Hello"), {"content": "Hello"})) as other:
        models = at(busy), load(f"{other.url}/v1#m-2", key="sk-test")
        journal = MemoryJournal()
        agent = Agent(FallbackModel(*models), journal=journal) if is_one_model else Agent(models[0], fallback=models[1], journal=journal)
        assert way(agent, "Hi", thread="t").answer == "Hello"
    assert [(kind, model, attempt) for kind, model, attempt, _ in tries(journal)] == [
        ("model_started", "m-1", 1),
        ("model_failed", "m-1", 1),
        ("model_started", "m-1", 2),
        ("model_failed", "m-1", 2),
        ("model_started", "m-1", 3),
        ("model_failed", "m-1", 3),
        ("model_started", "m-2", 4),
    ]


def test_no_key_stands_in_the_journal() -> None:
    """Not even where the provider says it in its error."""
    with serving(lambda asked: says_json({"error": {"message": f"wrong key {asked.headers['authorization']}"}}, 401)) as server:
        agent = Agent(load(f"{server.url}/v1#m-1", key="sk-secret-0123456789"), journal=(journal := MemoryJournal()))
        with pytest.raises(KeyRefused):
            agent.run("Hi", thread="t")
    assert "sk-secret" not in "".join(repr(entry.event) for entry in drive(journal.read("t")))


# Forms

FORM = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
    "required": ["city", "degrees"],
    "additionalProperties": False,
}
SAID = '{"city": "Oslo", "degrees": 4}'


def test_a_form_over_openai_chat(way: Way) -> None:
    """It leaves as a schema, and the answer is the value."""
    with serving(either(chat(SAID), {"content": SAID[:9]}, {"content": SAID[9:]})) as server:
        run = way(Agent(at(server), response_format=FORM), "Weather?")
        assert run.answer == {"city": "Oslo", "degrees": 4}
        sent = server.requests[0].json["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == FORM
    assert sent["json_schema"]["strict"] is True


def test_a_form_over_anthropic(way: Way) -> None:
    """As Anthropic has it."""
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": SAID}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**body, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    pieces = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    streamed = Says(pieces, headers={"content-type": "text/event-stream"})
    with serving(lambda asked: streamed if asked.json.get("stream") else says_json(body)) as server:
        model = load("anthropic:claude-haiku-4-5", key="sk-test", base_url=server.url)
        assert way(Agent(model, response_format=FORM), "Weather?").answer == {"city": "Oslo", "degrees": 4}
        assert server.requests[0].json["output_config"] == {"format": {"type": "json_schema", "schema": FORM}}


# Names, and what others made


def test_a_model_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also as a fallback; what cannot be loaded says why, at once."""
    with serving(SLOW_DOWN) as busy, serving(says_json(chat("Hello"))) as other:
        agent = Agent(at(busy), fallback=f"{other.url}/v1#m-2")
        assert agent.run("Hi").answer == "Hello"
        assert Agent(f"{other.url}/v1#m-2").run("Hi").answer == "Hello"
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with pytest.raises(KeyRefused, match="set DEEPSEEK_API_KEY in the environment"):
        Agent("deepseek:deepseek-v4-flash")
    with pytest.raises(ValueError, match="there is no provider 'nobody'"):
        Agent("nobody:model")
    with pytest.raises(TypeError, match="a model is a name, a ChatModel or a LangChain chat model, found 7"):
        Agent(7)


def test_another_model_for_the_same_agent() -> None:
    """Everything else stays: tools, system message, limits; the first agent does, too."""
    with serving(says_json(chat("Hello"))) as server:
        first = Agent(at(server), [add], system="Be brief.", name="calculator", limits={"steps": 3}, fallback=at(server))
        second = first.with_model(f"{server.url}/v1#m-2")
        assert (second.name, list(second.tools), second.limits) == ("calculator", ["add"], first.limits)
        assert second.run("Hi").answer == first.run("Hi").answer == "Hello"
        asked = [request.json for request in server.requests]
    assert [request["model"] for request in asked] == ["m-2", "m-1"]
    assert asked[0]["messages"] == asked[1]["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]


def test_a_langchain_tool_in_an_agent(way: Way) -> None:
    """Offered over the wire, called, and answered."""
    called = call("add", '{"a": 1, "b": 2}')
    first, then = either(chat(None, "tool_calls", tool_calls=[called]), {"tool_calls": [called]}, finish="tool_calls"), chat("It is 3.")
    last = either(then, {"content": "It is 3."})
    with serving(lambda asked: last(asked) if len(asked.json["messages"]) > 1 else first(asked)) as server:
        run = way(Agent(at(server), [add]), "1 + 2?")
        assert said(run) == [("human", "1 + 2?"), ("ai", ""), ("tool", "3"), ("ai", "It is 3.")]
        assert server.requests[0].json["tools"][0]["function"]["name"] == "add"


class Calculator(Model):
    """Calls its tool once, and then says how many messages it saw."""

    def _said(self, messages: Any, options: dict[str, Any]) -> Any:
        return super()._said(messages, {} if len(messages) > 1 else options)


def test_a_langchain_model_in_an_agent(way: Way) -> None:
    """As it is, with LangChain's tool."""
    run = way(Agent(Calculator(), [add]), "1 + 2?")
    assert [(made["name"], made["args"]) for made in calls_of(run)] == [("add", {"a": 1, "b": 2})]
    assert (run.messages[2].text, run.answer) == ("3", "3 messages")
    assert isinstance(load(Calculator()), LangChainModel)


def test_what_a_langchain_model_raised(way: Way) -> None:
    """Is an error of Holter's, and stands in the journal."""

    class Busy(Exception):
        status_code = 429

    agent = Agent(Model(error=Busy("too many")), journal=(journal := MemoryJournal()))
    with pytest.raises(RateLimited):
        way(agent, "Hi", thread="t")
    assert [kind for kind, *_ in tries(journal)] == ["model_started", "model_failed"]


# Rounds


def test_reasoning_and_images_in_a_round(way: Way) -> None:
    """What the model thought goes back with its call, where it is wanted; an image of the user's leaves in the provider's form."""
    called = call("add", '{"a": 1, "b": 2}')
    first = either(
        chat(None, "tool_calls", reasoning_content="I add.", tool_calls=[called]),
        {"reasoning_content": "I add."},
        {"tool_calls": [called]},
        finish="tool_calls",
    )
    last = either(chat("3"), {"content": "3"})
    with serving(lambda asked: last(asked) if len(asked.json["messages"]) > 1 else first(asked)) as server:
        model = load("deepseek:deepseek-v4-flash", key="sk-test", base_url=f"{server.url}/v1")
        image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
        run = way(Agent(model, [add]), [HumanMessage([{"type": "text", "text": "Add these."}, image])])
        sent = server.requests[1].json["messages"]
    assert run.answer == "3"
    assert [message["role"] for message in sent] == ["user", "assistant", "tool"]
    assert sent[0]["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert sent[1]["reasoning_content"] == "I add."
    assert sent[2] == {"role": "tool", "tool_call_id": "c1", "content": "3"}
