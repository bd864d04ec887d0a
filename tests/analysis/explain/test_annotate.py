"""A log as JSON with comments."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given

from holter import formats
from holter.analysis.explain import annotated, explain
from holter.analysis.explain.document import documents
from holter.analysis.explain.entry import Language
from holter.errors import ReadError
from holter.messages import Conversation, Message
from tests.strategies import broken_histories

ROOT = Path(__file__).parents[3]
LOGS = [
    *(
        path
        for path in sorted((ROOT / "tests" / "fixtures").glob("*/*"))
        if path.suffix in (".json", ".jsonl", ".txt", ".md")
        and path.parent.name not in ("foreign", "documents", "tutorial")
        and "malformed" not in path.name
    ),
    ROOT / "tests" / "fixtures" / "documents" / "annotated.txt",
    ROOT / "tests" / "fixtures" / "documents" / "transcript.log",
    ROOT / "examples" / "travel.json",
]


def messages(conversations: list[Conversation]) -> list[list[dict[str, Any]]]:
    """What is compared: every field of every message."""
    return [[msgspec.structs.asdict(message) for message in each.messages] for each in conversations]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_it_opens_to_the_same_conversation(path: Path, language: Language) -> None:
    """Comments take nothing away and add nothing."""
    found = documents(path.read_bytes(), path.name)
    once = {id(document.values[0]): document for document in found}
    text = "\n".join(annotated(explain(document, language)) for document in once.values())
    assert messages(formats.read(text.encode())) == messages([document.conversation for document in found])


def test_comments_stand_as_in_an_annotated_log() -> None:
    """A banner for each message, a comment behind each field; what was said before is not said again."""
    (document,) = documents((ROOT / "tests" / "fixtures" / "explained" / "calculator.txt").read_bytes(), None)
    lines = annotated(explain(document, "zh")).splitlines()
    assert "    // 1. 模型请求调用 calculator" in lines
    assert '            "b": 6 // 用户说的，消息 0' in lines
    assert '            "operation": "multiply", // 前文没有：模型自己给出的' in lines
    assert '          "completion_tokens": 116, // 模型写出的全部：文字、调用参数和推理（无论是否展示）' in lines
    assert '          "completion_tokens": 45,' in lines


def test_calls_that_an_article_leaves_out() -> None:
    """They stand where they were left out, for an earlier part shows them; in either form of calls."""
    shown = '{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}'
    result = '{"role": "tool", "tool_call_id": "c1", "content": "ok"}'
    article = f"""First: [{{"role": "user", "content": "go"}}, {{"role": "assistant", "content": null, "tool_calls": [{shown}]}}]
Then: [{{"role": "user", "content": "go"}}, {{"role": "assistant", "content": null, "tool_calls": [...]}}, {result}]
"""
    found = documents(article.encode(), None)
    text = "".join(annotated(explain(document)) for document in found)
    assert text.count('"arguments": ') == 2
    assert messages(formats.read(text.encode())) == messages([document.conversation for document in found])


def test_arguments_in_text_say_where_they_come_from() -> None:
    """As those do that stand in an object."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city": "Rome"}'}}
    log = {"messages": [{"role": "user", "content": "Rome"}, {"role": "assistant", "content": None, "tool_calls": [call]}]}
    (document,) = documents(json.dumps(log).encode(), None)
    assert "text: JSON of 1 argument(s); city: said by the user, message 0\n" in annotated(explain(document))


@given(broken_histories())
def test_any_value_survives(history: list[Message]) -> None:
    """Whatever texts hold: line breaks, slashes, quotes."""
    from holter.formats.langchain_message import write_message

    log = json.dumps({"messages": [write_message(message) for message in history]}, default=str).encode()
    try:
        found = documents(log, None)
    except ReadError:
        return
    text = "".join(annotated(explain(document)) for document in found)
    assert messages(formats.read(text.encode())) == messages([document.conversation for document in found])
