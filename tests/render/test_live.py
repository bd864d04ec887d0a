"""A run as a person sees it while it runs."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from rich.text import Text

from holter.journal.entry import Entry
from holter.journal.event import (
    Answered,
    CacheHit,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolStarted,
    Trimmed,
)
from holter.messages import AIMessage, AIMessageChunk, Conversation, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage
from holter.messages.usage import usage
from holter.models.delta import deltas
from holter.render.live import Live, Wish
from holter.render.text import timeline
from holter.render.view import View
from holter.render.wrap import cells
from tests.render.conftest import NOON, call

ASKED = HumanMessage("明天北京的天气怎么样？另外请帮我订一家离长城不远、含早餐、可以停车的酒店。", id="h")
CALLING = AIMessage(
    "我先查天气，再按你的要求找酒店，最后把价格和位置列出来。",
    id="a",
    reasoning="先查天气，再找酒店。",
    tool_calls=[call("get_weather", "c1", city="北京"), call("book_hotel", "c2", note="近长城\n含早餐", price=800)],
    usage_metadata=usage(339, 92, cache_read=320, reasoning=48),
    response_metadata={"model_name": "deepseek-chat", "finish_reason": "tool_calls"},
)
WEATHER = ToolMessage('{"sky": "晴 ☀️"}', tool_call_id="c1", name="get_weather")
HOTEL = ToolMessage("没有空房", tool_call_id="c2", status="error", name="book_hotel")
ANSWER = AIMessage("明天是晴天，但是没有空房。", id="b", usage_metadata=usage(500, 20), response_metadata={"finish_reason": "stop"})


class Watched:
    """A run that is watched, and what was written of it."""

    def __init__(self, width: int = 80, **wish: Any) -> None:
        self.live = Live(View(width), Wish(**wish))
        self.seq = 0
        self.text = ""

    def write(self, text: Text) -> str:
        """Takes what is to be written, and gives it as plain text."""
        self.text += text.plain
        return text.plain

    def hear(self, *events: Event | Message, inside: tuple[str, ...] = (), node: str = "model") -> str:
        """What is written for events, and for messages that a node made."""
        shown = ""
        for told in events:
            if isinstance(told, SystemMessage | HumanMessage | AIMessage | ToolMessage):
                event: Event = MessageAdded(message=told, node=node)
            else:
                event = told
            shown += self.write(self.live.entry(Entry(self.seq, NOON.timestamp() + self.seq, event), inside))
            self.seq += 1
        return shown

    def stream(self, message: AIMessage, *, node: str = "model", inside: tuple[str, ...] = ()) -> str:
        """What is written while the answer comes, and when it is there."""
        shown = "".join(self.write(self.live.delta(delta, node, "1.0", inside)) for delta in deltas(message))
        return shown + self.hear(message, node=node, inside=inside)


def test_it_reads_as_the_timeline() -> None:
    """Results stand at their calls, in the order of the calls, whichever came first."""
    run = Watched()
    run.hear(ThreadCreated(), RunStarted(run="r"), ASKED, CALLING, HOTEL, WEATHER, ANSWER, RunEnded(run="r"))
    assert run.text == snapshot("""\
  0 human                                                               12:00:02
    明天北京的天气怎么样？另外请帮我订一家离长城不远、含早餐、可以停车的酒店。

  1 ai · deepseek-chat · 339 in (320 cached) · 92 out (48 reasoning)    12:00:03
    tool_calls
    ┆ reasoning
    ┆ 先查天气，再找酒店。
    我先查天气，再按你的要求找酒店，最后把价格和位置列出来。
    → get_weather(city="北京")
  2 ← {"sky": "晴 ☀️"}                                                  12:00:05
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
  3 ← error: 没有空房                                                   12:00:04

  4 ai · 500 in · 20 out · stop                                         12:00:06
    明天是晴天，但是没有空房。
