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
