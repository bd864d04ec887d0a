"""One request over real sockets: limits of time, further tries, faults of every kind."""

import asyncio
import logging
import pickle
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from holter.errors import (
    KeyRefused,
    ModelDown,
    ModelError,
    ModelRefused,
    ModelTimeout,
    NoAnswer,
    RateLimited,
    StreamCut,
    TooLong,
)
from holter.messages import AIMessage, merge_chunks
from holter.models import Retry, Retrying, Timeouts
from tests.models.conftest import KEY, QUICK, Ask
from tests.models.server import Says, Server, call, chat, deltas, gzipped, says_events, says_json

HOWS: list[Callable[[Any], AIMessage]] = [
    lambda model: model.invoke("Hi"),
    lambda model: merge_chunks(list(model.stream("Hi"))),
    lambda model: asyncio.run(model.ainvoke("Hi")),
    lambda model: asyncio.run(streamed(model)),
]
"""Every way to ask."""
each_way = pytest.mark.parametrize("ask", HOWS, ids=["invoke", "stream", "ainvoke", "astream"])


async def streamed(model: Any) -> AIMessage:
    return merge_chunks([chunk async for chunk in model.astream("Hi")])


def either(asked: Any) -> Says:
    """What a server says that streams when it is asked to."""
    return says_events(deltas({"content": "Hel"}, {"content": "lo"})) if asked.json.get("stream") else says_json(chat("Hello"))


