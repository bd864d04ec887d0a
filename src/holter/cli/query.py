"""`holter query`: questions about logs, in SQL."""

from __future__ import annotations

import csv
import io
import itertools

import click
import msgspec

from holter.analysis.query import TABLES, Answer, Database
from holter.cli.command import Command, redact_option
from holter.cli.gathering import Gathered, Gathering
from holter.cli.journal import journal_option
from holter.cli.output import text_console, width, write_bytes, writing
from holter.messages import Conversation
from holter.models.cost import check_prices
from holter.render import json
from holter.render.quantity import plural
from holter.render.redact import Level
from holter.render.redact import redact as redacted


@click.command(
    cls=Command,
    examples=[
        'holter query "select tool, count(*) as calls from calls group by tool order by calls desc" log.json',
        "holter query \"select message, text from messages where type = 'human'\" log.json --json",
        "holter query --tables",
    ],
)
@click.argument("query", required=False, metavar="SQL")
@click.argument("names", nargs=-1, metavar="[LOG|FOLDER|THREAD]...")
@click.option("--tables", is_flag=True, help="The tables and their columns.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each row.")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values.")
@journal_option
@redact_option
def command(
    query: str | None, names: tuple[str, ...], tables: bool, as_json: bool, as_csv: bool, journal: str | None, redact: Level | None
) -> int:
    """What SQL gives over the tables conversations, messages, calls, results and usage of LOG..., logs in any format, of all logs in
    FOLDER, or of threads. Without any, of all threads of the journal.

    The dialect is DuckDB's; JSON columns are taken apart with ->>. Needs the extra `duckdb`.
    """
    if tables:
        _print_tables()
        return 0
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two forms of the same rows; choose one")
    if not query:
        raise click.UsageError("a query is needed; `holter query --tables` shows what there is to ask")
    gathering = Gathering(names, journal)
    try:
        database = Database(priced=_has_prices())
    except ImportError as error:
        raise click.ClickException(str(error)) from None
    with database:
        for given in gathering.conversations():
            database.add(_redacted(given, redact) if redact else given)
        if not gathering.sources:
            return 2
        answer = database.ask(query)
    with writing():
        _print(answer, as_json=as_json, as_csv=as_csv)
    return 2 if gathering.unread else 0


def _redacted(given: Gathered, level: Level) -> Gathered:
    """The log without secrets, or without all that was said."""
    if isinstance(given, Conversation):
        return redacted(given, level)
    return msgspec.structs.replace(given, conversation=redacted(given.conversation, level))


def _has_prices() -> bool:
    try:
        check_prices()
    except ImportError:
        return False
    return True


def _print(answer: Answer, *, as_json: bool, as_csv: bool) -> None:
    from holter.render.table import table
    from holter.render.view import View

    if as_json:
        names = _apart(answer.columns)
        for row in answer.rows:
            write_bytes(json.line(dict(zip(names, map(_plain, row), strict=True))))
    elif as_csv:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
        write_bytes(text.getvalue().encode("utf-8", "backslashreplace"))
    else:
        console = text_console()
        for line in table(answer.columns, answer.rows, View(width=width())):
            console.print(line)
        console.print(plural(len(answer.rows), "row"))


def _apart(columns: list[str]) -> list[str]:
    """Names of columns, those that come again with a number: an object has each name once."""
    names: dict[str, None] = {}
    for column in columns:
        numbered = (f"{column}_{number}" for number in itertools.count(1))
        names[column if column not in names else next(name for name in numbered if name not in names)] = None
    return list(names)


def _plain(value: object) -> object:
    """A value of a row as JSON; what DuckDB gives as text of JSON stays text."""
    return value if isinstance(value, str | int | float | bool | type(None) | dict | list) else msgspec.to_builtins(value, enc_hook=str)


def _print_tables() -> None:
    console = text_console()
    for number, (name, columns) in enumerate(TABLES.items()):
        console.print(f"{chr(10) if number else ''}{name}")
        for column in columns:
            console.print(f"  {column.name:<18}{column.type:<11}{column.means}")
