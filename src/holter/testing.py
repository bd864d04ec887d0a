"""What a test suite of an agent can check of its messages.

May import: `holter.analysis`, and what that may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.json import encode

from holter import formats
from holter.analysis.lint import Linter
from holter.messages import Conversation, Finding, Message, Severity, ToolSpec

_RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}


def assert_clean(
    messages: Sequence[Message] | Sequence[dict[str, Any]] | Conversation,
    target: str | None = None,
    *,
    tools: Sequence[ToolSpec | dict[str, Any]] | None = None,
    fail_on: Severity = "warning",
    ignore: Iterable[str] = (),
) -> None:
    """Raises AssertionError, with every finding, where a history breaks a rule that is `fail_on` or worse.

    `messages` are Holter's messages, or those of any format that Holter reads, as plain objects. `target` is the provider they are for.
    """
    linter = Linter(target, ignore=ignore)
    found = [f for conversation in _conversations(messages, tools) for f in linter.check(conversation)]
    bad = [f for f in found if _RANK[f.severity] >= _RANK[fail_on]]
    if bad:
        raise AssertionError("\n".join([f"{len(bad)} finding{'' if len(bad) == 1 else 's'}:", *map(_line, bad)]))


def _conversations(messages: Any, tools: Sequence[ToolSpec | dict[str, Any]] | None) -> list[Conversation]:
    if isinstance(messages, Conversation):
        return [messages]
    given = list(messages)
    specs = [tool for tool in tools or () if isinstance(tool, ToolSpec)]
    if given and not any(isinstance(message, dict) for message in given):
        return [Conversation(format="holter.messages", messages=given, tools=specs, tools_known=tools is not None)]
    record: Any = given
    declared = [tool for tool in tools or () if isinstance(tool, dict)]
    if declared:
        record = {"messages": given, "tools": declared}
    return formats.read(encode(record)) if given else []


def _line(finding: Finding) -> str:
    at = finding.path or (f"message {finding.message}" if finding.message is not None else "the whole log")
    return f"  {finding.severity} {finding.code} {finding.name} at {at}: {finding.text}" + (f" ({finding.hint})" if finding.hint else "")