""")


def test_it_reads_as_the_timeline_at_140_columns() -> None:
    """Results stand beside their calls."""
    run = Watched(140)
    run.hear(CALLING.replace(content="", reasoning=None), HOTEL, WEATHER)
    assert run.text == snapshot("""\
  0 ai · deepseek-chat · 339 in (320 cached) · 92 out (48 reasoning) · tool_calls                                                   12:00:00
    → get_weather(city="北京")                               1 ← {"sky": "晴 ☀️"}                                                   12:00:02
    → book_hotel                                             2 ← error: 没有空房                                                    12:00:01
        note:
          近长城
          含早餐
        price: 800
""")


def test_an_answer_that_comes_in_deltas() -> None:
    """It is written as it comes; what is known in the end stands below it."""
    run = Watched(streams=True)
    run.hear(ASKED, ModelStarted(model="deepseek-chat"))
    assert run.stream(CALLING) == snapshot("""\

  1 ai · deepseek-chat
    ┆ reasoning
    ┆ 先查天气，再找酒店。
    我先查天气，再按你的要求找酒店，最后把价格和位置列出来。
    339 in (320 cached) · 92 out (48 reasoning) · tool_calls            12:00:02
    → get_weather(city="北京")
""")
    run.hear(WEATHER, HOTEL, ModelStarted(model="deepseek-chat"))
    assert run.stream(ANSWER) == snapshot("""\

  4 ai
    明天是晴天，但是没有空房。
    500 in · 20 out · stop                                              12:00:06
""")


def test_it_is_written_at_once() -> None:
    """Each delta writes what can be told of the text."""
    run = Watched(streams=True)
    shown = [run.write(run.live.delta(AIMessageChunk(text), "model", "1.0")) for text in ("Good ", "mor", "ning", ", all", "!")]
    assert shown == ["  0 ai\n    Good", "", "", " morning,", ""]
    assert run.hear(AIMessage("Good morning, all!")) == " all!\n"


def test_an_answer_that_was_changed() -> None:
    """What is kept is shown where it is not what was heard."""
    run = Watched(streams=True)
    run.write(run.live.delta(AIMessageChunk("My key is sk-1."), "model", "1.0"))
    assert run.hear(AIMessage("My key is secret.")) == snapshot("""\
 sk-1.

  0 ai                                                                  12:00:00
    My key is secret.
""")


def test_calls_are_shown_before_their_results() -> None:
    """One after another: the first at once, the next when its turn has come."""
    run = Watched()
    assert "→ get_weather" in run.hear(CALLING)
    assert run.hear(HOTEL) == ""
    assert run.hear(WEATHER) == snapshot("""\
  1 ← {"sky": "晴 ☀️"}                                                  12:00:02
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
  2 ← error: 没有空房                                                   12:00:01
""")


def test_what_happens_beside_the_messages() -> None:
    """Failed attempts, repairs, what was left out; each is a line."""
    run = Watched()
    run.hear(
        AIMessage("", tool_calls=[call("fetch", "c1")]),
        Repaired(code="ARG02", text="A comma was missing."),
        ToolStarted(call_id="c1", name="fetch"),
        ToolFailed(call_id="c1", name="fetch", error="ConnectionError: reset by peer", wait_s=0.5),
        ToolFailed(call_id="c1", name="fetch", attempt=2, error="ToolTimeout: 5 s", unknown=True),
        CacheHit(call_id="c1", name="fetch"),
        ToolMessage("a page", tool_call_id="c1"),
        Trimmed(first=3, last=9),
        ModelFailed(model="m", error="RateLimited: slow down", wait_s=2),
        Discarded(key="topic", writers=["node 'a'", "node 'b'"]),
    )
    assert run.text == snapshot("""\
  0 ai                                                                  12:00:00
    → fetch()
    repaired (ARG02): A comma was missing.
    fetch: attempt 1 failed: ConnectionError: reset by peer; again in 0.5 s
    fetch: attempt 2 failed: ToolTimeout: 5 s; it was left running
    fetch: from the cache
  1 ← a page                                                            12:00:06
    left out of the request: messages 3 to 9
    m: attempt 1 failed: RateLimited: slow down; again in 2 s
    writes of 'topic' clashed and were discarded: node 'a', node 'b'
