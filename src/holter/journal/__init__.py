"""Events, the journals that keep them, and what they come to; and the stores beside them.

May import: `holter.messages`, `holter.errors`.
"""

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
    "Store",
    "ThreadInfo",
    "follow",
]
