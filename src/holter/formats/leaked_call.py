"""Calls that stand in an answer's text, in a model's own markup, since the server that should have read them did not.

Taken are only calls that are whole, of a tool that was offered, and not inside of code: everything else is text that a model may well
write.
Markup: DeepSeek V3, V3.1 and V3.2; Kimi K2; Hermes and Qwen; Qwen coder; GLM; Llama 3; Mistral; and the `<invoke>` of Claude and MiniMax.
Source: the chat templates of these models, and reports of servers that missed them, seen 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from holter.formats.decode import strict_json
from holter.messages import AIMessage, ToolSpec
from holter.messages.content import text_of


class Recovered(msgspec.Struct, frozen=True):
    """An answer with the calls that stood in its text."""

    message: AIMessage
    """The answer: the calls where they belong, and the text without their markup, which would make the model write it again."""
    raw: str
    """The markup, as it stood."""
    field: str
    """Where it stood: "content" or "reasoning"."""


def recover(message: AIMessage, tools: Sequence[ToolSpec], *, prefix: str = "recovered") -> Recovered | None:
    """The answer with its leaked calls recovered; None where it has calls already, or none that can be taken. In the reasoning they are
    looked for only where the answer has no content. `prefix` begins the ids of calls whose markup has none."""
    if message.calls or not tools:
        return None
    offered = {spec.name: spec for spec in tools}
    text = text_of(message.content)
    field, looked_at = ("content", text) if text.strip() else ("reasoning", message.reasoning or "")
    found = _find(looked_at, offered, prefix)
    if found is None:
        return None
    calls, start, end = found
    left = _without(looked_at, start, end)
    changes: dict[str, Any] = {"content" if field == "content" else "reasoning": left if field == "content" else left or None}
    return Recovered(message.replace(tool_calls=calls, **changes), looked_at[start:end], field)


_Found = tuple[list[dict[str, Any]], int, int]
_Body = tuple[str, Any, str | None]
"""Name, arguments, and the id where the markup has one."""


def _find(text: str, offered: Mapping[str, ToolSpec], prefix: str) -> _Found | None:
    """The calls, and where their markup begins and ends; None unless all that looks like a call can be taken."""
    if "<" not in text and "[TOOL_CALLS]" not in text:  # with one of which all of them begin
        return None
    for pattern, bodies in _FAMILIES:
        matches = [match for match in pattern.finditer(text) if not _is_code(text, match.start())]
        if not matches:
            continue
        read = [body for match in matches for body in bodies(match)]
        calls = [None if body is None else _call(body, f"{prefix}_{position}", offered) for position, body in enumerate(read)]
        whole = [call for call in calls if call is not None]
        if whole and len(whole) == len(calls):
            return whole, matches[0].start(), matches[-1].end()
    return None


def _call(body: _Body, made_id: str, offered: Mapping[str, ToolSpec]) -> dict[str, Any] | None:
    name, arguments, call_id = body
    name = name.strip()
    spec = offered.get(name)
    if spec is None or not isinstance(arguments, dict):
        return None
    return {"name": name, "args": _typed(arguments, spec), "id": call_id or made_id, "type": "tool_call"}


class _Text(str):
    """A value of XML markup, which does not say its type."""


def _typed(arguments: dict[str, Any], spec: ToolSpec) -> dict[str, Any]:
    """The arguments with each value of XML markup as its schema has it: text where it may be text, else JSON."""
    properties = spec.parameters.get("properties")
    schemas = properties if isinstance(properties, dict) else {}
    return {key: _value(value, schemas.get(key)) if isinstance(value, _Text) else value for key, value in arguments.items()}


def _value(text: str, schema: Any) -> Any:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    if kinds == "string" or (isinstance(kinds, list) and "string" in kinds):
        return str(text)
    try:
        return strict_json(text.strip().encode())
    except (ValueError, UnicodeError):
        return str(text)


def _is_code(text: str, at: int) -> bool:
    """Whether a position lies in a fenced block, or behind an open backtick of its paragraph."""
    before = text[:at]
    if len(re.findall(r"^[ \t]*(?:```|~~~)", before, re.MULTILINE)) % 2:
        return True
    return before.rpartition("\n\n")[2].count("`") % 2 == 1


_STRAY = re.compile(r"(?:^|\n)[ \t]*(?:count|court|call|function_calls|tool_calls?)[ \t]*\n?\Z")
"""A word alone in the line before the markup, which is half of it."""


def _without(text: str, start: int, end: int) -> str:
    before, behind = _STRAY.sub("", text[:start]).rstrip(), text[end:].strip()
    return f"{before}\n\n{behind}" if before and behind else before or behind


# Families


def _json(text: str) -> Any:
    try:
        return strict_json(text.strip().encode())
    except (ValueError, UnicodeError):
        return None


def _named(value: Any) -> _Body | None:
    """A call written as one object with a name and arguments."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"]:
        return None
    arguments = next((value[key] for key in ("arguments", "parameters") if key in value), None)
    if isinstance(arguments, str):
        arguments = _json(arguments)
    return value["name"], arguments, value["id"] if isinstance(value.get("id"), str) else None


