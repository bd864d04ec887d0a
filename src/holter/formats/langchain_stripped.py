"""Reprs of LangChain messages whose quotes and `=` were stripped by a blog engine.

Shape:  `AIMessage(contenthello, additional_kwargs{refusal: None}, …)`, with or without the spaces behind commas and colons.
Source: blog platforms, seen 2026; the order of fields is that of langchain-core 1.8.
Lost:   quotes, apostrophes and `=` inside texts; whether a value was text or a number; where a text with commas, colons or brackets
        ends, unless a field that is always there follows.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

UNKNOWN = (
    "quotes and `=` were stripped from this repr and put back; quotes, apostrophes and `=` inside texts, whether a value was text or a "
    "number, and whether commas and colons inside arguments were text, cannot be known"
)
"""What is said of every stripped repr."""

_START = re.compile(r"\b(?:Human|AI|System|Tool|Function|Chat|Remove)Message(?:Chunk)?\(content(?!\s*=)")
_BETWEEN = re.compile(r"[\s,\[\]{}()]*+(?:[\w-]++:\s?\{messages:\s?\[?)?\s*+")
_BRACED = "additional_kwargs|response_metadata|usage_metadata|invalid_tool_calls|tool_calls|tool_call_chunks"
_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-|run-|run--|lc_run-|msg_|resp_|chatcmpl|call_|toolu_"
_FIELD = (
    rf"(?P<braced>{_BRACED})(?=[\[{{])|(?P<tool_call_id>tool_call_id)(?=[\w-])|(?P<id>id)(?=[\w-]+\s*,?\s*[,)])|(?P<status>status)(?=success|error)"
    r"|(?P<name>name)(?=[^\s,()][^,()\n]{0,80}[,)])|(?P<example>example)(?=True|False)|(?P<chunk_position>chunk_position)(?=last|None)"
    r"|(?P<artifact>artifact)(?=\S)"
)
_NEXT = re.compile(rf",\s*(?:{_FIELD})|(?P<close>,?\s*\))")
_KWARGS = re.compile(r",\s*additional_kwargs(?=\{)")
_MARK = re.compile(rf",\s*(?:(?:response_metadata|usage_metadata)(?=\{{)|tool_calls(?=\[)|tool_call_id(?=call_|toolu_)|id(?={_ID}))")
"""What marks the end of a content where `additional_kwargs` was not printed, as before langchain-core 0.2."""
_AFTER_BRACKET = re.compile(rf"(?<=[}}\]])(?:,\s*(?:{_BRACED})(?=[\[{{])|,\s*id(?={_ID})|,?\s*\)(?=\s*(?:[,\]}}]|\Z)))")
_TOOL_MARK = re.compile(r",\s*(?=(?:name[^\s,()][^,()]{0,80},\s*)?(?:id[\w-]+,\s*)?tool_call_id[\w-])")
"""What marks the end of a tool message's content: its fields, in their order."""
_PARENTHESIS = re.compile(r"[()]")
_CALL_HEAD = re.compile(r"[\[,\s]*+\{name:\s?(?P<name>[^,{}]*+),\s?args:\s?(?=\{)")
_CALL_TAIL = re.compile(r"\},\s?id:\s?(?P<id>[^,{}]*+)(?:,\s?type:\s?tool_call)?,?\s?\}")
_INVALID_START = re.compile(r"(?:\A\[|,)\s?(?=\{(?:name:|type:\s?invalid_tool_call,))")
_INVALID = re.compile(
    r"\{(?:type:\s?invalid_tool_call,\s?id:\s?(?P<first_id>[^,]*+),\s?)?name:\s?(?P<name>[^,{}]*+),\s?args:\s?"
    r"(?:(?P<args>.*),\s?id:\s?(?P<id>[^,]*+)|(?P<last_args>.*)),\s?error:\s?(?P<error>.*?)(?:,\s?type:\s?invalid_tool_call)?,?\s?\}\]?",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([nrt\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U000([0-9a-fA-F]{5})|)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,15})(?:\.\d+)?(?:e[-+]?\d+)?")
_WORDS: dict[str, Any] = {"None": None, "True": True, "False": False}
_ENTRY_END = re.compile(r",(?=\s?[A-Za-z_][\w-]*+:(?!//))|,?\s*(?=[}\]])")
_ITEM_END = re.compile(r",|(?=[}\]])")
_KEY = re.compile(r"\s*([A-Za-z_$][\w$-]*+)\s?:(?!//)\s?")
_MOST_DEPTH = 100


