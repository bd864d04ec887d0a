"""Calls that a model wrote as text, in the template markup of a known family, because its server did not parse them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from holter.messages.calls import decode_arguments
from holter.messages.content import Content


class Leak(msgspec.Struct, frozen=True):
    """Markup of calls in a text."""

    family: str
    """Whose markup it is."""
    start: int
    end: int
    """Where it begins and ends in the text."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """(name, arguments) of each call; empty where the markup is not whole or cannot be read."""


_Calls = tuple[tuple[str, dict[str, Any]], ...]


def leak_in(text: str, offered: frozenset[str] | None = None) -> Leak | None:
    """The first markup of calls in a text, outside code fences and not just spoken of. `offered` are the tools' names: a bare call, as
    JSON or as Python writes it, counts only when it names one."""
    if "<" in text or "[TOOL_CALLS]" in text:
        for family, pattern, read in _FAMILIES:
            found = pattern.search(text)
            for _ in range(_MOST_MARKS):
                if found is None:
                    break
                mark = _MARK.match(text, found.start())
                if not _is_fenced(text, found.start()) and not (mark is not None and _is_named_only(mark)):
                    return Leak(family, found.start(), found.end(), read(found))
                found = pattern.search(text, mark.end() if mark is not None else found.start() + 1)
    return _bare_call(text, offered) if offered else None


def first_leak(content: Content, offered: frozenset[str] | None = None) -> tuple[int | None, Leak | None]:
    """The first markup of calls in a content, and the position of the text block that it stands in; None for a text."""
    if isinstance(content, str):
        return None, leak_in(content, offered)
    for number, block in enumerate(content):
        text = block.get("text")
        if block.get("type") == "text" and isinstance(text, str) and (leak := leak_in(text, offered)) is not None:
            return number, leak
    return None, None


_MOST_MARKS = 100
_MARK = re.compile(r"<[^<>\n]*>|\[TOOL_CALLS\]")
_PROSE = re.compile(r"""["'”’»)\],.;:!?]|[ \t]+(?:[^\W\d_][\w'’-]*(?:[ \t,.;:!?)]|\Z)|[—–-][ \t])""")


def _is_named_only(mark: re.Match[str]) -> bool:
    """Whether a text only names a mark: it is quoted, a sentence goes on behind it, or the mark is closed with nothing in it."""
    is_empty = mark.group() in ("<tool_call>", "<function_calls>") and mark.string.startswith("</", mark.end())
    return is_empty or _PROSE.match(mark.string, mark.end()) is not None


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def _is_fenced(text: str, at: int) -> bool:
    """Whether the place lies inside a code fence, or between backticks in its line."""
    fence = ""
    for found in _FENCE.finditer(text, 0, at):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = ""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return bool(fence) or line.count("`") % 2 == 1


def _object(text: str) -> dict[str, Any] | None:
    try:
        return decode_arguments(text.strip() or "{}")
    except ValueError:
        return None


def _named(value: Any) -> tuple[str, dict[str, Any]] | None:
    """A call as `{"name": …, "arguments" or "parameters": {…}}`."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    body = inner if isinstance(inner, dict) else value
    name = body.get("name", inner if isinstance(inner, str) else None)
    args = body.get("arguments", body.get("parameters"))
    if isinstance(args, str):
        args = _object(args)
    return (name, args) if isinstance(name, str) and name and isinstance(args, dict) else None


def _json_calls(text: str) -> _Calls:
    """The calls of a JSON object, of a list, or of several objects behind one another."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text):
        while at < len(text) and text[at] in " \t\r\n;,":
            at += 1
        if at >= len(text):
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return ()
        for item in value if isinstance(value, list) else [value]:
            call = _named(item)
            if call is None:
                return ()
            found.append(call)
    return tuple(found)


def _parameters(text: str, pattern: re.Pattern[str]) -> dict[str, Any]:
    """The arguments of XML-like parameters; a value that is JSON and no plain text is decoded."""
    return {match["key"]: _value(match["value"]) for match in pattern.finditer(text)}


def _value(text: str) -> Any:
    stripped = text.strip()
    if stripped[:1] in "[{" or re.fullmatch(r"-?\d+(?:\.\d+)?|true|false|null", stripped):
        try:
            return msgspec.json.decode(stripped)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return stripped
    return text.strip("\n")


