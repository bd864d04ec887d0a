"""The values that a log's conversations were read from."""

from pathlib import Path

import pytest

from holter.analysis.explain.document import documents, follow
from holter.analysis.explain.walk import named

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("name", "kinds", "as_it_stands"),
    [
        ("explained/calculator.txt", ["langchain.state"], True),
        ("explained/weather.txt", ["langchain.state"], False),
        ("openai_chat/messages.jsonl", ["openai_chat.message"] * 5, True),
        ("openai_chat/request.json", ["openai_chat.record"], True),
        ("openai_responses/response.json", ["openai_responses.record"], True),
        ("anthropic_messages/response.json", ["anthropic.record"], True),
        ("anthropic_messages/malformed.json", ["anthropic.message"], True),
        ("gemini_interactions/turns.json", ["gemini.interaction"], True),
    ],
)
def test_kinds(name: str, kinds: list[str], as_it_stands: bool) -> None:
    """What stands in a file is told from its format and from where its messages stand."""
    document = documents((FIXTURES / name).read_bytes(), name)[0]
    assert (document.kinds, document.as_it_stands) == (kinds, as_it_stands)


def test_a_python_repr_becomes_json() -> None:
    """A message's class is its type."""
    text = "done: {'messages': [HumanMessage(content='hi', id='1'), AIMessage(content='hello', response_metadata={'a': None})]}"
    (document,) = documents(text.encode(), None)
    assert document.values == [
        {
            "messages": [
                {"type": "HumanMessage", "content": "hi", "id": "1"},
                {"type": "AIMessage", "content": "hello", "response_metadata": {"a": None}},
            ]
        }
    ]


def test_an_array_of_records_is_cut() -> None:
    """Each conversation has its own record."""
    log = b'[{"messages": [{"role": "user", "content": "a"}]}, {"messages": [{"role": "user", "content": "b"}]}]'
    first, second = documents(log, None)
    assert first.values[0]["messages"][0]["content"] == "a"
    assert second.values[0]["messages"][0]["content"] == "b"


def test_follow() -> None:
    """Paths as places have them."""
    value = {"a": [{"odd key": 1}]}
    assert follow(value, 'a[0]["odd key"]') == 1
    assert follow(value, "") is value
    with pytest.raises(KeyError):
        follow(value, "b")


def test_named() -> None:
    """A path without its positions."""
    assert named("messages[12].tool_calls[0].id") == "messages[].tool_calls[].id"
    assert named('a["odd key"].b') == 'a["odd key"].b'