class Stripped(msgspec.Struct, frozen=True):
    """One message of a repr that is not whole."""

    fields: dict[str, Any]
    """As in LangChain's flat JSON, with the class name under "type"."""
    start: int
    end: int
    whole: bool
    """Whether its closing bracket was there."""
    unsure: list[str] = []
    """What could not be told of this message in particular."""


def runs(text: str) -> Iterator[list[Stripped]]:
    """The runs of stripped messages in a text: those that follow one another with nothing but commas and brackets between."""
    edges = [*(match.start() for match in _START.finditer(text)), len(text)]
    run: list[Stripped] = []
    proven = False
    for start, limit in pairwise(edges):
        if run and start < run[-1].end:
            continue
        if run and not _BETWEEN.fullmatch(text, run[-1].end, start):
            if proven:
                yield run
            run, proven = [], False
        message, marked = _Reader(text, start, limit, is_last=limit == len(text)).message()
        run.append(message)
        proven = proven or marked
    if proven:
        yield run


class _Reader:
    """Reads one stripped message, which ends before `limit`."""

    def __init__(self, text: str, start: int, limit: int, *, is_last: bool) -> None:
        self._text = text
        self._start = start
        self._limit = limit
        self._is_last = is_last
        self._unsure: dict[str, None] = {}

    def message(self) -> tuple[Stripped, bool]:
        """(the message, whether something in it shows that it is a repr and no prose)"""
        opened = self._text.index("(", self._start)
        at = opened + 1 + len("content")
        kind = self._text[self._start : opened]
        end, marked = self._content_end(kind, at)
        fields: dict[str, Any] = {"type": kind, "content": self._content(kind, self._text[at:end])}
        at = end
        while True:
            mark = _NEXT.match(self._text, at, self._limit)
            if mark is None or mark.lastgroup == "close" or mark.lastgroup is None:
                return self._stripped(fields, at, mark), marked
            name = mark.group(mark.lastgroup)
            fields[name], at = self._field(name, mark.end())

    def _stripped(self, fields: dict[str, Any], at: int, close: re.Match[str] | None) -> Stripped:
        return Stripped(fields, self._start, close.end() if close else at, whole=close is not None, unsure=list(self._unsure))

    def _content_end(self, kind: str, at: int) -> tuple[int, bool]:
        """(where the content ends, whether a field marks it)"""
        marks = (_TOOL_MARK, _MARK) if kind.startswith("Tool") else (_KWARGS, _MARK)
        if mark := next(filter(None, (mark.search(self._text, at, self._limit) for mark in marks)), None):
            return mark.start(), True
        depth, last = 1, -1
        for bracket in _PARENTHESIS.finditer(self._text, at, self._limit):
            depth += 1 if bracket.group() == "(" else -1
            if bracket.group() == ")":
                last = bracket.start()
            if depth == 0 and self._is_last:
                break
        if last < 0:
            return self._limit, False
        self._unsure["no field marks where this text ends; it was taken to end at a closing bracket"] = None
        before = self._text[last - 1]
        return last - (before == ","), False

    def _content(self, kind: str, value: str) -> Any:
        is_list = value.startswith("[{type:") or (value == "[]" and kind.startswith("AI"))
        return _Braces(value).read()[0] if is_list else _text(value)

    def _field(self, name: str, at: int) -> tuple[Any, int]:
        """(the field's value, where it ends)"""
        if self._text[at] in "{[" and name != "name":
            return self._braced(name, at)
        mark = _NEXT.search(self._text, at, self._limit)
        end = mark.start() if mark else self._limit
        value = self._text[at:end].strip()
        return (_scalar(value) if name in ("example", "artifact") else _id(value)), end

    def _braced(self, name: str, at: int) -> tuple[Any, int]:
        value, end = _Braces(self._text, at, self._limit).read()
        if _NEXT.match(self._text, end, self._limit) is None:
            mark = _AFTER_BRACKET.search(self._text, at, self._limit)
            if mark is None:
                return value, end
            self._unsure[f"brackets inside the texts of {name} do not match; what they hold was guessed"] = None
            value, end = _Braces(self._text[at : mark.start()]).read()[0], mark.start()
        if name in ("tool_calls", "invalid_tool_calls"):
            return self._calls(name, value, self._text[at:end]), end
        return value, end

    def _calls(self, name: str, value: Any, text: str) -> Any:
        """The calls, each told by its fields, which have a fixed order; as the brackets say where that fails."""
        made = [*(self._valid(text) if name == "tool_calls" else _invalid(text))]
        return made if made and None not in made else value

    def _valid(self, text: str) -> Iterator[dict[str, Any] | None]:
        """The calls of `[{name: …, args: {…}, id: …, type: tool_call}, …]`; None where one has another shape."""
        at = 0
        for tail in _CALL_TAIL.finditer(text):
            head = _CALL_HEAD.match(text, at)
            if head is None:
                yield None
                return
            args = text[head.end() : tail.start() + 1]
            yield {"name": _text(head["name"]), "args": self._args(args), "id": _id(tail["id"]), "type": "tool_call"}
            at = tail.end()
        if text[at:].strip("], \n"):
            yield None

    def _args(self, text: str) -> Any:
        args, end = _Braces(text).read()
        if end == len(text):
            return args
        self._unsure["brackets inside the texts of tool_calls do not match; what they hold was guessed"] = None
        return _entries(text[1:-1])


