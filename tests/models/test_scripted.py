import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import NoAnswer, RateLimited, StreamCut
from holter.formats import read
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, Message, ToolMessage, ToolSpec, merge_chunks
from holter.models import Answer, ModelRequest, ScriptedModel
from tests.models.test_delta import answers, sizes

CALL = {"name": "add", "args": {"a": 1}, "id": "call_0_0", "type": "tool_call"}


def made(text: str = "", reason: str = "stop", **fields: Any) -> AIMessage:
    """A message as the model makes it of a text or of calls."""
    return AIMessage(text, response_metadata={"model_name": "scripted", "finish_reason": reason}, **fields)


CALLED = made("", "tool_calls", tool_calls=[CALL])
WIRE_CALL = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("hi", made("hi")),
        ("", made("")),
        (AIMessage("hi", id="m"), AIMessage("hi", id="m")),
        ([{"name": "add", "args": {"a": 1}}], CALLED),
        ({"name": "add", "args": {"a": 1}}, CALLED),
        ({"name": "add", "arguments": '{"a": 1}'}, CALLED),
        ([WIRE_CALL], made("", "tool_calls", tool_calls=[{**CALL, "id": "c"}])),
        ({"tool_calls": [WIRE_CALL]}, made("", "tool_calls", tool_calls=[{**CALL, "id": "c"}])),
        ({"content": None, "tool_calls": [CALL]}, CALLED),
        ({"content": "hi"}, made("hi")),
        ({"content": None}, made("")),
        ({"role": "assistant", "content": "hi", "reasoning_content": "hm"}, made("hi", reasoning="hm")),
        ({"content": "It is", "finish_reason": "length"}, made("It is", "length")),
        (
            [{"name": "add", "args": "{a"}],
            made(
                "",
                "tool_calls",
                invalid_tool_calls=[
                    {
                        "name": "add",
                        "args": "{a",
                        "id": "call_0_0",
                        "error": "not JSON: Expecting property name enclosed in double quotes at character 1",
                        "type": "invalid_tool_call",
                        "index": 0,
                    }
                ],
            ),
        ),
        ([AIMessageChunk("h"), AIMessageChunk("i")], AIMessage("hi")),
        (AIMessageChunk("hi"), AIMessage("hi")),
        (Answer("hi", finish_reason="length"), made("hi", "length")),
        (Answer(AIMessage("hi"), finish_reason="length"), AIMessage("hi", response_metadata={"finish_reason": "length"})),
        (Answer([AIMessageChunk("hi")], finish_reason="stop"), AIMessage("hi", response_metadata={"finish_reason": "stop"})),
    ],
)
def test_forms_of_an_answer(says: Any, message: AIMessage) -> None:
    """Each form of an answer is the same in a list and from a function, streamed and not, with a loop and without."""
    assert ScriptedModel([says], usage=None).invoke("x") == message
    assert ScriptedModel(lambda _: says, usage=None).invoke("x") == message
    assert asyncio.run(ScriptedModel([says], usage=None).ainvoke("x")) == message
    assert merge_chunks(list(ScriptedModel([says], usage=None, delay_s=1e-6).stream("x"))) == message


@pytest.mark.parametrize(
    ("says", "error"),
    [
        (5, "answer 0 of the script is no message, text, dict of a message, list of calls, chunks or exception: 5"),
        (
            None,
            "answer 0 of the script is no message, text, dict of a message, list of calls, chunks or exception: None "
            "(did the function forget to return it?)",
        ),
        (["hi"], "answer 0 of the script is no message, text, dict of a message, list of calls, chunks or exception: ['hi']"),
        ({"text": "hi"}, "answer 0 of the script is a dict without `content` or `tool_calls`, or not of the assistant: {'text': 'hi'}"),
        (
            {"role": "user", "content": "hi"},
            "answer 0 of the script is a dict without `content` or `tool_calls`, or not of the assistant: "
            "{'role': 'user', 'content': 'hi'}",
        ),
        (Answer("hi", cut_after=-1), "cut_after is a number of chunks, found -1"),
        (Answer("hi", chunk=0), "a size of chunks is 'word', 'character', 'whole', or a number of characters, found 0"),
    ],
)
def test_what_is_no_answer(says: Any, error: str) -> None:
    """A fault in a list is found when the model is made; of a function, when it answers."""
    with pytest.raises((TypeError, ValueError)) as raised:
        ScriptedModel([says])
    assert str(raised.value) == error
    with pytest.raises((TypeError, ValueError)) as raised:
        ScriptedModel(lambda _: says).invoke("x")
    assert str(raised.value) == error