def error(text: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": text, **fields}}


@each_way
def test_connections_are_reused(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """All ways to ask give the same answer; what is asked on one loop goes over one connection, also behind a stream."""
    model, server = chat_model(either)
    assert ask(model).text == "Hello"
    if ask in HOWS[:2]:
        assert [ask(model).text for _ in range(3)] == ["Hello"] * 3
        assert server.connections == 1


def test_connections_are_reused_on_a_loop_of_ones_own(chat_model: Ask) -> None:
    """Streamed and not, one connection serves one after another, and it is closed with the loop."""
    model, server = chat_model(either)

    async def main() -> None:
        for _ in range(3):
            assert (await model.ainvoke("Hi")).text == "Hello"
            assert (await streamed(model)).text == "Hello"

    asyncio.run(main())
    assert server.connections == 1


STATUSES: list[tuple[int, dict[str, Any], type[ModelError], int, str]] = [
    (400, error("messages[1] is wrong"), ModelRefused, 1, "refused the request"),
    (400, error("This model's maximum context length is 8 tokens", code="context_length_exceeded"), TooLong, 1, "Trim the history"),
    (401, error(f"Incorrect API key provided: {KEY}"), KeyRefused, 1, "Set TEST_KEY to a key"),
    (402, error("Insufficient Balance"), ModelRefused, 1, "balance"),
    (403, error("no access to this model"), KeyRefused, 1, "refused the key"),
    (404, error("The model `m-1` does not exist"), ModelRefused, 1, "Look at the model's name and at the base URL"),
    (408, error("request timeout"), ModelTimeout, 3, "took too long"),
    (413, error("too large"), TooLong, 1, "asked too much at once"),
    (422, {"detail": [{"loc": ["body", "tools"], "msg": "extra"}]}, ModelRefused, 1, "extra"),
    (429, error("slow down"), RateLimited, 3, "takes no more requests"),
    (429, error("You exceeded your current quota", code="insufficient_quota"), ModelRefused, 1, "waiting does not help"),
    (500, error("oops"), ModelDown, 3, "failed on its server"),
    (502, error("bad gateway"), ModelDown, 3, "failed on its server"),
    (503, error("overloaded"), RateLimited, 3, "takes no more requests"),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, RateLimited, 3, "Overloaded"),
]


@each_way
@pytest.mark.parametrize(("status", "body", "kind", "tries", "text"), STATUSES, ids=[f"{row[0]}-{row[2].__name__}" for row in STATUSES])
def test_status(
    chat_model: Ask, ask: Callable[[Any], AIMessage], status: int, body: Any, kind: type[ModelError], tries: int, text: str
) -> None:
    """Each status is the error that a caller can act on, with what was asked, where, the request's id and what to do; what may pass is
    tried again."""
    model, server = chat_model(says_json(body, status, headers={"x-request-id": "req-7"}), key_names=("TEST_KEY",))
    with pytest.raises(ModelError) as raised:
        ask(model)
    found = raised.value
    assert type(found) is kind
    assert (found.model, found.status, found.request_id, found.url) == ("test:m-1", status, "req-7", f"{server.url}/v1/chat/completions")
    assert text in str(found)
    assert f"test:m-1 {str(found).split('test:m-1 ')[1]}" == str(found)
    assert f"(POST {found.url}, status {status}" in str(found)
    assert "request req-7" in str(found)
    assert len(server.requests) == tries
    assert ("It was asked 3 times" in str(found)) == (tries == 3)
    assert KEY not in str(found)


@each_way
def test_a_further_try_answers(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """Load, an error of the server, a connection that is closed or reset: the third try answers, and each was told."""
    for fault in (says_json(error("slow"), 429), says_json(error("oops"), 500), Says(silent=True), Says(silent=True, reset=True)):
        faults = iter([fault, fault])
        retried: list[Retrying] = []
        model, server = chat_model(lambda asked, faults=faults: next(faults, None) or either(asked), on_retry=retried.append)  # type: ignore[misc]
        assert ask(model).text == "Hello"
        assert len(server.requests) == 3
        assert [(r.model, r.tried, isinstance(r.error, ModelError)) for r in retried] == [("test:m-1", 1, True), ("test:m-1", 2, True)]


@pytest.mark.parametrize("headers", [{"retry-after": "0.2"}, {"retry-after-ms": "200"}])
def test_retry_after(chat_model: Ask, headers: dict[str, str]) -> None:
    """The wait that a provider asks for is kept."""
    script = [says_json(error("slow"), 429, headers=headers), says_json(chat("Hello"))]
    retried: list[Retrying] = []
    model, _ = chat_model(script, on_retry=retried.append)
    began = time.monotonic()
    assert model.invoke("Hi").text == "Hello"
    assert time.monotonic() - began >= 0.2
    assert 0.2 <= retried[0].wait_s <= 0.3
    assert isinstance(retried[0].error, RateLimited)
    assert retried[0].error.retry_after_s == 0.2


def test_a_long_retry_after(chat_model: Ask) -> None:
    """A wait that is longer than anybody has patience for is the caller's to decide."""
    model, server = chat_model(says_json(error("slow"), 429, headers={"retry-after": "3600"}))
    with pytest.raises(RateLimited) as raised:
        model.invoke("Hi")
    assert (raised.value.retry_after_s, len(server.requests)) == (3600.0, 1)


# Answers that have begun


@each_way
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_what_has_begun_is_not_repeated(chat_model: Ask, ask: Callable[[Any], AIMessage], reset: bool) -> None:
    """A connection that ends in the middle of an answer is a `StreamCut`; the request is not made again."""

    def script(asked: Any) -> Says:
        says = either(asked)
        return Says(says.pieces, says.status, says.headers, cut=180 if says.chunked else 60, reset=reset, chunked=says.chunked)

    model, server = chat_model(script)
    with pytest.raises(StreamCut, match="lost the connection in the middle of its answer") as raised:
        ask(model)
    assert (len(server.requests), raised.value.status) == (1, 200)


EVENTS = deltas(
    {"content": "It’s "},
    {"content": "晴 ☀️"},
    {"tool_calls": [call("pay", '{"n":', "c1")]},
    {"tool_calls": [{"index": 0, "function": {"arguments": " 5}"}}]},
    finish="tool_calls",
)


def test_a_stream_cut_at_every_byte(chat_model: Ask) -> None:
    """Wherever the connection ends, there is the whole answer or an error; what had come is a beginning of the answer, and a call that was
    not whole is none."""
    says = says_events(EVENTS)
    whole = b"".join(says.pieces)
    ends = [b"".join(says.pieces[:count]) for count in range(len(says.pieces) + 1)]
    finished = next(len(end) for end in ends if b'"finish_reason": "tool_calls"' in end)
    cuts = iter(range(len(whole) + 1))
    headers = {**says.headers, "connection": "close"}
    model, server = chat_model(lambda _: Says(whole[: next(cuts)], headers=headers, chunked=False, closes=True))
    found = [attempted(model) for _ in range(len(whole) + 1)]
    full = found[-1]
    assert isinstance(full, AIMessage)
    assert (full.text, full.tool_calls[0]["args"]) == ("It’s 晴 ☀️", {"n": 5})
    for at, answer in enumerate(found):
        if isinstance(answer, AIMessage):
            assert at >= finished - 2
            assert (answer.text, answer.tool_calls) == (full.text, full.tool_calls)
            continue
        assert at < finished
        partial = answer.partial if isinstance(answer, StreamCut) else None
        assert isinstance(answer, StreamCut) or at < len(ends[1])
        assert partial is None or (full.text.startswith(partial.text) and partial.finish_reason is None)
    assert len(server.requests) == len(whole) + 1


def attempted(model: Any) -> AIMessage | ModelError:
    try:
        return merge_chunks(list(model.stream("Hi")))
    except (StreamCut, NoAnswer) as found:
        return found


@each_way
def test_split_at_every_byte(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """Pieces of one byte each, with every character and line torn: the answer is the same."""

    def script(asked: Any) -> Says:
        says = says_events(EVENTS) if asked.json.get("stream") else says_json(chat("It’s 晴 ☀️"))
        return Says([bytes([byte]) for byte in b"".join(says.pieces)], headers=says.headers, chunked=says.chunked)

    model, _ = chat_model(script)
    assert ask(model).text == "It’s 晴 ☀️"


@each_way
def test_packed(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """A packed answer is unpacked, as it comes."""
    model, _ = chat_model(lambda asked: gzipped(either(asked)))
    assert ask(model).text == "Hello"


@each_way
def test_badly_packed(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """What says that it is packed and is not, is no answer."""
    model, _ = chat_model(lambda asked: Says(b"plain", headers={"content-encoding": "gzip", "content-type": "text/event-stream"}))
    with pytest.raises((NoAnswer, StreamCut), match="bytes that cannot be unpacked"):
        ask(model)


# Limits of time


@each_way
def test_nothing_comes(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """A server that says nothing is left after `first_byte_s`, and its connection is closed."""
    model, server = chat_model(Says(silent=True, hangs=True), timeouts=Timeouts(first_byte_s=0.15), retry=Retry(tries=1))
    with pytest.raises(ModelTimeout, match=r"said nothing for 0\.15 s"):
        ask(model)
    assert server.closed_early.wait(2)


@each_way
def test_only_a_status_comes(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """A status is not the first byte of an answer."""
    model, server = chat_model(
        Says([], headers={"content-type": "text/event-stream"}, hangs=True), timeouts=Timeouts(first_byte_s=0.15, between_s=9)
    )
    with pytest.raises(ModelTimeout, match=r"said nothing for 0\.15 s"):
        ask(model)
    assert len(server.requests) == 1
    assert server.closed_early.wait(2)


@each_way
def test_it_stalls(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """A pause that is longer than `between_s` ends it; what had come is there."""

    def script(asked: Any) -> Says:
        says = either(asked)
        return Says(says.pieces[:2] if says.chunked else says.pieces[0][:9], headers=says.headers, hangs=True)

    model, server = chat_model(script, timeouts=Timeouts(between_s=0.15))
    with pytest.raises(ModelTimeout, match=r"said no more for 0\.15 s") as raised:
        ask(model)
    assert len(server.requests) == 1
    if ask in (HOWS[1], HOWS[3]):
        assert raised.value.partial.text == "Hel"
    assert server.closed_early.wait(2)


@each_way
def test_it_takes_too_long(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """`whole_s` counts, however busily an answer comes."""
    drip = says_events(deltas(*[{"content": "a"}] * 100), pause_s=0.03)
    model, _ = chat_model(
        lambda asked: drip if asked.json.get("stream") else Says([b" "] * 200, pause_s=0.03), timeouts=Timeouts(whole_s=0.3, between_s=5)
    )
    began = time.monotonic()
    with pytest.raises(ModelTimeout, match=r"took longer than the 0\.3 s"):
        ask(model)
    assert time.monotonic() - began < 1.5


def test_whole_counts_tries_and_waits(chat_model: Ask) -> None:
    """A wait that would end behind the limit is not waited."""
    model, server = chat_model(says_json(error("slow"), 429, headers={"retry-after": "5"}), timeouts=Timeouts(whole_s=0.5))
    began = time.monotonic()
    with pytest.raises(RateLimited):
        model.invoke("Hi")
    assert time.monotonic() - began < 1
    assert len(server.requests) == 1


def test_nobody_listens(chat_model: Ask) -> None:
    """A port without a server says whether it runs at all."""
    model, server = chat_model(Says())
    server.__exit__()
    with pytest.raises(ModelDown, match=r"could not be reached .*Is the server running, and on this port\?"):
        model.invoke("Hi")


# Cancellation


def test_cancelling_closes_the_connection(chat_model: Ask) -> None:
    """A task that is cancelled while an answer comes leaves no connection behind."""
    model, server = chat_model(says_events(deltas(*[{"content": "a"}] * 500), pause_s=0.02))

    async def main() -> None:
        task = asyncio.create_task(streamed(model))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.closed_early.wait, 3)

    asyncio.run(main())


def test_leaving_a_stream_closes_the_connection(chat_model: Ask) -> None:
    """So does a loop over the deltas that is left."""
    model, server = chat_model(says_events(deltas(*[{"content": "a"}] * 500), pause_s=0.02))
    stream = model.stream("Hi")
    next(stream)
    stream.close()
    assert server.closed_early.wait(3)


def test_errors_in_a_stream(chat_model: Ask) -> None:
    """An error in the middle ends the answer, with what had come; one in its place is the error, and tried again where it may pass."""
    model, server = chat_model(says_events([*deltas({"content": "Hel"}, finish=None, usage=False), error("overloaded", code=502)]))
    with pytest.raises(StreamCut, match=r"broke off its answer with an error .*overloaded") as raised:
        list(model.stream("Hi"))
    assert (raised.value.partial.text, len(server.requests)) == ("Hel", 1)

    model, server = chat_model(says_events([error("wrong", type="invalid_request_error")]))
    with pytest.raises(ModelRefused, match="wrong"):
        list(model.stream("Hi"))
    assert len(server.requests) == 1

    model, server = chat_model([says_events([error("busy", code="rate_limit_exceeded")]), says_events(deltas({"content": "Hello"}))])
    assert merge_chunks(list(model.stream("Hi"))).text == "Hello"
    assert len(server.requests) == 2


# No answers


@each_way
@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (b"<html><head><title>Sign in</title></head><body>Welcome</body></html>", "text/html", "'Sign in Welcome', of text/html"),
        (b"", "application/json", "'nothing', of application/json"),
        (b"[]", "application/json", "of application/json"),
        (b'{"choices": []}', "application/json", "of application/json"),
        (b'{"choices": [{"index": 0, "mess', "application/json", "of application/json"),
        (b"\xff\xfe\x00", "application/json", "of application/json"),
    ],
)
def test_no_answer(chat_model: Ask, ask: Callable[[Any], AIMessage], body: bytes, kind: str, text: str) -> None:
    """A page, nothing, or JSON that is no answer is said with what it is."""
    model, server = chat_model(Says(body, headers={"content-type": kind}, chunked=False))
    with pytest.raises(NoAnswer, match="gave no answer that can be read") as raised:
        ask(model)
    assert text in str(raised.value)
    assert len(server.requests) == 1


def test_an_empty_stream(chat_model: Ask) -> None:
    """A stream without an event is no answer."""
    model, _ = chat_model(says_events([], done=False))
    with pytest.raises(NoAnswer, match="its stream ended without a chunk"):
        list(model.stream("Hi"))


def test_a_server_that_does_not_stream(chat_model: Ask) -> None:
    """A whole answer in the place of a stream is one delta."""
    model, _ = chat_model(says_json(chat("Hello")))
    assert [chunk.content for chunk in model.stream("Hi")] == ["Hello"]


# Redirects


@each_way
def test_redirects(chat_model: Ask, ask: Callable[[Any], AIMessage]) -> None:
    """To another path of the same server a request follows; to another one the key does not go."""

    def script(asked: Any) -> Says:
        return either(asked) if asked.path == "/v2/chat" else Says(status=307, headers={"location": "/v2/chat"}, chunked=False)

    model, server = chat_model(script)
    assert ask(model).text == "Hello"
    assert [asked.method for asked in server.requests] == ["POST", "POST"]

    _, elsewhere = chat_model(either)
    moved = Says(status=308, headers={"location": f"{elsewhere.url}/v1?token=x"}, chunked=False)
    model, _ = chat_model(moved)
    with pytest.raises(ModelRefused, match="has moved") as raised:
        ask(model)
    assert f"it points to {elsewhere.url}/v1. It was not followed" in str(raised.value)
    assert elsewhere.requests == []

    model, server = chat_model(Says(status=307, headers={"location": "/again"}, chunked=False))
    with pytest.raises(ModelRefused, match="sends from one URL to the next"):
        ask(model)
    assert len(server.requests) == 4


# Keys


@each_way
def test_the_key_shows_nowhere(chat_model: Ask, ask: Callable[[Any], AIMessage], caplog: pytest.LogCaptureFixture) -> None:
    """Not in a log, a repr, an error, its traceback with all locals, nor in what hangs on it."""
    caplog.set_level(logging.DEBUG)
    echo = says_json(error(f"bad header: Authorization: Bearer {KEY}"), 401)
    for script in (echo, Says(silent=True, reset=True), Says(b"<p>" + KEY.encode(), headers={"content-type": "text/html"})):
        model, _ = chat_model(script)
        with pytest.raises(ModelError) as raised:
            ask(model)
        shown = [
            str(raised.value),
            repr(raised.value),
            repr(vars(raised.value)),
            repr(model),
            repr(vars(model)),
            str(pickle.dumps(raised.value)),
        ]
        caught = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
        ours = [frame for frame in caught.stack if "holter" in frame.filename and "tests" not in frame.filename]
        shown += [str(frame.locals) for frame in ours]
        assert ours
        assert not any(KEY in text for text in shown)
        assert raised.value.__context__ is None
    assert KEY not in caplog.text


def test_many_at_once(chat_model: Ask) -> None:
    """Five hundred streams at once, on one loop."""
    model, server = chat_model(says_events(deltas(*[{"content": "a"}] * 5), pause_s=0.05))

    async def main() -> list[AIMessage]:
        return await asyncio.gather(*[streamed(model) for _ in range(500)])

    assert [answer.text for answer in asyncio.run(main())] == ["aaaaa"] * 500
    assert isinstance(server, Server)
    assert QUICK.tries == 3
