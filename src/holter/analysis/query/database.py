"""A DuckDB database of logs (duckdb 2.0, seen 2026-11): rows go to files of JSON lines first, since DuckDB reads those faster than it
takes rows one by one, and what is in memory stays small."""

from __future__ import annotations

import importlib
import os
import tempfile
from typing import IO, Any, Self

import msgspec

from holter.analysis.query.table import TABLES, rows
from holter.analysis.recorded import Recorded
from holter.analysis.stats.step import NO_TIMES, Times
from holter.errors import HolterError
from holter.messages import Conversation

_LARGEST_ROW = 1 << 30


class QueryError(HolterError):
    """A query that the database refuses; the text says why."""


class Answer(msgspec.Struct, frozen=True):
    """What a query gives."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


class Database:
    """Takes conversations in, and answers queries once all are in. To be used in a `with` statement, which removes what it wrote."""

    def __init__(self, *, priced: bool = False) -> None:
        """ImportError, which names the extra, where duckdb is not installed."""
        self._duckdb = _duckdb()
        self._priced = priced
        self._folder = tempfile.TemporaryDirectory(prefix="holter-query-")
        self._files: dict[str, IO[bytes]] = {name: open(self._path(name), "wb") for name in TABLES}  # noqa: SIM115 - closed below
        self._connection: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()
        if self._connection is not None:
            self._connection.close()
        self._folder.cleanup()

    def add(self, given: Conversation | Recorded) -> None:
        """Takes in the next conversation, or the next thread of a journal."""
        if isinstance(given, Conversation):
            found = rows(given, NO_TIMES, priced=self._priced)
        else:
            found = rows(given.conversation, Times(given.model_s, given.tool_s), priced=self._priced)
        for table, row in found:
            self._files[table].write(_line(row))

    def ask(self, query: str) -> Answer:
        """What the query gives. QueryError when it is refused."""
        if self._connection is None:
            self._connection = self._opened()
        try:
            result = self._connection.execute(query)
            columns = [column[0] for column in result.description or ()]
            return Answer(columns, result.fetchall() if columns else [])
        except self._duckdb.Error as error:
            raise QueryError(" ".join(str(error).split())) from None

    def _opened(self) -> Any:
        connection = self._duckdb.connect(os.path.join(self._folder.name, "tables.duckdb"))
        for name, columns in TABLES.items():
            self._files[name].flush()
            types = {column.name: column.type for column in columns}
            connection.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_json(?, format='newline_delimited', columns={types}, "  # noqa: S608 - own names
                f"maximum_object_size={_LARGEST_ROW})",
                [self._path(name)],
            )
        return connection

    def _path(self, table: str) -> str:
        return os.path.join(self._folder.name, f"{table}.jsonl")


def _line(row: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(row, enc_hook=str) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which no encoding can say
        clean = msgspec.json.encode(_clean(row), enc_hook=str)
        return clean + b"\n"


def _clean(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_clean(key): _clean(item) for key, item in value.items()}
        case list() | tuple():
            return [_clean(item) for item in value]
        case _:
            return value


def _duckdb() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError as error:
        raise ImportError(f'queries need duckdb, which is not installed ({error}): pip install "holter[duckdb]"') from None
