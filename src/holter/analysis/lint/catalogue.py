"""The rules there are: one module each under `rules/`, discovered."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from holter.analysis.lint.rule import Rule

_PACKAGE = "holter.analysis.lint.rules"
_ORDER = ("PAIR", "TRIM", "ID", "ARG", "NAME", "STRM", "LEAK", "FIN", "ROLE", "RSN", "CONT", "USE", "LOOP", "RUN", "TOOL", "READ")


def _discovered() -> tuple[Rule, ...]:
    folder = str(Path(__file__).parent / "rules")
    found = [importlib.import_module(f"{_PACKAGE}.{module.name}").RULE for module in pkgutil.iter_modules([folder])]
    return tuple(sorted(found, key=_order))


def _order(rule: Rule) -> tuple[int, str]:
    return _ORDER.index(rule.code.rstrip("0123456789")), rule.code


RULES: tuple[Rule, ...] = _discovered()
"""Every rule, in the catalogue's order."""

_NAMED = {key: rule for rule in RULES for key in (rule.code, rule.name)}


def rule_named(name: str) -> Rule | None:
    """The rule of this code or name; None when there is none."""
    return _NAMED.get(name)


def selected(patterns: tuple[str, ...]) -> frozenset[str]:
    """Codes of the rules that these codes, beginnings of codes ("PAIR") or names mean. ValueError names a pattern that means none."""
    found: set[str] = set()
    for pattern in patterns:
        if pattern.upper() == "ALL":
            found.update(rule.code for rule in RULES)
            continue
        meant = {rule.code for rule in RULES if rule.name == pattern or rule.code.startswith(pattern.upper())}
        if not meant:
            raise ValueError(f"{pattern!r} is no rule's code or name, nor the beginning of a code")
        found |= meant
    return frozenset(found)