@pytest.mark.parametrize("script", ["hi", AIMessage("hi"), {"content": "hi"}, 5])
def test_what_is_no_script(script: Any) -> None:
    """One answer alone is no list of answers: played once, or for ever?"""
    with pytest.raises(TypeError, match="a script is a list of answers, or a function of the request, found"):
        ScriptedModel(script)


def test_in_order() -> None:
    """Answers come in their order, also when they are made on the way; each call has an id of its own."""

    def counting() -> Iterator[Any]:
        yield "one"
        yield [{"name": "add", "args": {}}] * 2

    model = ScriptedModel(counting())
    assert model.invoke("x").text == "one"
    assert [call["id"] for call in model.invoke("x").tool_calls] == ["call_1_0", "call_1_1"]


def test_the_script_is_over() -> None:
    """The error says how many answers were played, and what was asked."""
    model = ScriptedModel(["one"], name="clerk")
    history: list[Message] = [HumanMessage("x"), model.invoke("x"), ToolMessage("15.0" * 40, tool_call_id="c")]
    with pytest.raises(NoAnswer) as raised:
        model.invoke(history)
    assert str(raised.value) == (
        f"the script of clerk is over after 1 answer: message 2, of the kind 'tool', was to be answered: {'15.0' * 25 + '…'!r}. "
        "Add an answer for it, or give a function of the request"
    )
    assert raised.value.model == "clerk"
    with pytest.raises(NoAnswer, match="is over after 0 answers, and it was asked without any message"):
        ScriptedModel([]).invoke([])


