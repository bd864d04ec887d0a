"""The linter: one rule a file under `rules/`, each a function over an index that is computed once for a conversation.

May import: what `holter.analysis` may.
"""

from holter.analysis.lint.catalogue import RULES, rule_named
from holter.analysis.lint.run import Linter, lint, lint_all, lint_cut, lint_messages, lint_stream, lint_trace

__all__ = ["RULES", "Linter", "lint", "lint_all", "lint_cut", "lint_messages", "lint_stream", "lint_trace", "rule_named"]
