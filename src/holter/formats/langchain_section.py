"""One message of a `pretty_print` transcript, from its lines: name, content, and the sections of its calls."""

import re
from typing import Any

from holter.formats.langchain_message import read_message
from holter.formats.langchain_piece import Piece
from holter.formats.literal import parse
from holter.messages import HumanMessage, Message, ToolMessage
from holter.messages.calls import decode_arguments
from holter.messages.message import EMPTY

_SECTIONS = ("Tool Calls:", "Invalid Tool Calls:")
_CALL = re.compile(r"  (?P<name>\S.*?|) \((?P<id>.*)\)\s*")
_CALL_ID = re.compile(r" Call ID: ?(?P<id>.*?)\s*")
_ARGUMENT = re.compile(r"    (?P<key>[\w$@.-]{1,100}):(?: (?P<value>.*)|\s*)")
_KEYWORDS = frozenset("else try finally except lambda if for while with def class return elif case match".split())
_LITERAL = re.compile(r"[\[{(]|-?\d|True$|False$|None$")
_LONGEST_LITERAL = 100_000


def read_piece(piece: Piece) -> Message:
    """The message that these lines print."""
    lines = list(piece.lines)
    if piece.breaks_off and len(lines) == 1 and any(begin.startswith(lines[0]) for begin in ("Name: ", *_SECTIONS)):
        lines = []
    name = lines.pop(0)[len("Name: ") :].rstrip() if lines and lines[0].startswith("Name: ") else None
    if piece.kind not in ("Ai", "AI"):
        return _without_calls(piece.kind, _content(lines), name)
    begin, sections = _split(lines, cut=piece.breaks_off)
    body: dict[str, Any] = {"content": _content(lines[:begin]), "name": name}
    body["tool_calls"] = [_valid(call) for call in _calls(sections[0], cut=piece.breaks_off)]
    body["invalid_tool_calls"] = [
        _invalid(call, len(body["tool_calls"]) + i) for i, call in enumerate(_calls(sections[1], cut=piece.breaks_off))
    ]
    return read_message("ai", body)


def is_cut(piece: Piece) -> bool:
    """Whether the text ends inside the message: behind its title, or inside a call before its arguments."""
    if not piece.breaks_off:
        return False
    lines = [line for line in piece.lines if line.strip()]
    if not lines:
        return True
    if piece.kind not in ("Ai", "AI") or not any(line.rstrip() in _SECTIONS for line in lines):
        return False
    last = lines[-1].rstrip()
    return last in _SECTIONS or "Call ID" in last or last.startswith("  Error: ") or _CALL.fullmatch(last) is not None or last == "  Args:"


def _without_calls(kind: str, content: Any, name: str | None) -> Message:
    match kind:
        case "Human":
            return HumanMessage(content, name=name)
        case "System":
            return read_message("system", {"content": content, "name": name})
        case "Tool" | "Function":
            return ToolMessage(content, tool_call_id=None, name=name, extra={"role": "function"} if kind == "Function" else EMPTY)
        case _:
            return HumanMessage(content, name=name, extra={"role": kind.lower()})


def _content(lines: list[str]) -> Any:
    """The content without the empty line that follows the title and the blank lines before the next mark; blocks where it prints them."""
    body = lines[1:] if lines and not lines[0].strip() else lines
    text = "\n".join(body).rstrip()
    if text.startswith("[{'") and text.endswith("]") and len(text) < _LONGEST_LITERAL:
        parsed = parse(text, 0)
        blocks = parsed.value
        if not parsed.stopped and parsed.end == len(text) and all(isinstance(block, dict) and "type" in block for block in blocks):
            return blocks
    return text