def test_functions() -> None:
    """A function answers from the request, whichever kind of function it is."""
    spec = ToolSpec("add")

    def answer(request: ModelRequest) -> str:
        return f"{request.messages[-1].text} {[tool.name for tool in request.tools]}"

    async def later(request: ModelRequest) -> Answer:
        await asyncio.sleep(0)
        return Answer(answer(request))

    async def streamed(request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        for character in answer(request):
            await asyncio.sleep(0)
            yield AIMessageChunk(character)

    for function in (answer, later, streamed):
        model = ScriptedModel(function).bind_tools([spec])
        assert model.invoke("hi").text == "hi ['add']"
        assert asyncio.run(model.ainvoke("ho")).text == "ho ['add']"
        assert merge_chunks(list(model.stream("hi"))).text == "hi ['add']"


def test_failures() -> None:
    """An exception is raised, and the next answer comes after it."""
    model = ScriptedModel([RateLimited("slow down", retry_after_s=2), "hi"])
    with pytest.raises(RateLimited, match="slow down") as raised:
        model.invoke("x")
    assert raised.value.retry_after_s == 2
    assert model.invoke("x").text == "hi"


def test_a_stream_that_dies() -> None:
    """What had come is in the error: text, and a call whose arguments are not whole as an invalid one."""
    model = ScriptedModel([Answer(AIMessage("It is", id="m", tool_calls=[CALL]), cut_after=3, chunk=3)] * 2)
    with pytest.raises(StreamCut) as raised:
        model.invoke("x")
    assert str(raised.value) == "the stream of scripted ended after 3 chunks, in the middle of the answer"
    cut = {"name": "add", "args": '{"a', "id": "call_0_0", "type": "invalid_tool_call", "index": 0}
    cut["error"] = "not JSON: Unterminated string starting at character 1"
    assert raised.value.partial == AIMessage("It is", id="m", invalid_tool_calls=[cut])
    stream = model.stream("x")
    assert [next(stream).content for _ in range(3)] == ["It ", "is", ""]
    with pytest.raises(StreamCut):
        next(stream)


def test_where_a_stream_dies() -> None:
    """Before anything came, behind the last delta, or not at all when it is shorter."""
    model = ScriptedModel([Answer([AIMessageChunk("hi")], cut_after=n) for n in range(3)])
    for partial in (None, AIMessage("hi")):
        with pytest.raises(StreamCut) as raised:
            model.invoke("x")
        assert raised.value.partial == partial
    assert model.invoke("x") == AIMessage("hi")


def test_nothing_comes() -> None:
    """No chunk at all is no answer, streamed or not."""
    model = ScriptedModel([[], []])
    with pytest.raises(NoAnswer, match="scripted answered nothing: its stream ended without a chunk"):
        model.invoke("x")
    with pytest.raises(NoAnswer):
        list(model.stream("x"))


def test_usage() -> None:
    """A guess from the texts, that builds on what the history says of itself; or what is given; or none."""

    def counts(message: AIMessage) -> tuple[int, int, int]:
        usage = message.usage_metadata or {}
        return usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]

    model = ScriptedModel(["a" * 40, AIMessage("b" * 20), Answer("c", usage={"total_tokens": 99})])
    first = model.invoke("x" * 400)
    assert counts(first) == (104, 14, 118)
    second = model.invoke([HumanMessage("x" * 400), first, HumanMessage("y" * 8)])
    assert counts(second) == (118 + 6, 9, 133)
    assert model.invoke("x").usage_metadata == {"total_tokens": 99}
    fixed = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    assert ScriptedModel(["a"], usage=fixed).invoke("x").usage_metadata == fixed
    assert ScriptedModel(["a"], usage=None).invoke("x").usage_metadata is None


def test_requests_are_kept() -> None:
    """What was asked can be looked at, through bound copies, too, also where no answer came; `keep` bounds how many."""
    model = ScriptedModel(["a"], keep=2)
    bound = model.bind(temperature=0)
    bound.invoke("one")
    for text in ("two", "three"):
        with pytest.raises(NoAnswer):
            model.invoke(text)
    assert model.requests == [ModelRequest([HumanMessage("two")]), ModelRequest([HumanMessage("three")])]
    assert bound.requests == model.requests


def test_delays() -> None:
    """Models that wait do so at the same time; an answer's own delay counts before the model's."""

    async def main() -> float:
        model = ScriptedModel([Answer("a", delay_s=0.05)] * 100, delay_s=30)
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(model.ainvoke("x") for _ in range(100)))
        return loop.time() - started

    assert 0.05 <= asyncio.run(main()) < 2.5


def test_many_threads() -> None:
    """No answer is played twice, whoever asks."""
    model = ScriptedModel([str(n) for n in range(2_000)])
    said: list[str] = []

    def ask() -> None:
        for _ in range(250):
            said.append(model.invoke("x").text)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said, key=int) == [str(n) for n in range(2_000)]


def test_of_a_recording() -> None:
    """The messages of a recording come as they are, ids and usage too."""
    (conversation,) = read("examples/travel.json")
    answers = [message for message in conversation.messages if isinstance(message, AIMessage)]
    model = ScriptedModel.of(conversation, name="again")
    assert [model.invoke("x") for _ in answers] == answers
    assert [ScriptedModel.of(conversation.messages).invoke("x"), model.name] == [answers[0], "again"]


@given(answers(), sizes, st.booleans())
def test_streamed_or_not(message: AIMessage, size: Any, counted: bool) -> None:
    """The deltas of an answer make the very message that is given whole."""
    model = ScriptedModel([message] * 3, chunk=size, usage="approximate" if counted else None)
    whole = model.invoke("hi")
    assert merge_chunks(list(model.stream("hi"))) == whole == asyncio.run(model.ainvoke("hi"))
