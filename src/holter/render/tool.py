"""A tool's declaration as a model gets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from holter.messages import ToolSpec
from holter.render.control import one_line, visible_in_json
from holter.render.paragraph import indented, paragraph
from holter.render.span import span
from holter.render.view import View
from holter.render.wrap import cells, wrap

_INDENT = 2


def tool_lines(spec: ToolSpec, options: dict[str, Any], view: View) -> list[Text]:
    """Name and options, the description, then the schema as JSON that can be copied."""
    width = view.measure - _INDENT
    said = one_line(", ".join(f"{name}={value!r}" for name, value in options.items()))
    name = one_line(spec.name)
    head = span(name, "bold")
    options_below = [span(line, "dim") for line in wrap(said, width)] if said else []
    if said and cells(name) + 2 + cells(said) <= view.measure:
        head, options_below = head + span("  " + said, "dim"), []
    description = paragraph(spec.description, width) if spec.description else [span("no description", "yellow")]
    schema = [span(part, "dim") for line in _laid_out(spec.parameters, width) for part in wrap(line, width)]
    return [head, *indented([*options_below, *description, *schema], span(" " * _INDENT))]


def _laid_out(value: Any, width: int, before: str = "", after: str = "") -> Iterator[str]:
    """The lines of a JSON value: on one where it fits, else one for each item."""
    line = before + visible_in_json(json.dumps(value, ensure_ascii=False)) + after
    if not isinstance(value, dict | list) or not value or cells(line) <= width:
        yield line
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = " " * (len(before) - len(before.lstrip()) + _INDENT)
    items = (
        [(f"{json.dumps(key, ensure_ascii=False)}: ", item) for key, item in value.items()]
        if isinstance(value, dict)
        else [("", item) for item in value]
    )
    yield before + opening
    for position, (key, item) in enumerate(items):
        yield from _laid_out(item, width, inner + visible_in_json(key), "," if position < len(items) - 1 else "")
    yield inner[_INDENT:] + closing + after
