"""A conversation with one of everything, and the time zone that its times are shown in."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from holter.messages import (
    AIMessage,
    Conversation,
    Finding,
    HumanMessage,
    ListPlaces,
    Message,
    Shared,
    SystemMessage,
    ToolMessage,
    ToolSpec,
)
from holter.messages.usage import usage

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def call(name: str, call_id: str, **args: object) -> dict[str, object]:
    """A tool call."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


@pytest.fixture
def trip() -> Conversation:
    """Two rounds, Chinese and emoji, calls with and without results, an orphan, damage."""
    broken = {"name": "get_weather", "args": '{"city": "北', "id": "c3", "error": "not JSON", "type": "invalid_tool_call", "index": 2}
    messages: list[Message] = [
        SystemMessage("你是旅行助手。"),
        HumanMessage("明天北京的天气怎么样？🌤️ 另外请帮我订一家离长城不远、含早餐、可以停车的酒店。", name="小明", ts=NOON),
        AIMessage(
            "我来查一下。",
            reasoning="先查天气，再找酒店。",
            tool_calls=[call("get_weather", "c1", city="北京"), call("book_hotel", "c2", note="近长城\n含早餐", price=800)],
            invalid_tool_calls=[broken],
            usage_metadata=usage(339, 92, cache_read=320, reasoning=48),
            response_metadata={"model_name": "deepseek-chat", "finish_reason": "tool_calls"},
            ts=NOON + timedelta(seconds=1),
        ),
        ToolMessage('{"sky": "晴 ☀️"}', tool_call_id="c1", ts=NOON + timedelta(seconds=2)),
        ToolMessage("没有空房", tool_call_id="c2", status="error"),
        ToolMessage("stray", tool_call_id="cX"),
        HumanMessage([{"type": "text", "text": "谢谢"}, {"type": "image", "base64": "aGVsbG8=", "mime_type": "image/png"}]),
        AIMessage("", tool_calls=[call("book_hotel", "c4")]),
    ]
    finding = Finding(
        code="READ01", name="input-cut", severity="error", text="the log ends inside a value", hint="get the rest", line=12, column=4
    )
    return Conversation(
        format="openai.chat",
        messages=messages,
        tools=[ToolSpec("get_weather"), ToolSpec("book_hotel")],
        tools_known=True,
        places=ListPlaces("messages", len(messages)),
        findings=[finding],
        source="trip.json",
        position=1,
        shared=Shared(0, 2),
    )
