"""Models of OpenAI's chat: what leaves, what comes, and that the official client agrees with the server that says it."""

from typing import Any

import msgspec
import openai
import pytest
from inline_snapshot import snapshot

from holter.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage, ToolSpec, merge_chunks
from holter.models import PROVIDERS, Quirks
from holter.models.provider import quirks_of
from tests.models.conftest import KEY, Ask
from tests.models.server import USAGE, Server, call, chat, deltas, says_events, says_json

WEATHER = ToolSpec("get_weather", "The weather.", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
CALLS = [
    {"name": "get_weather", "args": {"city": "Oslo"}, "id": "a", "type": "tool_call"},
    {"name": "get_weather", "args": {"city": "Rome"}, "id": "b", "type": "tool_call"},
]
PARALLEL = deltas(
    {"reasoning_content": "Both at "},
    {"reasoning_content": "once."},
    {"tool_calls": [call("get_weather", "", "a", 0)]},
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]},
    {"tool_calls": [call("get_weather", '{"city"', "b", 1), {"index": 0, "function": {"arguments": '"Oslo"}'}}]},
    {"tool_calls": [{"index": 1, "function": {"arguments": ':"Rome"}'}}]},
    finish="tool_calls",
)


def sent(server: Server, at: int = -1) -> Any:
    return server.requests[at].json


def test_an_answer(chat_model: Ask) -> None:
    """Text, usage and what the provider says of it; the request holds the model, the messages, and the key in its header."""
    model, server = chat_model(says_json(chat("Hello")))
    answer = model.invoke([("system", "Be brief."), ("user", "Hi")])
    assert (answer.text, answer.finish_reason, answer.model) == ("Hello", "stop", "m-1")
    assert answer.usage_metadata == {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_token_details": {},
        "output_token_details": {},
    }
    assert answer.response_metadata["token_usage"] == USAGE
    assert sent(server) == {"model": "m-1", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
    asked = server.requests[0]
    assert (asked.method, asked.path, asked.headers["authorization"]) == ("POST", "/v1/chat/completions", f"Bearer {KEY}")


def test_a_stream(chat_model: Ask) -> None:
    """Deltas as they come, merged into the answer that comes whole; usage is asked for, and parallel calls are told apart."""
    model, server = chat_model(says_events(PARALLEL))
    chunks = list(model.bind_tools([WEATHER]).stream("Weather in Oslo and Rome?"))
    assert all(isinstance(chunk, AIMessageChunk) for chunk in chunks)
    merged = merge_chunks(chunks)
    assert (merged.tool_calls, merged.reasoning, merged.finish_reason) == (CALLS, "Both at once.", "tool_calls")
    assert merged.usage_metadata is not None
    assert merged.usage_metadata["total_tokens"] == 15
    assert (sent(server)["stream"], sent(server)["stream_options"]) == (True, {"include_usage": True})


def test_the_official_client_agrees(chat_model: Ask) -> None:
    """OpenAI's own client reads the same answers from this server."""
    message = chat(None, "tool_calls", tool_calls=[call("get_weather", '{"city":"Oslo"}', "a")])
    model, server = chat_model(lambda asked: says_events(PARALLEL) if asked.json.get("stream") else says_json(message))
    with openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", max_retries=0) as client:
        theirs = client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": "Hi"}])
        call_made: Any = (theirs.choices[0].message.tool_calls or [])[0]
        ours = model.invoke("Hi")
        assert [(call_made.id, call_made.function.name)] == [(c["id"], c["name"]) for c in ours.tool_calls]
        assert theirs.usage is not None
        assert theirs.usage.total_tokens == ours.usage_metadata["total_tokens"]
        parts = [
            part
            for event in client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": "Hi"}], stream=True)
            for choice in event.choices
            for part in choice.delta.tool_calls or []
        ]
    arguments = ["".join(p.function.arguments or "" for p in parts if p.index == at and p.function) for at in (0, 1)]
    assert arguments == ['{"city":"Oslo"}', '{"city":"Rome"}']


def test_what_a_request_says(chat_model: Ask) -> None:
    """Tools, choice, parallel calls, a form, settings, and the body's own fields."""
    model, server = chat_model(says_json(chat("{}")), extra_body={"top_k": 5})
    bound = model.bind_tools([WEATHER], tool_choice="get_weather", parallel_tool_calls=False, strict=True)
    bound.invoke("Hi", temperature=0, max_tokens=5, response_format={"type": "json_object"})
    assert {key: value for key, value in sent(server).items() if key != "messages"} == snapshot(
        {
            "model": "m-1",
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "description": "The weather.",
                        "parameters": {
                            "type": "object",
                            "properties": {"city": {"type": "string"}},
                            "required": ["city"],
                            "additionalProperties": False,
                        },
                        "strict": True,
                    },
                }
            ],
            "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
            "parallel_tool_calls": False,
            "response_format": {"type": "json_object"},
            "temperature": 0,
            "max_tokens": 5,
            "top_k": 5,
        }
    )


