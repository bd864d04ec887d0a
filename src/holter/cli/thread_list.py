"""Threads as a list: for a person in columns, for a program as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.text import Text

from holter.cli.output import text_console, width, write_bytes
from holter.journal.event import MessageAdded, RunStarted
from holter.journal.fold import Fold
from holter.journal.journal import Journal
from holter.journal.thread import ThreadInfo
from holter.messages import Conversation
from holter.render import json
from holter.render.control import one_line
from holter.render.listing import first_words
from holter.render.quantity import amount
from holter.render.redact import Level
from holter.render.redact import redact as redacted
from holter.render.span import span
from holter.render.wrap import cells, pad, shorten

_BEGINNING = 10
"""How many events are read for a thread's first words."""
_COLUMNS = (("thread", 24), ("status", 11), ("events", 7), ("changed (UTC)", 16))
_GAP = "  "


async def words(journal: Journal, info: ThreadInfo, level: Level | None) -> str:
    """What was said first in the thread."""
    entries = await journal.read(info.id, 0, _BEGINNING)
    said = [entry for entry in entries if isinstance(entry.event, MessageAdded | RunStarted)]
    if not said:
        return ""
    fold = Fold.of(entries)
    conversation = Conversation(format="holter.journal", messages=fold.redaction.value(fold.messages()))
    return first_words(redacted(conversation, level) if level else conversation)


def print_json(infos: Sequence[ThreadInfo], begins: Sequence[str]) -> None:
    """One line for each thread."""
    for info, said in zip(infos, begins, strict=True):
        fields = {
            "type": "thread",
            "id": info.id,
            "status": info.status,
            "events": info.length,
            "created": _iso(info.created),
            "updated": _iso(info.updated),
            "forked_from": info.forked_from,
            "at": info.at,
            "begins_with": said,
        }
        write_bytes(json.line(fields))


def print_text(infos: Sequence[ThreadInfo], begins: Sequence[str]) -> None:
    """One line for each thread, under the names of the columns."""
    console = text_console()
    console.print(span(_row([name for name, _ in _COLUMNS]) + _GAP + "begins with", "dim"))
    for info, said in zip(infos, begins, strict=True):
        console.print(_line(info, said))


def _line(info: ThreadInfo, said: str) -> Text:
    row = _row([one_line(info.id), info.status, amount(info.length), f"{info.updated_at:%Y-%m-%d %H:%M}"])
    line = span(row)
    if info.status == "failed":
        line.stylize("bold red", len(row) - len(row[_COLUMNS[0][1] :]), len(row))
    return line + span(_GAP + shorten(said, max(width() - cells(row) - len(_GAP), 20)), "dim")


def _row(values: list[str]) -> str:
    return _GAP.join(
        value.rjust(size) if name == "events" else pad(value, size) for value, (name, size) in zip(values, _COLUMNS, strict=True)
    )


def _iso(ts: float) -> str:
    return datetime.fromtimestamp(ts, UTC).isoformat()
