"""Every rule's own page: its bad example is reported, its good one is not."""

import importlib
from types import ModuleType

import pytest

from holter.analysis.lint import RULES, rule_named
from holter.analysis.lint.catalogue import selected
from holter.analysis.lint.example import findings_of, page_of
from holter.analysis.lint.rule import Rule


def module(rule: Rule) -> ModuleType:
    """Where a rule is defined."""
    return importlib.import_module(rule.check.__module__)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_bad_fires_and_good_does_not(rule: Rule) -> None:
    """The examples of the docstring are what it says they are."""
    page = page_of(module(rule).__doc__ or "")
    assert rule.code in [finding.code for finding in findings_of(page.bad, page.target)]
    assert findings_of(page.good, page.target) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_file_is_named_after_what_is_wrong(rule: Rule) -> None:
    """One rule a file, its own name in its file's name."""
    assert module(rule).__name__.rpartition(".")[2] == rule.name.replace("-", "_")


def test_codes_and_names_are_unique() -> None:
    """94 rules, each found by its code and by its name."""
    assert len(RULES) == len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == 94
    assert all(rule_named(rule.code) is rule is rule_named(rule.name) for rule in RULES)


def test_selection_by_code_beginning_and_name() -> None:
    """A beginning stands for all codes that begin so; what is none of it is an error."""
    assert selected(("ROLE0",)) == {f"ROLE0{n}" for n in range(1, 7)}
    assert selected(("unanswered-tool-call", "use01")) == {"PAIR01", "USE01"}
    with pytest.raises(ValueError, match="'NOPE' is no rule's code or name"):
        selected(("NOPE",))
