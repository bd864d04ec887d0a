"""A tool name that the target does not take.

What:   names have the letters and length that the target allows (OpenAI: `^[A-Za-z0-9_-]{1,64}$`).
Why:    the request is refused.
Seen:   MCP tools with dots or slashes in their names.
Target: openai
Bad:    {"tools": [{"type": "function", "function": {"name": "fs.read file", "parameters": {}}}], "messages": [{"role": "user", "content": "x"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "fs_read-file", "parameters": {}}}], "messages": [{"role": "user", "content": "x"}]}
Source: https://portkey.ai/error-library/input-validation-error-10046 (seen 2026-11-30).
"""

import re
from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import Severity


def check(index: Index) -> Iterator[Found]:
    """Each offered tool, then the first call of each name, that does not fit; info beside NAME03 and NAME04."""
    demand = index.demand("NAME02")
    if demand is None or demand.pattern is None:
        return
    fits = re.compile(demand.pattern).fullmatch
    told: set[str] = set()
    for number, tool in enumerate(index.conversation.tools):
        if not fits(tool.name) and not tool.extra.get("type"):
            told.add(tool.name)
            text = f"the tool name {tool.name!r} does not fit {demand.pattern}"
            yield index.at(None, text, f"tools[{number}]", fixable=None if tool.name.strip() else False)
    narrower = {(call.message, call.position) for call, _, code, _ in index.odd_names if code in ("NAME03", "NAME04")}
    for at, message in index.answers:
        for position, call in enumerate(message.calls):
            name = call.get("name")
            if not isinstance(name, str) or not name.strip() or name in told or fits(name):
                continue
            told.add(name)
            severity: Severity | None = "info" if (at, position) in narrower else None
            text = f"the name {name!r} does not fit {demand.pattern}"
            yield index.at_call(index.call_at(at, position), text, "name", severity=severity)


RULE = Rule(
    code="NAME02",
    name="name-charset",
    severity="error",
    check=check,
    fix="an alias that can be turned back",
    needs=facts.CALLS | facts.OFFERED,
    profiled=True,
)