def _deepseek(match: re.Match[str]) -> Iterator[_Body | None]:
    for call in re.finditer(r"<｜tool▁call▁begin｜>(.*?)<｜tool▁sep｜>(.*?)<｜tool▁call▁end｜>", match[0], re.DOTALL):
        head, body = call[1].strip(), call[2].strip()
        if fenced := re.fullmatch(r"([^\n]+)\n```(?:json)?\n(.*?)\n?```", body, re.DOTALL):
            head, body = fenced[1].strip(), fenced[2]
        yield head, _json(body), None


def _kimi(match: re.Match[str]) -> Iterator[_Body | None]:
    pattern = r"<\|tool_call_begin\|>\s*(?:functions\.)?(.+?)(:\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>"
    for call in re.finditer(pattern, match[0], re.DOTALL):
        yield call[1], _json(call[3]), f"functions.{call[1].strip()}{call[2]}" if call[2] else None


def _tagged(match: re.Match[str]) -> Iterator[_Body | None]:
    """`<tool_call>` with JSON in it, with Qwen coder's function, or with GLM's keys and values."""
    body = match[1].strip()
    if body.startswith("{"):
        yield _named(_json(body))
    elif body.startswith("<function="):
        yield from (_function(inner) for inner in _FUNCTION.finditer(body))
    else:
        pairs = re.findall(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", body, re.DOTALL)
        name = body.partition("<arg_key>")[0].strip()
        yield (name, {key.strip(): _Text(value) for key, value in pairs}, None) if re.fullmatch(r"[\w.-]+", name) else None


def _function(match: re.Match[str]) -> _Body:
    pairs = re.findall(r"<parameter=([^>]+)>\n?(.*?)\n?</parameter>", match[2], re.DOTALL)
    return match[1], {key.strip(): _Text(value) for key, value in pairs}, None


def _functions(match: re.Match[str]) -> Iterator[_Body | None]:
    yield _function(match)


def _invoked(match: re.Match[str]) -> Iterator[_Body | None]:
    pattern = rf"<{_P}parameter\s+name=\"([^\"]+)\"[^>]*>(.*?)</{_P}parameter>"
    yield match[1], {key: _Text(value) for key, value in re.findall(pattern, match[2], re.DOTALL)}, None


def _python_tag(match: re.Match[str]) -> Iterator[_Body | None]:
    yield from (_named(_json(part)) for part in match[1].split(";") if part.strip())


def _mistral(match: re.Match[str]) -> Iterator[_Body | None]:
    value = _json(match[1])
    yield from (_named(item) for item in value) if isinstance(value, list) else (None,)


def _mistral_args(match: re.Match[str]) -> Iterator[_Body | None]:
    yield match[1], _json(match[2]), None


_P = r"(?:antml:|｜DSML｜)?"
_FUNCTION = re.compile(r"<function=([^>\s]+)>(.*?)</function>", re.DOTALL)

_FAMILIES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[_Body | None]]], ...] = (
    (re.compile(r"<｜tool▁calls▁begin｜>.*?<｜tool▁calls▁end｜>", re.DOTALL), _deepseek),
    (re.compile(r"<\|tool_calls_section_begin\|>.*?<\|tool_calls_section_end\|>", re.DOTALL), _kimi),
    (re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL), _tagged),
    (_FUNCTION, _functions),
    (
        re.compile(
            rf"(?:<(?:{_P}(?:function|tool)_calls|minimax:tool_call)>\s*)?<{_P}invoke\s+name=\"([^\"]+)\"[^>]*>(.*?)</{_P}invoke>"
            rf"(?:\s*</(?:{_P}(?:function|tool)_calls|minimax:tool_call)>)?",
            re.DOTALL,
        ),
        _invoked,
    ),
    (re.compile(r"<\|python_tag\|>\s*(\{.*\})\s*(?:<\|eom_id\|>|<\|eot_id\|>)?\s*\Z", re.DOTALL), _python_tag),
    (re.compile(r"\[TOOL_CALLS\]\s*(\[.*\])\s*\Z", re.DOTALL), _mistral),
    (re.compile(r"\[TOOL_CALLS\]\s*([\w.-]+)\s*\[ARGS\]\s*(\{.*\})\s*\Z", re.DOTALL), _mistral_args),
)
"""Each markup and what reads the calls in it; the first one that gives calls counts."""
