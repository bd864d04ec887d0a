"""Numbers of many conversations: messages, calls, errors, tokens, cost, times. Each conversation is taken in and let go.

May import: `holter.models`, `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`.
"""

from holter.analysis.stats.group import GROUPINGS, Grouping, Groups
from holter.analysis.stats.tally import Tally, ToolTally

__all__ = ["GROUPINGS", "Grouping", "Groups", "Tally", "ToolTally"]
