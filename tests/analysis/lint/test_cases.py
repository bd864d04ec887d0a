"""Flows that broke somebody's agent, and what the linter says of each: `tests/cases/lint/flows.jsonl`."""

import json
from pathlib import Path
from typing import Any

import pytest

from holter import formats
from holter.analysis.lint import lint, lint_all, lint_cut, lint_stream, lint_trace
from holter.analysis.repair import repair
from holter.messages import Finding, Message

CASES = [json.loads(line) for line in (Path(__file__).parents[2] / "cases/lint/flows.jsonl").read_text("utf-8").splitlines()]
READ = [case for case in CASES if case["input_format"] not in ("trace", "openai.trim", "openai.stream")]


def messages(value: Any) -> list[Message]:
    """The messages of a list of OpenAI chat messages."""
    return formats.read(json.dumps(value))[0].messages


def findings(case: dict[str, Any]) -> list[Finding]:
    """What the linter says of a case."""
    given, target = case["input"], case["input"].get("target")
    match case["input_format"]:
        case "trace":
            return lint_trace(given["events"])
        case "openai.trim":
            return lint_cut(messages(given["before"]), messages(given["after"]), target)
        case "openai.stream":
            return lint_stream(given["chunks"], target, recorded_usage=given.get("recorded_usage"))
        case _:
            return lint_all(formats.read(json.dumps(given)), target)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['kind']}")
def test_case(case: dict[str, Any]) -> None:
    """Every expected finding at its place, and nothing else but companions."""
    found = findings(case)
    left = [(f.code, f.index, f.severity, f.fixable) for f in found]
    for expected in case["expect"]:
        left.remove((expected["rule"], expected["index"], expected["severity"], expected["fixable"]))
        if expected["path"]:
            assert any((f.path or "").endswith(expected["path"]) for f in found if f.code == expected["rule"])
    assert [one for one in left if one[0] not in case["companions"]] == []


@pytest.mark.parametrize("case", READ, ids=lambda case: f"{case['id']}-{case['kind']}")
def test_case_repaired(case: dict[str, Any]) -> None:
    """A repair leaves no error that it could put right, also after being written and read again; a second one changes nothing."""
    target = case["input"].get("target")
    for conversation in formats.read(json.dumps(case["input"])):
        made = repair(conversation, target).conversation
        assert [f for f in lint(made, target) if f.fixable and f.severity == "error"] == []
        assert repair(made, target).conversation is made
        document = formats.write(made, made.format).document
        again = formats.read(json.dumps(document))
        assert [f for f in lint_all(again, target) if f.fixable and f.severity == "error"] == []
        if case["negative"]:
            assert made is conversation
