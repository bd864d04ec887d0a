"""Events, the journals that keep them, and what they come to; and the stores beside them.

May import: `holter.messages`, `holter.errors`.
"""

from typing import TYPE_CHECKING, Any

from holter.journal.entry import Entry
from holter.journal.event import Event
from holter.journal.fold import Fold
from holter.journal.journal import Journal, follow
from holter.journal.lease import Lease
from holter.journal.memory import MemoryJournal
from holter.journal.memory_store import MemoryStore
from holter.journal.store import Item, Store
from holter.journal.thread import ThreadInfo
from holter.journal.values import Field

if TYPE_CHECKING:
    from holter.journal.postgres import PostgresJournal
    from holter.journal.sqlite import SQLiteJournal

__all__ = [
    "Entry",
    "Event",
    "Field",
    "Fold",
    "Item",
    "Journal",
    "Lease",
    "MemoryJournal",
    "MemoryStore",
    "PostgresJournal",
    "SQLiteJournal",
    "Store",
    "ThreadInfo",
    "follow",
]


def __getattr__(name: str) -> Any:
    """The journals that need a database's code, which nobody pays for who does not use them."""
    match name:
        case "PostgresJournal":
            from holter.journal.postgres import PostgresJournal

            return PostgresJournal
        case "SQLiteJournal":
            from holter.journal.sqlite import SQLiteJournal

            return SQLiteJournal
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