""")


def test_nodes_without_messages() -> None:
    """What a node wrote: on a line where it fits; long values are cut; one that says nothing is named once."""
    run = Watched(60)
    run.hear(
        NodeEnded(node="__start__", task="0.0", sends=["plan"]),
        NodeEnded(node="plan", task="1.0", writes={"topic": "cats", "pieces": 3}),
        NodeEnded(node="wait", task="2.0"),
        NodeEnded(node="wait", task="3.0"),
        NodeEnded(node="write", task="4.0", writes={"text": "line\n" * 30, "done": True}),
    )
    assert run.text == snapshot("""\
    plan  topic="cats", pieces=3
    wait
    write
      text:
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
      … 16 more lines (--full)
      done: true
""")


def test_a_node_whose_messages_were_shown_is_not_named_again() -> None:
    """Its end says nothing new."""
    run = Watched()
    run.hear(ANSWER)
    assert run.hear(NodeEnded(node="model", task="1.0")) == ""


def test_questions() -> None:
    """They are kept for whoever asks them; the call is shown as waiting, and again with its result."""
    run = Watched()
    run.hear(CALLING)
    assert run.hear(HOTEL, Interrupted(key="c1", value="Really?"), RunEnded(run="r", status="interrupted")) == snapshot("""\
    ← waits for an answer
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
  2 ← error: 没有空房                                                   12:00:01
""")
    assert run.live.questions == {"c1": "Really?"}
    assert run.hear(Answered(key="c1", value=True), WEATHER) == snapshot("""\
    → get_weather(city="北京")
  1 ← {"sky": "晴 ☀️"}                                                  12:00:05
""")
    assert run.live.questions == {}


def test_runs_inside() -> None:
    """They stand behind a bar, under their node's name; what becomes the outer run's is not shown twice."""
    run = Watched(60)
    inner: list[Message] = [
        AIMessage("", id="x", tool_calls=[call("search", "s1", q="cats")]),
        ToolMessage("found", tool_call_id="s1", id="y"),
    ]
    run.hear(ASKED)
    run.live.began("research", "2.0")
    run.hear(ASKED, *inner, AIMessage("A longer answer that does not fit on one line of this view.", id="z"), inside=("research:2.0",))
    run.hear(*inner, AIMessage("A longer answer that does not fit on one line of this view.", id="z"))
    run.hear(ANSWER)
    assert run.text == snapshot("""\
  0 human                                           12:00:00
    明天北京的天气怎么样？另外请帮我订一家离长城不远、含早
    餐、可以停车的酒店。
    │ research
    │   1 ai                                        12:00:02
    │     → search(q="cats")
    │   2 ← found                                   12:00:03
    │
    │   3 ai                                        12:00:04
    │     A longer answer that does not fit on one line of
    │     this view.
  1 to 3 as above

  4 ai · 500 in · 20 out · stop                     12:00:08
    明天是晴天，但是没有空房。
""")
    assert [answer.id for answer in run.live.answers] == ["x", "z", "b"]


def test_a_run_inside_a_call_streams() -> None:
    """Between the call and its result."""
    run = Watched(60, streams=True)
    run.hear(AIMessage("", tool_calls=[call("ask_expert", "c1", q="why?")]))
    run.stream(AIMessage("Because it is so."), inside=("tools:2.0",))
    run.hear(ToolMessage("Because it is so.", tool_call_id="c1"))
    assert run.text == snapshot("""\
  0 ai                                              12:00:00
    → ask_expert(q="why?")
    │ tools
    │   0 ai
    │     Because it is so.
  1 ← Because it is so.                             12:00:02
