"""Findings of the linter for other programs: SARIF 2.1.0, and GitHub's workflow commands.

Source: OASIS, SARIF 2.1.0 (2020-03-27); GitHub, workflow commands for Actions, seen 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from holter.analysis.lint.rule import Rule
from holter.messages import Finding

_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Iterable[tuple[str, Finding]], rules: Iterable[Rule], version: str) -> dict[str, Any]:
    """A SARIF log with one run; only rules that found something are described."""
    results = [_result(file, finding) for file, finding in found]
    used = {result["ruleId"] for result in results}
    described = [_described(rule) for rule in rules if rule.code in used]
    driver = {"name": "holter", "version": version, "rules": described}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(piece.capitalize() for piece in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
    }


def _result(file: str, finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line or 1} | ({"startColumn": finding.column} if finding.column else {})
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region}}
    if finding.path:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.path}]
    beside = {name: value for name in ("conversation", "message", "index", "fixable") if (value := getattr(finding, name)) is not None}
    return {
        "ruleId": finding.code,
        "level": _LEVEL[finding.severity],
        "message": {"text": _text(finding)},
        "locations": [location],
        "properties": beside,
    }


def _uri(file: str) -> str:
    return "stdin" if file == "-" else quote(file.replace("\\", "/"))


def _text(finding: Finding) -> str:
    return f"{finding.text} ({finding.hint})" if finding.hint else finding.text


_COMMAND = {"error": "error", "warning": "warning", "info": "notice"}


def github(file: str, finding: Finding) -> str:
    """The finding as a line that GitHub shows beside the file."""
    fields = [f"file={_property(file)}", f"line={finding.line or 1}"]
    if finding.column:
        fields.append(f"col={finding.column}")
    fields.append(f"title={_property(f'{finding.code} {finding.name}')}")
    at = f" at {finding.path}" if finding.path else ""
    return f"::{_COMMAND[finding.severity]} {','.join(fields)}::{_escaped(_text(finding) + at)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
