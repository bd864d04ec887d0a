"""Findings about runs, from Holter's own journal and from plain events."""

from holter.analysis.lint import lint_messages, lint_trace
from holter.analysis.lint.run import Linter
from holter.analysis.lint.trace import Trace
from holter.journal.event import CacheHit, Discarded, MessageAdded, Repaired, ToolFailed, ToolStarted
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage


def call(name: str, args: dict[str, object], call_id: str) -> MessageAdded:
    """The event of a message that makes one call."""
    return MessageAdded(message=AIMessage(tool_calls=[{"name": name, "args": args, "id": call_id, "type": "tool_call"}]))


def test_two_calls_that_wrote_one_key() -> None:
    """The journal's `discarded` names the key and the writers."""
    (finding,) = lint_trace([Discarded(key="files", writers=["a", "b"])])
    assert (finding.code, finding.severity, finding.index) == ("RUN03", "error", None)
    assert finding.text == "a and b both write `files`, and there is no merge rule"


def test_retry_after_an_unclear_failure() -> None:
    """Silent for a tool that is idempotent."""
    events = [
        ToolStarted(call_id="a", name="pay"),
        ToolFailed(call_id="a", name="pay", unknown=True),
        ToolStarted(call_id="a", name="pay", attempt=2),
    ]
    assert [f.code for f in lint_trace(events)] == ["RUN02"]
    assert Linter().check_trace(Trace.of(events, idempotent=["pay"])) == []


def test_call_that_ran_after_its_result() -> None:
    """A call id that comes again in a later turn is another call."""
    started, done = ToolStarted(call_id="a", name="pay"), MessageAdded(message=ToolMessage("ok", tool_call_id="a"))
    once = [call("pay", {}, "a"), started, done]
    assert lint_trace([*once, *once]) == []
    assert [f.code for f in lint_trace([*once, started])] == ["RUN01"]


def test_equal_arguments_in_another_order_miss_the_cache() -> None:
    """Only where the tool is cached at all."""
    first, second = call("add", {"a": 1, "b": {"x": 1, "y": 2}}, "a"), call("add", {"b": {"y": 2, "x": 1}, "a": 1}, "b")
    events = [first, ToolStarted(call_id="a", name="add"), second, ToolStarted(call_id="b", name="add")]
    assert lint_trace(events) == []
    cached = [*events, call("add", {"a": 9}, "c"), CacheHit(call_id="c", name="add", key="k")]
    assert [(f.code, f.index) for f in lint_trace(cached)] == [("RUN05", 2)]


def test_one_entry_for_two_calls() -> None:
    """The cache gave a call what another one asked for."""
    events = [
        call("read", {"p": "a"}, "a"),
        CacheHit(call_id="a", name="read", key="k"),
        call("read", {"p": "b"}, "b"),
        CacheHit(call_id="b", name="read", key="k"),
    ]
    assert [f.code for f in lint_trace(events)] == ["RUN07"]


def test_result_made_from_an_update() -> None:
    """The runtime's own repair tells of it."""
    assert [f.code for f in lint_trace([Repaired(code="RUN04", text="A result was made.", call_id="a")])] == ["RUN04"]


def test_results_that_fill_the_window() -> None:
    """One result over a quarter of it; without a window 100,000 characters."""
    calls = AIMessage(tool_calls=[{"name": "grep", "args": {}, "id": i, "type": "tool_call"} for i in "ab"])
    messages: list[Message] = [HumanMessage("x"), calls, *(ToolMessage("x" * 60_000, tool_call_id=i) for i in "ab")]
    assert [(f.code, f.message) for f in lint_messages(messages, window_tokens=8_000)] == [("CONT04", 2), ("CONT04", 3)]
    assert lint_messages(messages) == []
