"""What a docstring says of a function and of its parameters: Google's, NumPy's and reST's ways of writing them."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import docstring_parser

from holter.tools.annotation import plain_function

_PARAMETERS = "Args|Arguments|Attributes|Keyword Args|Keyword Arguments|Other Parameters|Parameters|Params"
_ERRORS = "Except|Exceptions|Raises"
_TITLE = re.compile(rf"(?P<parameters>{_PARAMETERS})|(?P<errors>{_ERRORS})")
_NUMPY_RULE = re.compile(r"-{3,}")
_REST_FIELD = re.compile(r":(?P<word>\w+)(?: (?P<what>[^:\n]+))?:(?: (?P<text>.*))?$")
_REST_PARAMETERS = ("arg", "argument", "attribute", "cvar", "ivar", "key", "keyword", "param", "parameter", "var")
_REST_DROPPED = ("except", "exception", "raise", "raises", "rtype", "type", "vartype")

_Part: TypeAlias = tuple[str, list[str]]
"""What lines are ("text", "parameters" in one of the styles, "dropped"), and the lines."""


def described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What a function, or a class, says it does, and what it says of each parameter.

    What it says of parameters and of the errors it raises is taken out of the first, since a model sees the one with the parameters and the
    other as results. The rest stays as it was written; what it returns too.
    """
    text = _docstring(function)
    parts = list(_parts(text.split("\n")))
    said = "\n".join("\n".join(lines).strip("\n") + "\n" for kind, lines in parts if kind == "text")
    parameters: dict[str, str] = {}
    for kind, lines in parts:
        if kind in _STYLES:
            parameters.update(_parameters(lines, _STYLES[kind]))
    return re.sub(r"\n{3,}", "\n\n", said).strip(), parameters


_STYLES = {
    "google": docstring_parser.DocstringStyle.GOOGLE,
    "numpy": docstring_parser.DocstringStyle.NUMPYDOC,
    "rest": docstring_parser.DocstringStyle.REST,
}


def _docstring(function: Any) -> str:
    if isinstance(function, type):
        return inspect.cleandoc(function.__dict__.get("__doc__") or "")
    while isinstance(function, functools.partial):
        function = function.func
    text = inspect.getdoc(plain_function(function))
    return text or ("" if inspect.isroutine(function) else inspect.getdoc(type(function)) or "")


def _parts(lines: list[str]) -> Iterator[_Part]:
    """The docstring in pieces, in order."""
    position = 0
    text: list[str] = []
    while position < len(lines):
        kind, end = _section(lines, position)
        if kind == "text":
            text += lines[position:end]
        else:
            yield "text", text
            text = []
            yield kind, lines[position:end]
        position = end
    yield "text", text


def _section(lines: list[str], start: int) -> tuple[str, int]:
    """What the section or line at `start` is, and where it ends."""
    line = lines[start]
    if start + 1 < len(lines) and _NUMPY_RULE.fullmatch(lines[start + 1].strip()):
        title = _TITLE.fullmatch(line.strip())
        return _kind(title, "numpy"), _numpy_end(lines, start + 2) if title else start + 2
    title = _TITLE.fullmatch(line.strip().removesuffix(":")) if line.rstrip().endswith(":") else None
    if title and start + 1 < len(lines) and _is_deeper(lines[start + 1], line):
        return _kind(title, "google"), _indented_end(lines, start)
    field = _REST_FIELD.match(line)
    if field and field["word"] in (*_REST_PARAMETERS, *_REST_DROPPED):
        return "rest" if field["word"] in _REST_PARAMETERS else "dropped", _indented_end(lines, start)
    return "text", start + 1


def _kind(title: re.Match[str] | None, style: str) -> str:
    if title is None:
        return "text"
    return style if title["parameters"] else "dropped"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_deeper(line: str, than: str) -> bool:
    return bool(line.strip()) and _indent(line) > _indent(than)


def _indented_end(lines: list[str], start: int) -> int:
    """Where the lines that stand deeper than the one at `start` end; blank ones between them belong to them."""
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or _is_deeper(lines[end], lines[start])):
        end += 1
    return end


def _numpy_end(lines: list[str], start: int) -> int:
    """Where the next section's title stands."""
    for position in range(start, len(lines) - 1):
        if _NUMPY_RULE.fullmatch(lines[position + 1].strip()):
            return position
    return len(lines)


def _parameters(section: list[str], style: docstring_parser.DocstringStyle) -> dict[str, str]:
    """The descriptions in one section. Google's is read entry by entry: one that is no entry spoils no other."""
    if style is docstring_parser.DocstringStyle.GOOGLE:
        return {name: text for entry in _entries(section[1:]) for name, text in _parsed(f"-\n\nArgs:\n  {entry}", style).items()}
    title = ["Parameters"] if style is docstring_parser.DocstringStyle.NUMPYDOC else section[:1]
    return _parsed("\n".join([*title, *section[1:]]), style)


def _entries(lines: list[str]) -> list[str]:
    """Each parameter's lines, from its name on. A line without a colon goes on with the entry before it, however it is indented."""
    entries: list[list[str]] = []
    margin = next((_indent(line) for line in lines if line.strip()), 0)
    for line in lines:
        if _indent(line) <= margin and ":" in line:
            entries.append([line.strip()])
        elif entries:
            entries[-1].append(f"  {line.strip()}")
    return ["\n  ".join(entry) for entry in entries]


def _parsed(text: str, style: docstring_parser.DocstringStyle) -> dict[str, str]:
    try:
        parsed = docstring_parser.parse(text, style)
    except docstring_parser.ParseError:
        return {}
    found: dict[str, str] = {}
    for parameter in parsed.params:
        said = " ".join((parameter.description or "").split())
        found.update({name.strip().lstrip("*"): said for name in parameter.arg_name.split(",")} if said else {})
    return found