_INVOKE_PARAMETER = re.compile(r'<(?:antml:)?parameter name="(?P<key>[^"]+)"[^>]*>(?P<value>.*?)</(?:antml:)?parameter>', re.DOTALL)
_FUNCTION_PARAMETER = re.compile(r"<parameter=(?P<key>[^>\n]+)>(?P<value>.*?)</parameter>", re.DOTALL)
_GLM_PARAMETER = re.compile(r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>", re.DOTALL)


def _invokes(found: re.Match[str]) -> _Calls:
    inner = re.finditer(r'<(?:antml:)?invoke name="([^"]+)"\s*>(.*?)</(?:antml:)?invoke>', found.group(), re.DOTALL)
    return tuple((match[1], _parameters(match[2], _INVOKE_PARAMETER)) for match in inner)


def _functions(found: re.Match[str]) -> _Calls:
    inner = re.finditer(r"<function=([^>\s]+)>(.*?)</function>", found.group(), re.DOTALL)
    calls = []
    for match in inner:
        args = _parameters(match[2], _FUNCTION_PARAMETER)
        if not args and match[2].strip():
            whole = _object(match[2])
            if whole is None:
                return ()
            args = whole
        calls.append((match[1], args))
    return tuple(calls)


def _tool_calls(found: re.Match[str]) -> _Calls:
    """Hermes and Qwen (JSON inside), GLM (name and keys inside), Qwen coder (`<function=` inside)."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for match in re.finditer(r"<tool_call>(.*?)</tool_call>", found.group(), re.DOTALL):
        inner = match[1].strip()
        if inner.startswith("<function="):
            nested = re.fullmatch(r".*", inner, re.DOTALL)
            made = _functions(nested) if nested else ()
        elif inner.startswith(("{", "[")):
            made = _json_calls(inner)
        else:
            name = inner.partition("<arg_key>")[0].strip()
            made = ((name, _parameters(inner, _GLM_PARAMETER)),) if re.fullmatch(r"[\w.-]+", name) else ()
        if not made:
            return ()
        calls += made
    return tuple(calls)


def _kimi(found: re.Match[str]) -> _Calls:
    inner = re.finditer(
        r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>",
        found.group(),
        re.DOTALL,
    )
    return _with_objects((match[1], match[2]) for match in inner)


def _deepseek(found: re.Match[str]) -> _Calls:
    """V3 and R1: `function<sep>NAME`, a fence; V3.1: `NAME<sep>{…}`."""
    pieces = []
    for match in re.finditer(r"<｜tool▁call▁begin｜>(.*?)<｜tool▁sep｜>(.*?)<｜tool▁call▁end｜>", found.group(), re.DOTALL):
        head, body = match[1].strip(), match[2]
        if head == "function":
            name, _, rest = body.partition("\n")
            fenced = re.search(r"```(?:json)?\s*(.*?)```", rest, re.DOTALL)
            pieces.append((name.strip(), fenced[1] if fenced else rest))
        else:
            pieces.append((head, body))
    return _with_objects(pieces)


def _dsml(found: re.Match[str]) -> _Calls:
    calls = []
    for match in re.finditer(r'<｜DSML｜invoke name="([^"]+)">(.*?)</｜DSML｜invoke>', found.group(), re.DOTALL):
        pattern = r'<｜DSML｜parameter name="(?P<key>[^"]+)"(?P<kind>[^>]*)>(?P<value>.*?)</｜DSML｜parameter>'
        args = {
            p["key"]: p["value"] if 'string="true"' in p["kind"] else _value(p["value"]) for p in re.finditer(pattern, match[2], re.DOTALL)
        }
        calls.append((match[1], args))
    return tuple(calls)


def _with_objects(pairs: Any) -> _Calls:
    calls = []
    for name, text in pairs:
        args = _object(text)
        if args is None or not name:
            return ()
        calls.append((name, args))
    return tuple(calls)


def _harmony(found: re.Match[str]) -> _Calls:
    return _with_objects([(found["name"], found["args"])])


def _named_json(found: re.Match[str]) -> _Calls:
    """`[TOOL_CALLS]name{…}` and `[TOOL_CALLS]name[ARGS]{…}`, or a JSON list behind the mark."""
    text = found["body"].strip()
    if text.startswith(("[", "{")):
        return _json_calls(text)
    named = re.finditer(
        r"(?:\[TOOL_CALLS\])?\s*([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(\{.*?\})(?=\s*(?:\[TOOL_CALLS\]|\Z))", text, re.DOTALL
    )
    return _with_objects((match[1], match[2]) for match in named)


def _json_body(found: re.Match[str]) -> _Calls:
    return _json_calls(found["body"].strip())


def _family(
    name: str, pattern: str, read: Callable[[re.Match[str]], _Calls]
) -> tuple[str, re.Pattern[str], Callable[[re.Match[str]], _Calls]]:
    return name, re.compile(pattern, re.DOTALL), read


def _bare_call(text: str, offered: frozenset[str]) -> Leak | None:
    """A text that is nothing but the calls of offered tools, as JSON or as a Python list of calls: Llama writes them so."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or not stripped.endswith(("}", "]")):
        return None
    family, calls = "a call as bare JSON", _json_calls(stripped)
    if not calls:
        family, calls = "a call as Python writes it", _python_calls(stripped)
    if calls and all(name in offered for name, _ in calls):
        start = text.index(stripped)
        return Leak(family, start, start + len(stripped), calls)
    return None


