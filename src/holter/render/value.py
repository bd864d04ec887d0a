"""JSON values as a person reads them: on one line where they fit, indented where not, texts of several lines as lines."""

import json
from typing import Any

from rich.text import Text

from holter.render.control import visible
from holter.render.span import span
from holter.render.wrap import cells, wrap

_INDENT = "  "


def compact(value: Any) -> str:
    """The value as JSON on one line, dangerous characters made visible."""
    return visible(json.dumps(value, ensure_ascii=False, default=str))


def fields(values: dict[str, Any], width: int) -> list[Text]:
    """One entry after another, `key: value`; keys dim."""
    return [line for key, value in values.items() for line in _field(key, value, width)]


def _field(key: Any, value: Any, width: int) -> list[Text]:
    name = span(visible(f"{key}:").replace("\n", "\\n"), "dim")
    line = "" if isinstance(value, str) and "\n" in value else compact(value)
    if line and cells(name.plain) + 1 + cells(line) <= width:
        return [name + span(" " + line)]
    body = [_INDENT + part for part in _block(value, width - len(_INDENT))]
    return [name, *map(Text, body)]


def _block(value: Any, width: int) -> list[str]:
    """A value that does not fit beside its key: a text as it reads, anything else as indented JSON."""
    if isinstance(value, str):
        return wrap(visible(value), width)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except RecursionError:  # the indenting encoder is less deep than the reader
        text = json.dumps(value, ensure_ascii=False, default=str)
    return wrap(visible(text), width)
