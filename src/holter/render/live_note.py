"""What happens to a run beside its messages, a line or two each: nodes that end, attempts that fail, what was put right or left out."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec
from rich.text import Text

from holter.journal.event import (
    Answered,
    CacheHit,
    CacheMissed,
    CacheSkipped,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    NodeEnded,
    Noticed,
    Redacting,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolRefused,
    ToolStarted,
    Trimmed,
)
from holter.render import gutter
from holter.render.control import one_line
from holter.render.cut import MATERIAL
from holter.render.paragraph import paragraph
from holter.render.redact import Level, redact_message, redact_value
from holter.render.span import span
from holter.render.value import compact, fields
from holter.render.view import View
from holter.render.wrap import cells

_NODE = "bold magenta"
_FAINT = "dim italic"


def note_lines(event: Event, view: View) -> list[Text]:
    """The lines of an event; none where it has nothing to say to a person, or where something else says it."""
    width = view.measure - gutter.WIDTH
    match event:
        case NodeEnded():
            return gutter.blank(node_lines(event.node, event.writes, width, view))
        case ToolFailed():
            left = "; it was left running" if event.unknown else ""
            return _note(f"{event.name}: attempt {event.attempt} failed: {event.error}{left}{_again(event.wait_s)}", "red", width)
        case ModelFailed():
            return _note(f"{event.model}: attempt {event.attempt} failed: {event.error}{_again(event.wait_s)}", "red", width)
        case CacheHit():
            return _note(f"{event.name}: from the cache{_aged(event)}", _FAINT, width)
        case CacheSkipped():
            return _note(f"{event.name}: past the cache: {event.reason}", _FAINT, width)
        case ToolRefused():
            return _note(f"{event.name}: refused by {event.by}", _FAINT, width)
        case Repaired():
            return _note(f"repaired ({event.code}): {event.text}", _FAINT, width)
        case Noticed():
            return _note(f"sent, and likely refused ({event.code}): {event.text}", "red" if event.severity == "error" else _FAINT, width)
        case Trimmed():
            return _note(f"left out of the request: messages {event.first} to {event.last}", _FAINT, width)
        case Discarded():
            return _note(f"writes of {event.key!r} clashed and were discarded: {', '.join(event.writers)}", "red", width)
        case Cancelled():
            return _note(event.reason, "red", width) if event.reason else []
        case LimitReached():
            return _note(event.text or f"stopped by the limit {event.limit!r}", "red", width)
        case CacheMissed() | ModelStarted() | ToolStarted() | MessageAdded() | Interrupted() | Answered() | Redacting():
            return []
        case ThreadCreated() | RunStarted() | RunEnded():
            return []
        case _:
            assert_never(event)


def node_lines(node: str, writes: dict[str, Any], width: int, view: View) -> list[Text]:
    """A node and what it wrote: on one line where that fits, else one field after another."""
    name = span(one_line(node), _NODE)
    plain = {one_line(str(key)): plain_value(value) for key, value in writes.items()}
    line = ", ".join(f"{key}={compact(value)}" for key, value in plain.items())
    if not plain:
        return [name]
    if cells(node) + 2 + cells(line) <= width and "\\n" not in line:
        return [name + span(f"  {line}")]
    return [name, *(span("  ") + part for part in value_lines(plain, width - 2, view))]


def value_lines(values: dict[str, Any], width: int, view: View) -> list[Text]:
    """Values of a state, one field after another; each is cut as a result is."""
    lines: list[Text] = []
    for key, value in values.items():
        whole = fields({key: plain_value(value)}, width)
        limit = view.limit(MATERIAL).lines
        more = len(whole) - limit
        lines += whole if more <= 3 else [*whole[:limit], span(f"… {more:,} more lines (--full)", _FAINT)]
    return lines


def plain_value(value: Any) -> Any:
    """The value as JSON has it; what JSON has no word for as Python writes it."""
    try:
        return msgspec.to_builtins(value, enc_hook=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def redact_event(event: Event, level: Level) -> Event:
    """The event without secrets, or without content, in what it tells."""
    if isinstance(event, MessageAdded):
        return msgspec.structs.replace(event, message=redact_message(event.message, level))
    told = [name for name in ("writes", "value", "error", "text", "reason", "traceback", "input", "raw") if hasattr(event, name)]
    return msgspec.structs.replace(event, **{name: redact_value(plain_value(getattr(event, name)), level) for name in told})


def removed_ids(writes: dict[str, Any]) -> set[str]:
    """The ids of messages that writes take away."""
    values = [item for value in writes.values() if isinstance(value, list) for item in value]
    return {str(plain["id"]) for item in values if isinstance(plain := plain_value(item), dict) and plain.get("type") == "remove"}


def _aged(hit: CacheHit) -> str:
    made = "" if hit.age_s is None else f", {hit.age_s:.3g} s old"
    return made + (", being made anew" if hit.stale else "")


def _again(wait_s: float | None) -> str:
    return "" if wait_s is None else f"; again in {wait_s:g} s"


def _note(text: str, style: str, width: int) -> list[Text]:
    return gutter.blank(paragraph(one_line(text), width, style))
