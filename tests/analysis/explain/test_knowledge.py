"""What is known of fields: every entry in both languages with its source, and every field of the formats that are covered."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from holter.analysis.explain.dictionary import dictionary, near
from holter.analysis.explain.document import documents
from holter.analysis.explain.entry import LANGUAGES
from holter.analysis.explain.explanation import explain
from holter.analysis.explain.knowledge import BOOKS, Known, entries, find, sources, vendor_of
from holter.analysis.explain.knowledge import book as book_of
from holter.analysis.explain.phrase import phrases
from holter.journal.event import Event
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLES = Path(__file__).parents[3] / "examples"

TUTORIALS = [
    *sorted((FIXTURES / "explained").iterdir()),
    FIXTURES / "tutorial" / "tool_nodes.md",
    FIXTURES / "documents" / "annotated.txt",
    FIXTURES / "documents" / "transcript.log",
    FIXTURES / "openai_chat" / "response.json",
    FIXTURES / "openai_responses" / "response.json",
    FIXTURES / "anthropic_messages" / "response.json",
    FIXTURES / "anthropic_stream" / "answer.jsonl",
    FIXTURES / "gemini_contents" / "response.json",
    FIXTURES / "gemini_stream" / "answer.jsonl",
    FIXTURES / "openai_stream" / "answer.jsonl",
    FIXTURES / "openai_responses_stream" / "answer.jsonl",
    EXAMPLES / "travel.json",
]
"""Logs with the fields that people meet in articles and answers."""


@pytest.mark.parametrize("known", list(entries()), ids=lambda known: f"{known.book}-{known.kind}-{known.field}")
def test_entry_is_whole(known: Known) -> None:
    """Both languages say the same things, the Chinese one in Chinese, and the source exists."""
    entry = known.entry
    assert entry.source in sources()
    assert all((entry.en.typical, entry.en.check, entry.zh.typical, entry.zh.check))
    assert any("\u4e00" <= letter <= "\u9fff" for letter in entry.zh.means)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in entry.en.means)
    assert entry.en.means.endswith(".")
    assert entry.zh.means.endswith("。")
    assert entry.unit == "" or entry.unit in phrases()["unit"]


def test_what_an_entry_holds_is_known() -> None:
    """A kind that is named has fields."""
    for known in entries():
        if known.inside:
            book, _, kind = known.inside.partition(".")
            others = {other.kind for other in entries() if other.book == book} | set(book_of(book).also)
            assert kind in others, known.inside


def test_every_phrase_has_both_languages() -> None:
    """With the same things to fill in, but for English endings."""
    for group in phrases().values():
        for name, texts in group.items():
            assert set(texts) == set(LANGUAGES), name


def test_unknown_share_of_what_people_meet_is_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Every field of such logs is explained; the share is printed."""
    count, unknown = 0, Counter[str]()
    for path in TUTORIALS:
        for document in documents(path.read_bytes(), path.name):
            explained = explain(document)
            count += len(explained.lines)
            unknown.update(explained.unknown)
    with capsys.disabled():
        print(f"\nunknown fields: {sum(unknown.values())} of {count} ({100 * sum(unknown.values()) / count:.1f} %)")
    assert count > 1_000
    assert unknown == {}


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_both_languages_explain_the_same(path: Path) -> None:
    """Every field is known in both or in neither."""
    for document in documents(path.read_bytes(), path.name):
        in_english, in_chinese = explain(document, "en"), explain(document, "zh")
        assert in_english.unknown == in_chinese.unknown
        assert [len(part) for part in in_english.account] == [len(part) for part in in_chinese.account]
        assert [len(line.notes) for line in in_english.lines] == [len(line.notes) for line in in_chinese.lines]


def test_an_unknown_field_is_listed() -> None:
    """With how often it occurs; what nobody knows is never passed over."""
    log = b'{"messages": [{"role": "user", "content": "hi", "mood": "good", "deep": {"x": 1}}], "mystery": [{"a": 1}]}'
    (document,) = documents(log, None)
    assert explain(document).unknown == {"messages[].mood": 1, "messages[].deep": 1, "mystery": 1}


def test_every_event_of_the_journal_is_known() -> None:
    """Also one that comes with a later version: a new field needs an entry."""
    for event in get_args(Event):
        for field in event.__struct_fields__:
            assert find("journal.event", field) is not None, f"{event.__name__}.{field}"
        tag = find("journal.event", "kind")
        assert tag is not None
        assert event.__struct_config__.tag in tag.entry.values


@pytest.mark.parametrize("kind", [HumanMessage, AIMessage, ToolMessage, SystemMessage])
def test_every_field_of_holters_messages_is_known(kind: type[HumanMessage]) -> None:
    """They stand in the journal."""
    for field in (*kind.__struct_fields__, "type"):
        assert find("langchain.message", field) is not None, field


def test_a_vendors_meaning_comes_first() -> None:
    """Qwen counts reasoning as text; others do not say."""
    assert (vendor_of("qwen3.5-flash"), vendor_of("deepseek-chat"), vendor_of("gpt-4o"), vendor_of(None)) == ("qwen", "deepseek", "", "")
    theirs = find("openai_chat.completion_details", "text_tokens", "qwen")
    plain = find("openai_chat.completion_details", "text_tokens", "")
    assert theirs is not None
    assert plain is not None
    assert "reasoning tokens are included" in theirs.entry.en.means
    assert "推理 token 包含在内" in theirs.entry.zh.means
    assert theirs.entry is not plain.entry


def test_what_only_a_vendor_knows_is_found_everywhere() -> None:
    """A server of many models may say DeepSeek's fields of any."""
    found = find("openai_chat.usage", "prompt_cache_hit_tokens", "")
    assert found is not None
    assert found.book == "deepseek"


def test_dictionary() -> None:
    """A name, or the end of a path, in each format that has it."""
    assert {meaning.title for meaning in dictionary("tool_call_id")} == {"LangChain", "OpenAI chat"}
    (usage,) = dictionary("response_metadata.token_usage")
    assert usage.path == "response_metadata.token_usage"
    assert {meaning.title for meaning in dictionary("messages[1].tool_calls[0].id")} >= {"LangChain", "OpenAI chat"}
    assert dictionary("nothing_of_this_name") == []
    assert "tool_call_id" in near("tool_call_ids")


def test_every_entry_is_in_the_dictionary() -> None:
    """By its own name."""
    for known in entries():
        if known.field != "*" and known.book in BOOKS:
            assert any(meaning.known.entry is known.entry for meaning in dictionary(known.field)), (
                f"{known.book}.{known.kind}.{known.field}"
            )