def test_names_that_are_not_taken(chat_model: Ask) -> None:
    """A tool whose name a provider refuses is sent under another one, in the history too, and comes back under its own."""
    name = "文件.read file"
    script: list[str] = []

    def answer(asked: Any) -> Any:
        script.append(asked.json["tools"][0]["function"]["name"])
        made = [call(script[-1], "{}", "z")]
        return says_events(deltas({"tool_calls": made})) if asked.json.get("stream") else says_json(chat(None, tool_calls=made))

    model, server = chat_model(answer)
    bound = model.bind_tools([ToolSpec(name)], tool_choice=name)
    first = bound.invoke("Hi")
    assert first.tool_calls == [{"name": name, "args": {}, "id": "z", "type": "tool_call"}]
    assert merge_chunks(list(bound.stream("Hi"))).tool_calls == first.tool_calls
    bound.invoke([HumanMessage("Hi"), first, ToolMessage("ok", tool_call_id="z")])
    assert sent(server)["messages"][1]["tool_calls"][0]["function"]["name"] == script[0]
    assert sent(server)["tool_choice"]["function"]["name"] == script[0]
    assert script[0].isascii()
    assert len(script[0]) <= 64


def test_images(chat_model: Ask) -> None:
    """An image of the user's goes as a URL or as data; one in a result follows it in a message of the user's, since results are text."""
    model, server = chat_model(says_json(chat()))
    image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    call_made = {"name": "shot", "args": {}, "id": "a", "type": "tool_call"}
    model.invoke(
        [
            HumanMessage([{"type": "text", "text": "What is this?"}, {"type": "image", "url": "https://example.org/a.png"}]),
            AIMessage(tool_calls=[call_made]),
            ToolMessage([{"type": "text", "text": "A shot."}, image], tool_call_id="a"),
        ]
    )
    data = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert sent(server)["messages"] == snapshot(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                ],
            },
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "a", "type": "function", "function": {"name": "shot", "arguments": "{}"}}],
            },
            {
                "role": "tool",
                "tool_call_id": "a",
                "content": "A shot.\n\n(1 attachment follows in the next message of the user.)",
            },
            {"role": "user", "content": [{"type": "text", "text": "What the call a gave:"}, data]},
        ]
    )


THOUGHT = [
    HumanMessage("Time?"),
    AIMessage("Checking.", reasoning="Ask the clock.", tool_calls=[{"name": "now", "args": {}, "id": "a", "type": "tool_call"}]),
    ToolMessage("noon", tool_call_id="a"),
    AIMessage(tool_calls=[{"name": "now", "args": {}, "id": "b", "type": "tool_call"}]),
    ToolMessage("noon", tool_call_id="b"),
    AIMessage("It is noon.", reasoning="Done."),
    HumanMessage("And tomorrow?"),
]


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("openai", "gpt-5-mini", [None, None, None]),
        ("groq", "openai/gpt-oss-20b", [None, None, None]),
        ("qwen", "qwen3.5-flash", [None, None, None]),
        ("deepseek", "deepseek-v4-flash", ["Ask the clock.", "", "Done."]),
        ("moonshot", "kimi-k2.5", ["Ask the clock.", None, "Done."]),
        ("zhipu", "glm-5", ["Ask the clock.", None, "Done."]),
        ("vllm", "Qwen/Qwen3-4B", [None, None, None]),
        ("vllm", "moonshotai/Kimi-K2-Thinking", ["Ask the clock.", None, "Done."]),
    ],
)
def test_reasoning_goes_back_only_to_who_wants_it(chat_model: Ask, provider: str, model: str, expected: list[Any]) -> None:
    """DeepSeek wants it in every answer of a tool round, others where there was some, most refuse it; the history keeps it."""
    asked, server = chat_model(says_json(chat()), quirks=quirks_of(PROVIDERS[provider], model))
    asked.invoke(THOUGHT)
    assert [m.get("reasoning_content") for m in sent(server)["messages"] if m["role"] == "assistant"] == expected


