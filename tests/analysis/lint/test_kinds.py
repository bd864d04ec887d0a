"""Other inputs of the kinds that rules are about: each is reported once, at its place, and put right where that is safe."""

import json
from typing import Any

import pytest

from holter import formats
from holter.analysis.lint import lint, lint_cut, lint_stream
from holter.analysis.repair import repair
from holter.messages import Message

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
FUNCTION_CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "1"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
USER = {"role": "user", "content": "go"}


def found(document: Any, target: str | None = None) -> list[tuple[str, int | None, str | None]]:
    """Code, index and path of the findings of a document."""
    (conversation,) = formats.read(json.dumps(document))
    return [(f.code, f.index, f.path) for f in lint(conversation, target) if not f.code.startswith("READ")]


def history(content: Any) -> list[dict[str, Any]]:
    """A log with one result of this content."""
    return [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "a", "content": content}]


@pytest.mark.parametrize(
    ("content", "path", "text"),
    [
        (5, "[2].content", "5"),
        (True, "[2].content", "true"),
        ([1, 2], "[2].content", "[1,2]"),
        (["x", "y"], "[2].content", '["x","y"]'),
        ({"n": 1}, "[2].content", '{"n": 1}'),
        ({"type": "text", "text": "x"}, "[2].content", [{"type": "text", "text": "x"}]),
        ([{"n": 1}], "[2].content[0]", '[{"n": 1}]'),
        ([{"type": "text", "text": "x"}, {"n": 1}], "[2].content[1]", '[{"text": "x", "type": "text"}, {"n": 1}]'),
    ],
)
def test_content_that_is_neither_text_nor_blocks(content: Any, path: str, text: Any) -> None:
    """It is sent as the JSON text of what stood there."""
    assert found(history(content)) == [("CONT01", 2, path)]
    (conversation,) = formats.read(json.dumps(history(content)))
    made = repair(conversation).conversation
    assert made.messages[2].content == text
    assert lint(made) == []


@pytest.mark.parametrize("content", ["x", None, [], [{"type": "text", "text": "x"}]])
def test_content_that_is_as_it_should_be(content: Any) -> None:
    """Text, blocks, and nothing at all."""
    assert found(history(content)) == []


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"params": {"tool_choice": "required"}, "messages": history("x")}, "params.tool_choice"),
        (
            {"model": "m", "tools": [], "tool_choice": {"type": "function", "function": {"name": "f"}}, "messages": history("x")},
            "tool_choice",
        ),
        (
            {
                "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
                "tools": [{"functionDeclarations": [{"name": "f"}]}],
                "contents": [
                    {"role": "user", "parts": [{"text": "go"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"n": 1}}}]},
                ],
            },
            "toolConfig",
        ),
    ],
)
def test_forced_choice_wherever_the_record_says_it(document: dict[str, Any], path: str) -> None:
    """In settings of their own, as a named tool, and as Gemini's mode; a repair leaves none of it."""
    assert [at for code, _, at in found(document) if code == "LOOP02"] == [path]
    (conversation,) = formats.read(json.dumps(document))
    assert "LOOP02" not in [f.code for f in lint(repair(conversation).conversation)]


def items(*values: dict[str, Any]) -> list[Message]:
    """The messages of Responses items."""
    return formats.read(json.dumps({"input": list(values)}))[0].messages


def test_reasoning_item_without_what_it_led_to() -> None:
    """In the middle and at the end; a request's list is the whole of it."""
    assert found({"input": [USER, REASONING, USER]}) == [("RSN05", 1, "input[1]")]
    assert found({"input": [USER, REASONING]}) == [("RSN05", 1, "input[1]")]
    assert found({"input": [USER, REASONING, FUNCTION_CALL, OUTPUT]}) == []


def test_item_without_the_reasoning_that_led_to_it() -> None:
    """Seen only where the history before is there too, and for a target that asks for both."""
    before, after = items(USER, REASONING, FUNCTION_CALL, OUTPUT), items(USER, FUNCTION_CALL, OUTPUT)
    assert [(f.code, f.index, f.fixable) for f in lint_cut(before, after, "openai-responses")] == [("RSN05", 1, False)]
    assert lint_cut(before, after, "openai") == lint_cut(before, before, "openai-responses") == []


def test_deltas_alone_are_a_stream() -> None:
    """Chunks that are shortened to their deltas say the same as whole ones."""
    deltas: list[dict[str, Any]] = [{"content": "The cat"}, {"content": "The cat sat"}, {"content": "The cat sat down"}]
    whole = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    expected = [("STRM04", 2), ("STRM05", 1)]
    assert [(f.code, f.index) for f in lint_stream(deltas)] == [(f.code, f.index) for f in lint_stream(whole)] == expected
    ended = [*deltas, {"finish_reason": "stop", "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}}]
    assert [f.code for f in lint_stream(ended, recorded_usage={"completion_tokens": 8})] == ["STRM05", "USE04"]


def test_tokens_of_tools_are_part_of_a_total() -> None:
    """Gemini counts the prompt of its own tools apart."""
    body = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "toolUsePromptTokenCount": 7, "totalTokenCount": 22},
    }
    assert found(body) == []


def test_answer_without_any_text_is_no_blank_text() -> None:
    """A response may say nothing; sent back in a history it is refused."""
    body = {
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": "refusal",
        "usage": {"input_tokens": 1},
    }
    assert [code for code, _, _ in found(body)] == ["FIN04"]


def test_hits_and_misses_of_a_cache_are_the_prompt() -> None:
    """DeepSeek counts both."""
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6}
    body = {"model": "deepseek-chat", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}]}
    assert found({**body, "usage": usage}) == []
    assert found({**body, "usage": {**usage, "prompt_cache_miss_tokens": 3}}) == [("USE02", 0, "usage")]


def test_message_between_a_gemini_call_and_its_response() -> None:
    """It is moved behind the response; a turn with calls of its own is out of turn, which is told once."""
    call, response = {"functionCall": {"name": "f", "args": {}}}, {"functionResponse": {"name": "f", "response": {"n": 1}}}
    user, model = {"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [call]}
    contents = [user, model, {"role": "user", "parts": [{"text": "wait"}]}, {"role": "user", "parts": [response]}]
    assert found({"contents": contents}, "gemini") == [("PAIR03", 2, "contents[2]")]
    (conversation,) = formats.read(json.dumps({"contents": contents}))
    made = repair(conversation, "gemini").conversation
    assert [message.type for message in made.messages] == ["human", "ai", "tool", "human"]
    assert found({"contents": [user, model, {"role": "user", "parts": [{"text": "so"}, response]}]}, "gemini") == []
    both = [user, model, model, {"role": "user", "parts": [response, response]}]
    assert "PAIR03" not in [code for code, _, _ in found({"contents": both}, "gemini")]
