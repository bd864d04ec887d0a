"""Questions in SQL."""

import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings

from holter.analysis.query import TABLES, Database, QueryError
from holter.analysis.query.table import rows
from holter.messages import AIMessage, Conversation, HumanMessage, Message, ToolMessage
from tests.strategies import broken_histories

pytest.importorskip("duckdb")

USAGE = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
RUN: list[Message] = [
    HumanMessage("天气？", ts=datetime(2026, 3, 1, tzinfo=UTC)),
    AIMessage("", tool_calls=[{"name": "w", "args": {"city": "Rome"}, "id": "a", "type": "tool_call"}], usage_metadata=USAGE),
    ToolMessage("Error: none", tool_call_id="a"),
    AIMessage("\ud800", response_metadata={"model_name": "m"}),
]


def ask(query: str, *conversations: list[Message]) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with Database() as database:
        for position, messages in enumerate(conversations):
            database.add(Conversation(format="x", messages=messages, position=position))
        return database.ask(query).rows


def test_tables() -> None:
    """Each holds what its name says."""
    assert ask("select messages, steps, calls from conversations", RUN, RUN[:1]) == [(4, 2, 1), (1, 0, 0)]
    assert ask("select message, type, text from messages where type = 'human'", RUN) == [(0, "human", "天气？")]
    assert ask("select tool, args ->> 'city', result from calls", RUN) == [("w", "Rome", 2)]
    assert ask("select call_message, tool, failed from results", RUN) == [(1, "w", True)]
    assert ask("select step, input_tokens, total_tokens from usage", RUN) == [(0, 5, 7)]
    assert ask("select begun from conversations", RUN) == [(datetime(2026, 3, 1),)]  # noqa: DTZ001 - DuckDB's plain timestamp


def test_columns_are_those_that_are_documented() -> None:
    """Every table, also an empty one."""
    for table, columns in TABLES.items():
        with Database() as database:
            assert database.ask(f"select * from {table}").columns == [column.name for column in columns]


def test_a_wrong_query_is_an_error() -> None:
    """In the words of the database."""
    with pytest.raises(QueryError, match=r"nowhere"):
        ask("select * from nowhere", RUN)


def test_without_duckdb_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the database is made."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r'pip install "holter\[duckdb\]"'):
        Database()


@given(broken_histories())
def test_rows_have_the_columns(messages: list[Message]) -> None:
    """Whatever a conversation holds."""
    for table, row in rows(Conversation(format="x", messages=messages)):
        assert list(row) == [column.name for column in TABLES[table]]


@given(broken_histories())
@settings(max_examples=5)
def test_any_history_can_be_asked(messages: list[Message]) -> None:
    """All its messages are there."""
    assert ask("select count(*) from messages", messages) == [(len(messages),)]