def _split(lines: list[str], *, cut: bool) -> tuple[int, tuple[list[str], list[str]]]:
    """(where the first section begins, (the lines of the calls, those of the invalid ones)). Lines of the content that look like a title
    are told by what follows them."""
    found = {title: at for at, title in _titles(lines, cut=cut)}
    if not found:
        return len(lines), ([], [])
    valid, invalid = found.get(_SECTIONS[0], -1), found.get(_SECTIONS[1], -1)
    begin = min(at for at in (valid, invalid) if at >= 0)
    stop = invalid if invalid > valid else len(lines)
    return begin, (lines[valid + 1 : stop] if valid >= 0 else [], lines[invalid + 1 :] if invalid >= 0 else [])


def _titles(lines: list[str], *, cut: bool) -> list[tuple[int, str]]:
    """(line, title) of each section, the last one of a title first."""
    found = []
    for at, line in enumerate(lines):
        title = line.rstrip()
        if title in _SECTIONS and (_is_call(lines, at + 1, cut=cut) or (cut and at + 1 == len(lines))):
            found.append((at, title))
    return found[::-1]


def _is_call(lines: list[str], at: int, *, cut: bool) -> bool:
    """Whether a call begins at this line: its id stands in the next line again, unless the text was cut there."""
    head = _CALL.fullmatch(lines[at]) if at < len(lines) else None
    if head is None:
        return False
    again = _CALL_ID.fullmatch(lines[at + 1]) if at + 1 < len(lines) else None
    if again is not None and again["id"] == head["id"]:
        return True
    return cut and (at + 1 == len(lines) or at + 2 == len(lines))


def _calls(lines: list[str], *, cut: bool) -> list[dict[str, Any]]:
    """The calls of a section, arguments still as text lines under "lines"."""
    calls: list[dict[str, Any]] = []
    in_arguments = False
    for at, line in enumerate(lines):
        if _is_call(lines, at, cut=cut):
            head = _CALL.fullmatch(line)
            assert head is not None
            call_id = head["id"]
            calls.append({"name": head["name"], "id": None if call_id == "None" else call_id, "error": None, "lines": []})
            in_arguments = False
        elif calls and not in_arguments and line.strip() == "Args:":
            in_arguments = True
        elif calls and not in_arguments and line.startswith("  Error: "):
            calls[-1]["error"] = line[len("  Error: ") :]
        elif calls and not in_arguments and calls[-1]["error"] and not _CALL_ID.fullmatch(line):
            calls[-1]["error"] += "\n" + line
        elif calls and in_arguments:
            calls[-1]["lines"].append(line)
    return calls


def _valid(call: dict[str, Any]) -> dict[str, Any]:
    return {"name": call["name"], "args": _arguments(call["lines"]), "id": call["id"], "type": "tool_call"}


def _invalid(call: dict[str, Any], position: int) -> dict[str, Any]:
    text = "\n".join(call["lines"]).removeprefix("    ").rstrip()
    reason = call["error"] or _reason(text)
    return {"name": call["name"], "args": text, "id": call["id"], "error": reason, "type": "invalid_tool_call", "index": position}


def _reason(text: str) -> str:
    try:
        decode_arguments(text)
    except ValueError as error:
        return str(error)
    return "the log says that it is invalid"


def _arguments(lines: list[str]) -> dict[str, Any]:
    """Arguments by name. A line that begins no argument belongs to the one before."""
    texts: dict[str, list[str]] = {}
    key: str | None = None
    for line in lines:
        match = _ARGUMENT.fullmatch(line)
        if match and match["key"] not in _KEYWORDS and match["key"] not in texts:
            key = match["key"]
            texts[key] = [match["value"] or ""]
        elif key is not None:
            texts[key].append(line)
    return {name: _value("\n".join(parts).rstrip("\n")) for name, parts in texts.items()}


def _value(text: str) -> Any:
    """The value that a printed argument most likely had: a literal when the whole text is one, else the text."""
    if not _LITERAL.match(text) or len(text) > _LONGEST_LITERAL:
        return text
    parsed = parse(text, 0)
    whole = not parsed.stopped and parsed.end == len(text) and not parsed.notes
    return parsed.value if whole and str(parsed.value) == text else text