def test_openrouter_gets_its_own_fields_back(chat_model: Ask) -> None:
    """`reasoning_details` is opaque, and goes back unchanged; to nobody else."""
    details = [{"type": "reasoning.encrypted", "data": "x"}]
    message = chat("Hi", reasoning="Hm.", reasoning_details=details)
    for quirks, kept in ((PROVIDERS["openrouter"].quirks, True), (PROVIDERS["openai"].quirks, False)):
        model, server = chat_model(says_json(message), quirks=quirks)
        model.invoke([HumanMessage("Hi"), model.invoke("Hi"), HumanMessage("And?")])
        wire = sent(server)["messages"][1]
        assert wire == {"role": "assistant", "content": "Hi", **({"reasoning": "Hm.", "reasoning_details": details} if kept else {})}


@pytest.mark.parametrize(
    ("provider", "field"),
    [("openai", "max_completion_tokens"), ("groq", "max_completion_tokens"), ("deepseek", "max_tokens"), ("ollama", "max_tokens")],
)
def test_limits_by_the_providers_own_name(chat_model: Ask, provider: str, field: str) -> None:
    """One name of the setting does for all."""
    model, server = chat_model(says_json(chat()), quirks=PROVIDERS[provider].quirks)
    model.invoke("Hi", max_tokens=7)
    assert sent(server) == {"model": "m-1", "messages": [{"role": "user", "content": "Hi"}], field: 7}


def test_choices_by_the_providers_own_name(chat_model: Ask) -> None:
    """Mistral says "any"; where nothing may be demanded, nothing is."""
    for provider, choice in (("openai", "required"), ("mistral", "any"), ("zhipu", None)):
        model, server = chat_model(says_json(chat()), quirks=PROVIDERS[provider].quirks)
        model.bind_tools([WEATHER], tool_choice="required", parallel_tool_calls=True).invoke("Hi")
        assert sent(server).get("tool_choice") == choice
        assert ("parallel_tool_calls" in sent(server)) == (provider != "zhipu")


def test_texts_for_strict_servers(chat_model: Ask) -> None:
    """Blocks of text are joined, and system messages stand first, joined, where a template wants it."""
    model, server = chat_model(says_json(chat()), quirks=Quirks(system="first", text_blocks=False))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": "a", "extras": {"cache_control": {}}}, {"type": "text", "text": "b"}]
    model.invoke([SystemMessage("One."), HumanMessage(blocks), AIMessage("x"), SystemMessage("Two."), HumanMessage("c")])
    assert sent(server)["messages"] == [
        {"role": "system", "content": "One.\n\nTwo."},
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "c"},
    ]


def test_arguments_that_are_no_object(chat_model: Ask) -> None:
    """What a model wrote in their place is sent back as an object: servers read it again for their templates."""
    model, server = chat_model(says_json(chat()))
    texts = {"a": '{"x": ', "b": "[1, 2]", "c": "null", "d": ""}
    calls = [{"name": "f", "args": args, "id": key, "error": "no", "type": "invalid_tool_call", "index": 0} for key, args in texts.items()]
    model.invoke([HumanMessage("Hi"), AIMessage(invalid_tool_calls=calls)])
    arguments = [made["function"]["arguments"] for made in sent(server)["messages"][1]["tool_calls"]]
    assert arguments == ['{"_raw":"{\\"x\\": "}', '{"_raw":[1,2]}', "{}", "{}"]


def test_half_characters(chat_model: Ask) -> None:
    """Half of a surrogate pair is no character; it leaves as U+FFFD, and a pair that was split is joined."""
    model, server = chat_model(says_json(chat()))
    model.invoke("a\ud83d b\ud83d\ude00")
    assert sent(server)["messages"][0]["content"] == "a\ufffd b😀"


