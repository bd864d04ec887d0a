"""What two conversations have in common, and where they part. Ids that a program made are not compared.

May import: `holter.formats`, `holter.messages`, `holter.errors`.
"""

from holter.analysis.diff.compare import compare
from holter.analysis.diff.difference import Change, Difference, Pair
from holter.analysis.diff.words import words

__all__ = ["Change", "Difference", "Pair", "compare", "words"]