""")


def test_two_runs_inside_at_once() -> None:
    """Each under the tool's name when it speaks; one answer is written while it comes, the other when it is whole."""
    run = Watched(60, streams=True)
    run.hear(AIMessage("", tool_calls=[call("ann", "c1"), call("bob", "c2")]))
    first, second = ("tools:2.0.c1",), ("tools:2.0.c2",)
    for text in ("one ", "two "):
        for inside in (first, second):
            run.write(run.live.delta(AIMessageChunk(text), "model", "1.0", inside))
    run.hear(AIMessage("one two"), inside=second)
    run.hear(AIMessage("one two three"), inside=first)
    run.hear(AIMessage("more"), inside=first)
    run.hear(ToolMessage("b", tool_call_id="c2"), ToolMessage("a", tool_call_id="c1"))
    assert run.text == snapshot("""\
  0 ai                                              12:00:00
    → ann()
    │ ann
    │   0 ai
    │     one two
    │ bob
    │   0 ai                                        12:00:01
    │     one two
    │ ann
    │   0 ai                                        12:00:02
    │     one two three
    │
    │   1 ai                                        12:00:03
    │     more
  1 ← a                                             12:00:05
    → bob()
  2 ← b                                             12:00:04
""")


def test_several_speak_at_once() -> None:
    """Then answers are shown when they are whole, under the names of their nodes."""
    run = Watched(60, streams=True, names_nodes=True)
    run.live.stepped(["left", "right"])
    for word in ("one ", "two"):
        for node in ("left", "right"):
            run.write(run.live.delta(AIMessageChunk(word), node, f"{node}.0"))
    assert run.text == ""
    run.hear(AIMessage("one two", name="lee"), node="right")
    run.hear(AIMessage("one two"), node="left")
    run.live.stepped(["join"])
    run.write(run.live.delta(AIMessageChunk("all "), "join", "2.0"))
    assert run.text == snapshot("""\
  0 ai lee · right                                  12:00:00
    one two

  1 ai · left                                       12:00:01
    one two

  2 ai · join
    all\
""")


def test_something_else_is_written_meanwhile() -> None:
    """The line is ended; the answer is shown again when it is whole."""
    run = Watched(60, streams=True)
    run.write(run.live.delta(AIMessageChunk("one two "), "model", "1.0"))
    run.write(run.live.custom({"progress": 0.5}, "model"))
    run.write(run.live.custom("half\ndone", "model"))
    run.write(run.live.delta(AIMessageChunk("three"), "model", "1.0"))
    run.hear(AIMessage("one two three"))
    assert run.text == snapshot("""\
  0 ai
    one two
    » {"progress": 0.5}
    » half
      done

  0 ai                                              12:00:00
    one two three
""")


def test_messages_that_change() -> None:
    """One in the place of another, and some that go: positions are those of the thread."""
    run = Watched(60)
    run.hear(ASKED, ANSWER)
    assert run.hear(ANSWER) == ""
    assert run.hear(ANSWER.replace(content="It will rain.")) == snapshot("""\

  1 ai · 500 in · 20 out · stop                     12:00:01
    It will rain.
    (in the place of what stood there)
""")
    assert run.hear(NodeEnded(node="trim", task="2.0", writes={"messages": [RemoveMessage(id="h")]})) == snapshot("""\
    trim
    removed 1 message
""")
    assert run.hear(HumanMessage("Thanks."), node="") == snapshot("""\

  1 human                                           12:00:05
    Thanks.
""")


def test_redacted() -> None:
    """No secret is shown, and no answer in deltas."""
    secret = "sk-abcdefghijklmnop1234"
    run = Watched(streams=True, redact="secrets")
    run.write(run.live.delta(AIMessageChunk("sk-abcdefgh"), "model", "1.0"))
    run.write(run.live.custom({"key": secret}, "model"))
    run.hear(
        HumanMessage(f"I have {secret}"),
        AIMessage("", tool_calls=[call("login", "c1", password="x")]),
        ToolFailed(call_id="c1", name="login", error=f"ValueError: {secret}"),
        ToolMessage(secret, tool_call_id="c1"),
        NodeEnded(node="plan", task="1.0", writes={"note": secret}),
        Interrupted(key="1.0", value={"token": secret}),
    )
    assert secret not in run.text + repr(run.live.questions)
    assert "sk-" not in run.text
    assert "I have [redacted]" in run.text