_LONGEST_PYTHON = 100_000


def _python_calls(text: str) -> _Calls:
    """The calls of a list `[f(a=1), g()]`; none where it is anything else."""
    if not re.match(r"\[\s*[A-Za-z_][\w.]*\(", text) or len(text) > _LONGEST_PYTHON:
        return ()
    try:
        listed = ast.parse(text, mode="eval").body
        return tuple(_python_call(call) for call in listed.elts) if isinstance(listed, ast.List) else ()
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()


def _python_call(call: ast.expr) -> tuple[str, dict[str, Any]]:
    """The name and the named arguments of a call. ValueError where it is none, or has others."""
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name | ast.Attribute):
        raise ValueError("no call with named arguments")
    if any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("arguments without a name")
    return ast.unparse(call.func), {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def _python_body(found: re.Match[str]) -> _Calls:
    return _python_calls(found["body"].strip())


_FAMILIES = (
    _family(
        "Kimi markers",
        r"<\|tool_calls_section_begin\|>.*?(?:<\|tool_calls_section_end\|>|\Z)|<\|tool_call_begin\|>.*?(?:<\|tool_call_end\|>|\Z)",
        _kimi,
    ),
    _family(
        "DeepSeek tokens",
        r"<｜tool▁calls▁begin｜>.*?(?:<｜tool▁calls▁end｜>|\Z)|<｜tool▁call▁begin｜>.*?(?:<｜tool▁call▁end｜>|\Z)",
        _deepseek,
    ),
    _family("DeepSeek DSML", r"<｜DSML｜(?:function_calls|tool_calls|invoke\b).*?(?:</｜DSML｜(?:function_calls|tool_calls)>|\Z)", _dsml),
    _family("a <tool_call> block", r"<tool_call>.*</tool_call>|<tool_call>.*\Z", _tool_calls),
    _family(
        "an <invoke> block",
        r'<(?:antml:)?function_calls>.*?(?:</(?:antml:)?function_calls>|\Z)|<(?:antml:)?invoke name=".*(?:</(?:antml:)?invoke>|\Z)',
        _invokes,
    ),
    _family("a <function=…> block", r"<function=[\w.-]+>.*(?:</function>|\Z)", _functions),
    _family("Llama python_tag JSON", r"<\|python_tag\|>(?P<body>.*?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)", _json_body),
    _family(
        "Harmony channel markup",
        r"<\|channel\|>\w*\s*to=(?:functions\.)?(?P<name>[\w.-]+).*?<\|message\|>(?P<args>.*?)(?:<\|call\|>|\Z)",
        _harmony,
    ),
    _family("a <|tool_call|> list", r"<\|tool_call\|>(?P<body>.*?)(?:<\|/tool_call\|>|\Z)", _json_body),
    _family("a <|tool_call_start|> list", r"<\|tool_call_start\|>(?P<body>.*?)(?:<\|tool_call_end\|>|\Z)", _python_body),
    _family("Mistral [TOOL_CALLS]", r"\[TOOL_CALLS\](?P<body>.*)\Z", _named_json),
)
"""Families, the most specific first; each pattern also matches what is not closed."""


def without(text: str, leak: Leak) -> str:
    """The text without the markup, and without the blank that stood around it."""
    return f"{text[: leak.start].rstrip()}\n{text[leak.end :].lstrip()}".strip("\n")


_SCAFFOLD = re.compile(
    r"EXECUTION RESULT of \[|OBSERVATION:|<tool_response>|<function_results>|<tool_result>|<returncode>|\[Tool result\]|<observation>",
    re.IGNORECASE,
)
"""How the result of a call that is text by design is written in the next user message."""


def is_by_design(system: Iterator[str], following: str | None) -> bool:
    """Whether calls are text in this log on purpose: the system message shows the markup, or the next message holds the result."""
    if following is not None and _SCAFFOLD.search(following[:2_000]):
        return True
    shown = ("<function=", "<invoke", "<tool_call>", "<function_calls>", "<|tool_call", "[TOOL_CALLS]", "<｜")
    return any(mark in text for text in system for mark in shown)
