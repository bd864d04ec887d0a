"""Attempts that only a journal knows."""

import json
from typing import Any

from holter.analysis.explain import explain
from holter.analysis.explain.attempt import NO_ATTEMPTS, Attempts, attempts
from holter.analysis.explain.document import documents


def lines(*events: dict[str, Any]) -> bytes:
    """An exported journal of one thread."""
    entries = [{"thread": "t", "seq": seq, "ts": 1e9 + seq, "event": event} for seq, event in enumerate(events)]
    return "\n".join(map(json.dumps, [{"holter": "journal", "version": 1}, *entries])).encode()


def message(**fields: Any) -> dict[str, Any]:
    """The event of a message."""
    return {"kind": "message", "message": fields}


def test_attempts_before_results_and_answers() -> None:
    """Those that were followed by another count; the last one is the result."""
    call = {"name": "look", "args": {}, "id": "c", "type": "tool_call"}
    log = lines(
        {"kind": "thread"},
        message(type="human", content="go", id="h"),
        {"kind": "model_failed", "model": "m", "error": "RateLimited: later", "wait_s": 1},
        message(type="ai", content="", tool_calls=[call], id="a"),
        {"kind": "tool_failed", "call_id": "c", "name": "look", "error": "TimeoutError: slow", "wait_s": 0.5},
        {"kind": "tool_failed", "call_id": "c", "name": "look", "attempt": 2, "error": "TimeoutError: slow"},
        {"kind": "cache_hit", "call_id": "d", "name": "look"},
        message(type="tool", content="Error: slow", tool_call_id="c", status="error", id="r"),
    )
    (document,) = documents(log, "t.jsonl")
    assert attempts(document) == Attempts({"c": ["TimeoutError: slow"]}, {1: ["RateLimited: later"]}, frozenset({"d"}))
    assert "`look` took 2 attempts; before that it failed: “TimeoutError: slow”." in [s.text for s in explain(document).account[0]]


def test_no_journal() -> None:
    """Other logs say nothing of attempts."""
    (document,) = documents(b'{"messages": [{"role": "user", "content": "hi"}]}', None)
    assert attempts(document) is NO_ATTEMPTS