def test_the_first_of_several_choices(chat_model: Ask) -> None:
    """Of several choices the first is the answer, whole and streamed."""
    events = deltas({"content": "one"})
    for event in list(events):
        if event["choices"]:
            events.insert(1, {**event, "choices": [{"index": 1, "delta": {"content": "two"}, "finish_reason": None}]})
    model, _ = chat_model(says_events(events))
    assert merge_chunks(list(model.stream("Hi", n=2))).text == "one"
    two = chat("one")
    two["choices"].append({"index": 1, "message": {"role": "assistant", "content": "two"}, "finish_reason": "stop"})
    model, _ = chat_model(says_json(two))
    assert model.invoke("Hi", n=2).text == "one"


# Continued


def test_a_cut_answer_is_continued(chat_model: Ask) -> None:
    """Where it is asked for and the provider takes the beginning of an answer, the parts are one answer, and cost what both cost."""
    script = [says_json(chat("Once upon ", "length")), says_json(chat("a time.", "stop"))]
    model, server = chat_model(script, quirks=Quirks(prefix="prefix", prefix_url="/beta"), continue_length=2)
    answer = model.invoke("A tale")
    assert (answer.text, answer.finish_reason, answer.usage_metadata["total_tokens"]) == ("Once upon a time.", "stop", 30)
    assert server.requests[1].path == "/v1/beta/chat/completions"
    assert sent(server)["messages"][-1] == {"role": "assistant", "content": "Once upon ", "prefix": True}

    streams = [
        says_events(deltas({"content": "Once "}, {"content": "upon "}, finish="length")),
        says_events(deltas({"content": "a time."})),
    ]
    model, server = chat_model(streams, quirks=Quirks(prefix="continue"), continue_length=1)
    merged = merge_chunks(list(model.stream("A tale")))
    assert (merged.text, merged.finish_reason) == ("Once upon a time.", "stop")
    assert merged.usage_metadata is not None
    assert merged.usage_metadata["total_tokens"] == 30
    assert (sent(server)["continue_final_message"], sent(server)["add_generation_prompt"]) == (True, False)


def test_a_cut_answer_ends_with_the_reason(chat_model: Ask) -> None:
    """Where it is not asked for, where the provider takes no beginning, and when it was cut as often as it may be."""
    cut = says_json(chat("Once ", "length"))
    for options, count in (
        ({"quirks": Quirks(prefix="plain")}, 1),
        ({"quirks": Quirks(prefix="none"), "continue_length": 3}, 1),
        ({"quirks": Quirks(prefix="plain"), "continue_length": 2}, 3),
    ):
        model, server = chat_model(cut, **options)
        answer = model.invoke("A tale")
        assert (answer.text, answer.finish_reason, len(server.requests)) == ("Once " * count, "length", count)


def test_a_server_that_says_the_beginning_again(chat_model: Ask) -> None:
    """llama.cpp repeats what it was given before it goes on."""
    script = [says_events(deltas({"content": "Once "}, finish="length")), says_events(deltas({"content": "On"}, {"content": "ce upon"}))]
    model, _ = chat_model(script, quirks=Quirks(prefix="plain", echoes_prefix=True), continue_length=1)
    assert merge_chunks(list(model.stream("A tale"))).text == "Once upon"


class Answer(msgspec.Struct):
    """A form."""

    city: str
    degrees: int


def test_forms(chat_model: Ask) -> None:
    """A type is a schema that is enforced; a schema is sent as it is; a form in the provider's own words, too."""
    model, server = chat_model(says_json(chat("{}")))
    model.invoke("Hi", response_format=Answer)
    form = sent(server)["response_format"]
    assert (form["type"], form["json_schema"]["name"], form["json_schema"]["strict"]) == ("json_schema", "Answer", True)
    assert form["json_schema"]["schema"]["$defs"]["Answer"]["additionalProperties"] is False
    schema = {"title": "City", "type": "object", "properties": {"city": {"type": "string"}}}
    model.invoke("Hi", response_format=schema)
    assert sent(server)["response_format"] == {"type": "json_schema", "json_schema": {"name": "City", "schema": schema}}
    with pytest.raises(TypeError, match="a response_format is a type, a JSON Schema, or what the provider takes"):
        model.invoke("Hi", response_format=object())