def test_status() -> None:
    """What the run is busy with: tools before models before nodes."""
    run = Watched()
    run.live.began("agent", "1.0")
    assert run.live.status == "agent"
    run.hear(ModelStarted(model="m"))
    assert run.live.status == "m"
    run.hear(ModelFailed(model="m", error="x", wait_s=2))
    assert run.live.status == "m, again in 2 s"
    run.hear(CALLING, ToolStarted(call_id="c1", name="get_weather"), ToolStarted(call_id="c2", name="book_hotel"))
    assert run.live.status == "get_weather, book_hotel"
    run.hear(WEATHER)
    assert run.live.status == "book_hotel"
    run.hear(RunEnded(run="r"))
    assert run.live.status == ""


def test_an_end_in_the_middle() -> None:
    """The line is ended, and open calls stay visible; what ended the run is the caller's to say."""
    run = Watched(60, streams=True)
    run.hear(CALLING.replace(content="", reasoning=None))
    run.hear(Cancelled(), LimitReached(limit="seconds", text="It took too long."))
    run.write(run.live.delta(AIMessageChunk("half a wor"), "model", "1.0"))
    run.write(run.live.end())
    assert run.text == snapshot("""\
  0 ai · deepseek-chat · 339 in (320 cached)        12:00:00
    92 out (48 reasoning) · tool_calls
    → get_weather(city="北京")
    ← no result yet
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
    ← no result yet

  1 ai
    half a wor
""")
    assert run.live.end().plain == ""


_TEXTS = st.text(st.sampled_from("ab 好。\n\x1b"), max_size=30)
_MESSAGES = st.one_of(
    st.builds(HumanMessage, _TEXTS),
    st.builds(SystemMessage, _TEXTS),
    st.builds(
        lambda text, ids: AIMessage(text, tool_calls=[call("f", f"c{n}", x=text) for n in ids]),
        _TEXTS,
        st.lists(st.integers(0, 3), max_size=3, unique=True),
    ),
    st.builds(
        lambda text, n, status: ToolMessage(text, tool_call_id=f"c{n}", status=status),
        _TEXTS,
        st.integers(0, 3),
        st.sampled_from(["success", "error"]),
    ),
)


@given(st.lists(_MESSAGES, max_size=8), st.sampled_from([40, 80, 150]), st.booleans())
def test_no_run_is_too_odd(messages: Sequence[Message], width: int, streams: bool) -> None:
    """Every message is shown, no line is wider than the view, and it ends at the beginning of a line."""
    run = Watched(width, streams=streams)
    for message in messages:
        if isinstance(message, AIMessage):
            run.stream(message)
        else:
            run.hear(message)
    run.write(run.live.end())
    assert max(map(cells, run.text.split("\n"))) <= width
    assert run.text.endswith("\n") or not run.text
    assert run.live.end().plain == ""


@given(st.integers(1, 4), st.randoms())
def test_results_in_any_order(calls: int, random: Any) -> None:
    """The run reads as the timeline of the thread that it comes to."""
    asking = AIMessage("", tool_calls=[call("f", f"c{n}", n=n) for n in range(calls)], ts=NOON)
    results = [ToolMessage(f"r{n}", tool_call_id=f"c{n}", ts=NOON) for n in range(calls)]
    whole: list[Message] = [HumanMessage("go", ts=NOON), asking, *results, AIMessage("done", ts=NOON)]
    shuffled = random.sample(results, calls)
    run = Watched()
    run.hear(whole[0], asking, *shuffled, whole[-1])
    shown = "\n".join(piece.plain for piece in timeline(Conversation(format="x", messages=whole), View(80)))
    body = shown.partition("─\n")[2].rpartition("\n\n")[0]
    assert run.text.strip("\n") == body.strip("\n")
