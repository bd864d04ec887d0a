"""What a test suite of an agent can check of its messages.

May import: `holter.analysis`, and what that may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from holter import formats
from holter.analysis.lint import Linter, lint_messages
from holter.analysis.lint.catalogue import selected
from holter.analysis.lint.rules import unserialisable_value
from holter.formats.form import tool_specs
from holter.messages import Conversation, Finding, Message, Severity, ToolSpec
from holter.tools.tool import Tool

_RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}


def assert_clean(
    messages: Sequence[Message] | Sequence[dict[str, Any]] | Conversation,
    target: str | None = None,
    *,
    tools: Sequence[ToolSpec | Tool | dict[str, Any]] | None = None,
    fail_on: Severity = "warning",
    ignore: Iterable[str] = (),
) -> None:
    """Raises AssertionError, with every finding, where a history breaks a rule that is `fail_on` or worse.

    `messages` are Holter's messages, or those of any format that Holter reads, as plain objects. `target` is the provider they are for;
    `tools` are those that were offered; `ignore` are codes of rules, beginnings of codes, or names. ValueError for one that there is not.
    """
    left_out = selected(tuple(ignore))
    given: Any = messages if isinstance(messages, Conversation) else list(messages)
    specs = None if tools is None else [_spec(tool) for tool in tools]
    if isinstance(given, list) and given and not any(isinstance(message, dict) for message in given):
        found = lint_messages(given, target, tools=specs, ignore=left_out)
    else:
        linter = Linter(target, ignore=left_out)
        found = [f for f in _unwritable(given) if f.code not in left_out]
        found += [f for conversation in _conversations(given, specs) for f in linter.check(conversation)]
    bad = [f for f in found if _RANK[f.severity] >= _RANK[fail_on]]
    if bad:
        raise AssertionError("\n".join([f"{len(bad)} finding{'' if len(bad) == 1 else 's'}:", *map(_line, bad)]))


def _spec(tool: ToolSpec | Tool | dict[str, Any]) -> ToolSpec:
    """A tool's declaration. ValueError for an object that is none."""
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, Tool):
        return tool.spec
    found = tool_specs([tool])
    if not found:
        raise ValueError(f"{tool!r} declares no tool")
    return found[0]


def _conversations(given: Any, tools: list[ToolSpec] | None) -> list[Conversation]:
    if isinstance(given, Conversation):
        return [given]
    found = formats.read(msgspec.json.encode(given)) if given else []
    return found if tools is None else [msgspec.structs.replace(one, tools=tools, tools_known=True) for one in found]


def _unwritable(given: Any) -> list[Finding]:
    """Values in plain objects that JSON cannot hold: they would be lost, or something else, when the messages are read."""
    if isinstance(given, Conversation):
        return []
    rule = unserialisable_value.RULE
    odd = [(at, what) for at, message in enumerate(given) if (what := unserialisable_value.first_odd(message)) is not None]
    return [
        Finding(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            text=f"{what} stands in the message; JSON has no form for it",
            message=at,
            index=at,
            path=f"[{at}]",
            fixable=True,
        )
        for at, what in odd
    ]


def _line(finding: Finding) -> str:
    at = finding.path or (f"message {finding.message}" if finding.message is not None else "the whole log")
    return f"  {finding.severity} {finding.code} {finding.name} at {at}: {finding.text}" + (f" ({finding.hint})" if finding.hint else "")
