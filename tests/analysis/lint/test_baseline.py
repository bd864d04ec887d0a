"""Old findings do not count, new ones do."""

import pytest

from holter.analysis.lint import lint_messages
from holter.analysis.lint.baseline import Baseline, written
from holter.analysis.lint.example import flow
from holter.errors import ReadError


def test_known_findings_are_taken_once() -> None:
    """A finding that was counted once is new when it comes twice."""
    (finding,) = lint_messages(flow("user go · calls a look · user well?"))
    baseline = Baseline(written([("log.json", finding)]))
    assert not baseline.knows("other.json", finding)
    assert baseline.knows("log.json", finding)
    assert not baseline.knows("log.json", finding)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "findings": 3}', '{"version": 9, "findings": {}}'])
def test_what_is_no_baseline_is_an_error(text: str) -> None:
    """Said in one sentence."""
    with pytest.raises(ReadError, match=r"is no baseline|of version 9"):
        Baseline(text, "known.json")
