"""Puts right what the linter found and a repair is safe for: one file for each kind of repair, each a function from messages to messages.

May import: what `holter.analysis` may.
"""

from holter.analysis.repair.repair import Repair, repair, repaired_messages

__all__ = ["Repair", "repair", "repaired_messages"]
