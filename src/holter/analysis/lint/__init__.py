"""The linter: one rule a file under `rules/`, each a function over an index that is computed once for a conversation.

Names are loaded when they are first used: a run whose messages are plain never needs the rules.

May import: what `holter.analysis` may.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holter.analysis.lint.catalogue import RULES, rule_named
    from holter.analysis.lint.run import Linter, lint, lint_all, lint_cut, lint_messages, lint_stream, lint_thread, lint_trace

_HOMES = {
    "catalogue": ("RULES", "rule_named"),
    "run": ("Linter", "lint", "lint_all", "lint_cut", "lint_messages", "lint_stream", "lint_thread", "lint_trace"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["RULES", "Linter", "lint", "lint_all", "lint_cut", "lint_messages", "lint_stream", "lint_thread", "lint_trace", "rule_named"]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
