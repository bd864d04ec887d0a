"""The timeline, as a person sees it."""

import pytest
from inline_snapshot import snapshot
from rich.cells import cell_len

from holter.messages import AIMessage, Conversation, HumanMessage, ToolMessage
from holter.render.text import single, timeline
from holter.render.view import View
from tests.render.conftest import call


def shown(conversation: Conversation, view: View) -> str:
    """The timeline as plain text."""
    return "\n".join(piece.plain for piece in timeline(conversation, view))


def talk(*messages: HumanMessage | AIMessage | ToolMessage) -> Conversation:
    """A conversation of these messages."""
    return Conversation(format="openai.chat", messages=list(messages), source="talk.json")


def test_timeline_at_80_columns(trip: Conversation) -> None:
    """Results stand under their calls."""
    assert shown(trip, View(80)) == snapshot("""\
trip.json · conversation 1 · openai.chat · 8 messages · 2026-11-30
begins like conversation 0 (2 messages)
2 tools: get_weather, book_hotel
────────────────────────────────────────────────────────────────────────────────
  0 system
    你是旅行助手。

────────────────────────────────────────────────────────────────────────────────
  1 human 小明                                                          12:00:00
    明天北京的天气怎么样？🌤️ 另外请帮我订一家离长城不远、含早餐、可以停车的酒
    店。

  2 ai · deepseek-chat · 339 in (320 cached) · 92 out (48 reasoning)    12:00:01
    tool_calls
    ┆ reasoning
    ┆ 先查天气，再找酒店。
    我来查一下。
    → get_weather(city="北京")
  3 ← {"sky": "晴 ☀️"}                                                  12:00:02
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
  4 ← error: 没有空房
    → get_weather: invalid call, not JSON
        {"city": "北
    ← no result (id c3)

  5 tool · answers no call (cX)
    stray

────────────────────────────────────────────────────────────────────────────────
  6 human
    谢谢
    [image image/png 5 B]

  7 ai
    → book_hotel()
    ← no result yet

8 messages · 4 calls · 431 tokens: 339 in (320 cached), 92 out (48 reasoning)
deepseek-chat

1 error found while reading
error READ01 input-cut  trip.json:12:4
    the log ends inside a value
    get the rest\
""")


def test_timeline_at_200_columns(trip: Conversation) -> None:
    """Results stand beside their calls, and prose is not wider than it can be read."""
    assert shown(trip, View(200)) == snapshot("""\
trip.json · conversation 1 · openai.chat · 8 messages · 2026-11-30
begins like conversation 0 (2 messages)
2 tools: get_weather, book_hotel
──────────────────────────────────────────────────────────────────────────────────────────────────────────────
  0 system
    你是旅行助手。

──────────────────────────────────────────────────────────────────────────────────────────────────────────────
  1 human 小明                                                                                                                                                                                  12:00:00
    明天北京的天气怎么样？🌤️ 另外请帮我订一家离长城不远、含早餐、可以停车的酒店。

  2 ai · deepseek-chat · 339 in (320 cached) · 92 out (48 reasoning) · tool_calls                                                                                                               12:00:01
    ┆ reasoning
    ┆ 先查天气，再找酒店。
    我来查一下。
    → get_weather(city="北京")                                                        3 ← {"sky": "晴 ☀️"}                                                                                      12:00:02
    → book_hotel                                                                      4 ← error: 没有空房
        note:
          近长城
          含早餐
        price: 800
    → get_weather: invalid call, not JSON                                               ← no result (id c3)
        {"city": "北

  5 tool · answers no call (cX)
    stray

──────────────────────────────────────────────────────────────────────────────────────────────────────────────
  6 human
    谢谢
    [image image/png 5 B]

  7 ai
    → book_hotel()                                                                      ← no result yet

8 messages · 4 calls · 431 tokens: 339 in (320 cached), 92 out (48 reasoning) · deepseek-chat

1 error found while reading
error READ01 input-cut  trip.json:12:4
    the log ends inside a value
    get the rest\
""")  # noqa: E501 - a wide terminal


@pytest.mark.parametrize("width", [40, 80, 139, 140, 200])
def test_no_line_is_wider_than_the_terminal(trip: Conversation, width: int) -> None:
    """At any width."""
    assert max(cell_len(line) for line in shown(trip, View(width)).splitlines()) <= width


def test_no_line_ends_in_blanks(trip: Conversation) -> None:
    """What is copied out of the terminal is clean."""
    assert [line for line in shown(trip, View(200)).splitlines() if line != line.rstrip()] == []