def _invalid(text: str) -> Iterator[dict[str, Any] | None]:
    """The invalid calls of a list, their arguments as text; None where one has another shape."""
    for part in _INVALID_START.split(text)[1:]:
        match = _INVALID.fullmatch(part)
        if match is None:
            yield None
            return
        error = _id(match["error"])
        call_id = _id(match["first_id"] or match["id"] or "None")
        yield {
            "name": _id(match["name"]),
            "args": _text(match["args"] or match["last_args"] or ""),
            "id": call_id,
            "error": error,
            "type": "invalid_tool_call",
        }


def _id(value: str) -> str | None:
    """The text of a name, an id or a reason; None where none was given."""
    return None if value == "None" else _text(value)


def _entries(text: str) -> dict[str, Any]:
    """The entries of an object whose brackets do not match: each goes to the next key."""
    parts = re.split(r"(?:\A|,)\s?([A-Za-z_][\w-]*+):(?!//)\s?", text)
    return {key: _entry(value.strip()) for key, value in zip(parts[1::2], parts[2::2], strict=False)}


def _entry(text: str) -> Any:
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return _scalar(text)
    value, end = _Braces(text).read()
    return value if end == len(text) else _text(text)


def _text(value: str) -> str:
    """The text with its escapes resolved; a backslash that stood before a quote is dropped like the quote."""
    return _ESCAPE.sub(_resolved, value)


def _resolved(match: re.Match[str]) -> str:
    letter, *codes = match.groups()
    if letter:
        return {"n": "\n", "r": "\r", "t": "\t"}.get(letter, letter)
    return "".join(chr(int(code, 16)) for code in codes if code)


def _scalar(value: str) -> Any:
    value = value.strip()
    if value in _WORDS:
        return _WORDS[value]
    if _NUMBER.fullmatch(value):
        return float(value) if "." in value or "e" in value else int(value)
    return _text(value)


class _Braces:
    """Reads `{key:value,…}` and `[…]` without quotes. A value ends at a comma behind which a key stands, or at a bracket."""

    def __init__(self, text: str, start: int = 0, limit: int | None = None) -> None:
        self._text = text
        self._start = start
        self._limit = len(text) if limit is None else limit

    def read(self) -> tuple[Any, int]:
        """(the value, where it ended)"""
        stack: list[tuple[Any, str | None]] = []
        key: str | None = None
        text, at = self._text, self._start
        while at < self._limit:
            here = text[at]
            if here in "{[" and len(stack) < _MOST_DEPTH and (key is not None or not stack or isinstance(stack[-1][0], list)):
                stack.append(({} if here == "{" else [], key))
                key = None
                at += 1
            elif here in "}]":
                if isinstance(stack[-1][0], dict) != (here == "}"):
                    break
                value, key = stack.pop()
                at += 1
                if not stack:
                    return value, at
                _put(stack[-1][0], key, value)
                key = None
            elif here in ", \t\r\n":
                at += 1
            elif isinstance(stack[-1][0], dict) and key is None:
                match = _KEY.match(text, at, self._limit)
                if match is None:
                    break
                key, at = match.group(1), match.end()
                if text[at : at + 1] in (",", "}"):
                    _put(stack[-1][0], key, "")
                    key = None
            else:
                at, key = self._bare(stack[-1][0], key, at), None
        while len(stack) > 1:
            value, key = stack.pop()
            _put(stack[-1][0], key, value)
        return (stack[0][0] if stack else {}), at

    def _bare(self, container: Any, key: str | None, at: int) -> int:
        mark = (_ENTRY_END if isinstance(container, dict) else _ITEM_END).search(self._text, at, self._limit)
        end = mark.start() if mark else self._limit
        _put(container, key, _scalar(self._text[at:end]))
        return end


def _put(container: Any, key: str | None, value: Any) -> None:
    if isinstance(container, dict):
        container[key or ""] = value
    else:
        container.append(value)
