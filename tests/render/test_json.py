"""JSON for other programs."""

import json as reader
import math

from inline_snapshot import snapshot

from holter.messages import Conversation, HumanMessage
from holter.render import json


def test_conversation_has_every_field(trip: Conversation) -> None:
    """The keys are the same for every conversation, and findings keep what is null."""
    value = reader.loads(json.line(json.conversation(trip)))
    assert list(value) == snapshot(
        ["format", "source", "position", "place", "messages", "tools", "tools_known", "findings", "places", "extra", "shared"]
    )
    assert value["findings"] == snapshot(
        [
            {
                "code": "READ01",
                "name": "input-cut",
                "severity": "error",
                "text": "the log ends inside a value",
                "conversation": None,
                "message": None,
                "index": None,
                "path": None,
                "line": 12,
                "column": 4,
                "hint": "get the rest",
                "fixable": False,
            }
        ]
    )
    assert value["places"][2] == snapshot({"index": 2, "path": "messages[2]", "line": None, "column": None})
    assert [message["type"] for message in value["messages"]] == snapshot(["system", "human", "ai", "tool", "tool", "tool", "human", "ai"])


def test_summary(trip: Conversation) -> None:
    """What a line of the list says, for programs."""
    assert json.summary(trip) == snapshot(
        {
            "format": "openai.chat",
            "source": "trip.json",
            "position": 1,
            "messages": 8,
            "calls": 4,
            "input_tokens": 339,
            "output_tokens": 92,
            "total_tokens": 431,
            "cached_tokens": 320,
            "reasoning_tokens": 48,
            "models": ["deepseek-chat"],
            "errors": 1,
            "begins_with": "明天北京的天气怎么样？🌤️ 另外请帮我订一家离长城不远、含早餐、可以停车的酒店。",
        }
    )


def test_text_is_utf8_and_not_escaped() -> None:
    """Chinese and emoji can be searched for in the output."""
    assert json.line({"text": "北京 🌤️"}) == '{"text":"北京 🌤️"}\n'.encode()


def test_surrogates_and_controls_are_escaped() -> None:
    """A lone surrogate does not crash the writer, and no terminal obeys the output; the value is the same."""
    text = "\ud800 \x1b[2J \x9b \x7f \u202e \u2028"
    line = json.line({"text": text})
    assert line == b'{"text":"\\ud800 \\u001b[2J \\u009b \\u007f \\u202e \\u2028"}\n'
    assert reader.loads(line)["text"] == text


def test_what_json_has_no_word_for_is_null() -> None:
    """NaN and infinities are no JSON."""
    assert json.line({"a": [math.nan, math.inf, 1.5]}) == b'{"a":[null,null,1.5]}\n'


def test_each_document_ends_its_line() -> None:
    """Lines hold one document each; pages are indented."""
    message = json.message(HumanMessage("a\nb"))
    assert json.line(message).count(b"\n") == 1
    assert json.pages({"a": 1}) == b'{\n  "a": 1\n}\n'
