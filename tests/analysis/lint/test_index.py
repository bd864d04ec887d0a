"""Where findings say things are, and what they say of causes."""

import json
from typing import Any

from holter import formats
from holter.analysis.lint import lint, lint_messages
from holter.analysis.lint.example import flow
from holter.messages import Finding

CALL = {"type": "function", "function": {"name": "look", "arguments": "{}"}}


def found(value: Any, target: str | None = None) -> list[Finding]:
    """The findings of a document with one conversation."""
    (conversation,) = formats.read(json.dumps(value))
    return lint(conversation, target)


def test_pending_calls_at_the_end_of_a_log_are_information() -> None:
    """Without a target the log may go on; in a request body, and for a target, the result is missing."""
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [{"id": "a", **CALL}]}]
    assert [(f.code, f.severity, f.fixable) for f in found(messages)] == [("PAIR01", "info", False)]
    assert [(f.code, f.severity, f.fixable) for f in found(messages, "openai")] == [("PAIR01", "error", True)]
    request = {"model": "m", "tools": [{"type": "function", "function": {"name": "look"}}], "messages": messages}
    assert [(f.code, f.severity) for f in found(request)] == [("PAIR01", "error")]


def test_calls_of_a_response_are_no_finding() -> None:
    """What the response asks for is still to come."""
    choice = {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": [{"id": "a", **CALL}]},
    }
    assert found({"object": "chat.completion", "choices": [choice]}, "openai") == []


def test_unanswered_call_beside_an_orphan_is_a_wrong_id() -> None:
    """The hint names the result."""
    first, second = lint_messages(flow("user go · calls a look · result b 4C · user well?"))
    assert (first.code, first.hint) == ("PAIR01", "result 'b' at 2 answers no call: wrong id?")
    assert (second.code, second.hint) == ("PAIR02", "likely the result of a at 1, which has none: wrong id?")


def test_many_unanswered_calls_are_one_cut() -> None:
    """The hint says from where on nothing is answered."""
    text = "user go · calls a look · result a x · " + " · ".join(f"calls c{n} look" for n in range(6)) + " · user well?"
    hints = {f.hint for f in lint_messages(flow(text)) if f.code == "PAIR01"}
    assert hints == {"no call is answered from message 3 on: the results were cut away here, or kept apart"}


def test_truncated_arguments_name_the_limit_and_the_tokens() -> None:
    """finish_reason=length, and how many tokens there were."""
    call = {"id": "w", "type": "function", "function": {"name": "write", "arguments": '{"text": "<h1>'}}
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": None, "tool_calls": [call]}}
    body = {
        "object": "chat.completion",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 4096, "total_tokens": 4097},
    }
    (text,) = [f.text for f in found(body) if f.code == "ARG08"]
    assert "finish_reason=length" in text
    assert "4,096 tokens" in text


def test_index_counts_the_sources_own_list() -> None:
    """A system prompt beside the list has no place in it; blocks of one user message share theirs."""
    request = {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}],
            },
            {"role": "user", "content": "well?"},
        ],
    }
    (finding,) = found(request, "anthropic")
    assert (finding.code, finding.index, finding.message, finding.path) == ("PAIR01", 1, 2, "messages[1].content[1]")


def test_response_counts_as_the_next_message() -> None:
    """Of a request kept with its response."""
    record = {
        "request": {"messages": [{"role": "user", "content": "go"}]},
        "response": {"choices": [{"index": 0, "finish_reason": None, "message": {"role": "assistant", "content": "Done."}}]},
    }
    (finding,) = found(record)
    assert (finding.code, finding.index, finding.path) == ("FIN06", 1, "response.choices[0].finish_reason")


def test_handled_mistakes_are_information() -> None:
    """A wrong name that was answered with an error."""
    record = {
        "tools": [{"type": "function", "function": {"name": "read", "parameters": {}}}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "a", **CALL}]},
            {"role": "tool", "tool_call_id": "a", "content": "Error: look is not a valid tool, try one of [read]."},
            {"role": "assistant", "content": "I cannot look."},
        ],
    }
    assert [(f.code, f.severity) for f in found(record)] == [("NAME01", "info")]


def test_responses_with_a_stored_history_have_no_orphans() -> None:
    """An output alone is legal where the server keeps the calls."""
    items = [{"type": "function_call_output", "call_id": "c", "output": "ok"}]
    assert [f.code for f in found({"input": items}, "openai.responses")] == ["PAIR02"]
    assert found({"input": items, "previous_response_id": "resp_1"}, "openai.responses") == []
