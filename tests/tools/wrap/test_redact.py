"""What a tool call must not show."""

from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded, Redacting, ToolFailed
from holter.journal.fold import Fold
from holter.messages import AIMessage, ToolMessage
from holter.tools import ToolRuntime, tool
from holter.tools.wrap import redact
from tests.tools.wrap.calls import WAYS, Recorded, Way, call


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def note(text: str) -> str:
    """Note."""
    return text


@pytest.mark.parametrize("way", WAYS)
def test_what_must_not_be_seen(way: Way) -> None:
    """Events and what a tool streams have `[redacted]`; the model's message keeps the value; the thread knows what is not to be shown."""
    streamed: list[Any] = []

    @tool
    def charge(card: str, runtime: ToolRuntime) -> str:
        """Charge."""
        runtime.stream_writer({"charging": card})
        raise ValueError(f"card {card} is refused")

    node = ToolNode([charge], wrap_tool_call=redact([r"\b\d{4}-\d{4}\b"]))
    run = Recorded(node, way, stream_writer=streamed.append)
    assert "1234-5678" in str(run("charge", card="1234-5678").content)
    (failure,) = run.of(ToolFailed)
    assert failure.error == "ValueError: card [redacted] is refused"
    assert "1234-5678" not in failure.traceback
    assert streamed == [{"charging": "[redacted]"}]

    asked = AIMessage("paying with 1234-5678", tool_calls=[call("charge", card="1234-5678")], id="1234-5678")
    events = [MessageAdded(message=asked), *run.events, MessageAdded(message=ToolMessage("1234-5678 ok", tool_call_id="c1"))]
    fold = Fold.of(Entry(seq, 0.0, event) for seq, event in enumerate(events))
    assert fold.redaction.patterns == (r"\b\d{4}-\d{4}\b",)
    shown = [fold.redaction.struct(event) for event in events]
    assert shown[0] == MessageAdded(
        message=AIMessage("paying with [redacted]", tool_calls=[call("charge", card="[redacted]")], id="1234-5678")
    )
    assert shown[-1] == MessageAdded(message=ToolMessage("[redacted] ok", tool_call_id="c1"))
    assert [event for event in shown if isinstance(event, Redacting)] == run.of(Redacting)
    assert asked.tool_calls[0]["args"] == {"card": "1234-5678"}
