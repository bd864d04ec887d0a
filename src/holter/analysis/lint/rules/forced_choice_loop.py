"""A forced choice that stays on after the tool ran.

What:   `tool_choice: required`, or a named tool, is reset after the first result of a turn.
Why:    the model may not answer: it has to call a tool again, until a limit ends the run.
Seen:   settings that are made once for all steps of an agent.
Bad:    {"model": "m", "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "tool_choice": "required",
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"model": "m", "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "tool_choice": "auto",
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/superplanehq/superplane/issues/4123 (2026-04-14).
"""

from collections.abc import Iterator
from typing import Any

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """At most one finding: at the first call that was made after a result of the same turn, else about the request."""
    path, forced = next(((path, forced) for path, choice in _choices(index) if (forced := _forced(choice))), ("", None))
    if forced is None:
        return
    first_result = next((at for at, _ in index.results if at > index.turn_start), None)
    if first_result is None:
        return
    text = f"tool_choice is {forced} after a tool of this turn has run: the model may not answer"
    again = next((call for call in index.calls if call.message > first_result), None)
    hint = "reset it to auto after the first result"
    yield index.at(None, text, path, hint=hint) if again is None else index.at(again.message, text, hint=hint)


def _choices(index: Index) -> Iterator[tuple[str, Any]]:
    """Where the record says which tools have to be called, and what it says there; Gemini's mode as OpenAI would say it."""
    record = index.conversation.extra
    for path, fields in (("", record), *((f"{key}.", record[key]) for key in ("params", "config", "request") if key in record)):
        if not isinstance(fields, dict):
            continue
        yield from ((f"{path}{key}", fields[key]) for key in ("tool_choice", "toolChoice") if key in fields)
        for key, name in (("toolConfig", "functionCallingConfig"), ("tool_config", "function_calling_config")):
            inner = fields.get(key)
            config = inner.get(name) if isinstance(inner, dict) else None
            if isinstance(config, dict) and str(config.get("mode")).upper() == "ANY":
                yield f"{path}{key}", "any"


def _forced(choice: Any) -> str | None:
    if isinstance(choice, str):
        return choice if choice in ("required", "any") else None
    if not isinstance(choice, dict):
        return None
    if choice.get("type") in ("auto", "none", "allowed_tools"):
        return None
    function = choice.get("function")
    name = choice.get("name") or (function.get("name") if isinstance(function, dict) else None)
    return str(name or choice.get("type") or "forced")


RULE = Rule(code="LOOP02", name="forced-choice-loop", severity="warning", check=check, fix="reset it to auto", needs=facts.SETTINGS)