def test_one_message_has_all_its_fields(trip: Conversation) -> None:
    """Alone, a message shows its calls with the positions of their results, and every field."""
    assert "\n".join(piece.plain for piece in single(trip, 2, View(80, whole=True))) == snapshot("""\
trip.json · conversation 1 · openai.chat · 8 messages · 2026-11-30
  2 ai · deepseek-chat · 339 in (320 cached) · 92 out (48 reasoning)    12:00:01
    tool_calls
    ┆ reasoning
    ┆ 先查天气，再找酒店。
    我来查一下。
    → get_weather(city="北京")
    ← result at 3
    → book_hotel
        note:
          近长城
          含早餐
        price: 800
    ← result at 4
    → get_weather: invalid call, not JSON
        {"city": "北
    ← no result

response_metadata:
  {
    "model_name": "deepseek-chat",
    "finish_reason": "tool_calls"
  }
ts: "2026-11-30T12:00:01+00:00"
usage_metadata:
  {
    "input_tokens": 339,
    "output_tokens": 92,
    "total_tokens": 431,
    "input_token_details": {
      "cache_read": 320
    },
    "output_token_details": {
      "reasoning": 48
    }
  }
place: {"index": 2, "path": "messages[2]"}\
""")


def test_a_late_result_stays_in_its_place() -> None:
    """A result behind other messages is shown where it stands, and its call says where."""
    late = talk(
        AIMessage("", tool_calls=[call("look", "a")]),
        HumanMessage("still there?"),
        ToolMessage("found", tool_call_id="a", name="look"),
    )
    assert shown(late, View(80)) == snapshot("""\
talk.json · conversation 0 · openai.chat · 3 messages
────────────────────────────────────────────────────────────────────────────────
  0 ai
    → look()
    ← result at 2

────────────────────────────────────────────────────────────────────────────────
  1 human
    still there?

  2 tool look · answers look of message 0
    found

3 messages · 1 call\
""")


def test_an_id_used_again_does_not_confuse_the_calls() -> None:
    """Each call has the result that follows it."""
    again = talk(
        AIMessage("", tool_calls=[call("look", "a", n=1)]),
        ToolMessage("first", tool_call_id="a"),
        AIMessage("", tool_calls=[call("look", "a", n=2)]),
        ToolMessage("second", tool_call_id="a"),
    )
    assert shown(again, View(80)) == snapshot("""\
talk.json · conversation 0 · openai.chat · 4 messages
─── 2 steps, 2 calls ───────────────────────────────────────────────────────────
  0 ai
    → look(n=1)
  1 ← first

  2 ai
    → look(n=2)
  3 ← second

4 messages · 2 calls\
""")


def test_markup_and_control_codes_are_text() -> None:
    """Neither rich nor the terminal obeys a log: not in text, names, arguments, ids or the file's name."""
    bad = "[red]x[/red]\x1b[2J\u202e"
    value = talk(
        HumanMessage(bad, name=bad),
        AIMessage(bad, name=bad, reasoning=bad, tool_calls=[call(bad, bad, **{bad: bad})], response_metadata={"model_name": bad}),
        ToolMessage(bad, tool_call_id="another" + bad),
    )
    text = shown(value, View(80)) + "".join(piece.plain for piece in single(value, 1, View(80, whole=True)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("[red]x[/red]\\x1b[2J\\u202e") >= 8


def test_calls_stand_where_the_content_places_them() -> None:
    """Text and calls alternate as the model wrote them."""
    content = [{"type": "text", "text": "first"}, {"type": "tool_call", "id": "a"}, {"type": "text", "text": "then"}]
    value = talk(AIMessage(content, tool_calls=[call("look", "a")]))
    assert shown(value, View(80)) == snapshot("""\
talk.json · conversation 0 · openai.chat · 1 message
────────────────────────────────────────────────────────────────────────────────
  0 ai
    first
    → look()
    ← no result yet
    then

1 message · 1 call\
""")


def test_a_block_of_an_unknown_kind_is_one_line() -> None:
    """Its kind, and as much of it as fits."""
    block = {"type": "server_tool_use", "id": "srvtoolu_01H51YYF9DTtdAHfcxxTs1NV", "name": "bash", "input": {"command": "x" * 200}}
    line = shown(talk(AIMessage([block])), View(80)).splitlines()[3]
    assert line == '    [server_tool_use {"name": "bash", "input": {"command": "' + "x" * 18 + "…]"
