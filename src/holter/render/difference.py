"""A comparison of two conversations as styled text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from holter.analysis.diff import Change, Difference, Pair, words
from holter.messages import AIMessage, Conversation
from holter.render.control import one_line, visible
from holter.render.paragraph import indented, paragraph
from holter.render.parting import sentence
from holter.render.quantity import plural, seconds
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View
from holter.render.wrap import cells, shorten

_ROLE = {"system": "bold magenta", "human": "bold green", "ai": "bold cyan", "tool": "bold yellow"}
_REMOVED, _ADDED = "red strike", "bold green"
_MOST_PAIRS = 20
_QUOTED = 60
_CONTEXT = 40
"""Characters of equal text that are shown on each side of a change."""


def difference(found: Difference, a: Conversation, b: Conversation, view: View) -> Iterator[Text]:
    """The first difference in a sentence, then each place where the two part."""
    yield from paragraph(sentence(found, a, b), view.measure, "bold")
    for text in _remarks(found):
        yield from paragraph(text, view.measure, "dim")
    parted = [pair for pair in found.pairs if pair.kind != "same" or (view.whole and pair.changes)]
    shown = parted if view.whole else parted[:_MOST_PAIRS]
    for run in _runs(shown):
        yield Text()
        for pair in run:
            yield from _pair(pair, a, b, view)
    if len(parted) > len(shown):
        yield span(f"\n… {plural(len(parted) - len(shown), 'more message')} (--full)", "dim italic")
    for change in found.around:
        yield Text()
        yield from _change(change, view)
    if parted or found.around:
        yield span(f"\n{summary(found)}", "dim")


def _remarks(found: Difference) -> Iterator[str]:
    if found.not_compared:
        yield f"Only one of the two says its {', '.join(found.not_compared)}: not compared."
    slower = sum(pair.kind == "same" and bool(pair.changes) for pair in found.pairs)
    if slower:
        yield f"{plural(slower, 'equal message')} took another time (--full)."


def summary(found: Difference) -> str:
    """How many messages are the same, changed, only in one."""
    counts = Counter(pair.kind for pair in found.pairs)
    parts = [f"{counts['same']} the same", f"{counts['changed']} changed", f"{counts['removed']} only in A", f"{counts['added']} only in B"]
    return " · ".join(part for part in parts if not part.startswith("0 "))


def _runs(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Messages that only one of the two has, in a row, together; changed ones alone."""
    run: list[Pair] = []
    for pair in pairs:
        if run and (pair.kind == "changed" or pair.kind != run[-1].kind):
            yield run
            run = []
        run.append(pair)
        if pair.kind == "changed":
            yield run
            run = []
    if run:
        yield run


def _pair(pair: Pair, a: Conversation, b: Conversation, view: View) -> Iterator[Text]:
    if pair.a is not None and pair.b is not None:
        where = f"{pair.a}" if pair.a == pair.b else f"{pair.a} → {pair.b}"
        kind = a.messages[pair.a].type
        yield span(f"{'~' if pair.kind == 'changed' else '='} {where} ", "yellow") + span(kind, _ROLE[kind])
        for change in pair.changes:
            yield from indented(list(_change(change, view)), span("    "))
        return
    at, conversation, sign, style = (pair.a, a, "-", "red") if pair.b is None else (pair.b, b, "+", "green")
    assert at is not None
    message = conversation.messages[at]
    head = span(f"{sign} {at} ", style) + span(message.type, _ROLE[message.type]) + span(" ")
    text = visible(" ".join(message.text.split()))
    calls = [f"→ {_call(call)}" for call in message.calls] if isinstance(message, AIMessage) else []
    room = max(view.measure - cells(head.plain), 20)
    yield head + span(shorten(" ".join(part for part in (text, *calls) if part) or "(empty)", room), style)


def _call(call: dict[str, Any]) -> str:
    return f"{one_line(str(call.get('name')))}({compact(call.get('args'))})"


def _change(change: Change, view: View) -> Iterator[Text]:
    room = view.measure - 4
    match change.aspect:
        case "text" | "reasoning":
            name = "" if change.aspect == "text" else "reasoning: "
            yield from _worded(name, str(change.a or ""), str(change.b or ""), room, view)
        case "argument" if isinstance(change.a, str) and isinstance(change.b, str) and len(change.a) + len(change.b) > _QUOTED:
            yield from _worded(f"{_argument(change)}: ", change.a, change.b, room, view)
        case "call":
            args, sign, style = (change.a, "-", "red") if change.b is None else (change.b, "+", "green")
            yield from paragraph(f"{sign} {one_line(change.label)}({compact(args)})", room, style)
        case "timing":
            yield span(f"took {seconds(change.a)} → {seconds(change.b)}", "dim")
        case _:
            name = _argument(change) if change.aspect == "argument" else one_line(change.path or change.aspect)
            yield from _arrow(name, change, room)


def _argument(change: Change) -> str:
    return f"{one_line(change.label)} {one_line(change.path.partition('.args')[2].lstrip('.') or 'arguments')}"


def _arrow(name: str, change: Change, room: int) -> Iterator[Text]:
    old, new = ("(not there)" if value is None else visible(compact(value)) for value in (change.a, change.b))
    line = span(f"{name}: ") + span(old, _REMOVED) + span(" → ") + span(new, _ADDED)
    if cells(line.plain) <= room:
        yield line
        return
    yield span(f"{name}:")
    yield from indented(paragraph(old, room - 2, "red"), span("- ", "red"))
    yield from indented(paragraph(new, room - 2, "green"), span("+ ", "green"))


def _worded(name: str, before: str, after: str, room: int, view: View) -> Iterator[Text]:
    """Both texts as one, with what is only in the first struck out, and what is only in the second marked. Without colours in brackets:
    `[-…-]`, `{+…+}`."""
    line = span(name)
    pieces = words(before, after)
    for number, (kind, piece) in enumerate(pieces):
        if kind == "same":
            line += span(piece if view.whole else _elided(piece, number == 0, number == len(pieces) - 1))
        else:
            line += span(f"[-{piece}-]" if kind == "removed" else f"{{+{piece}+}}", _REMOVED if kind == "removed" else _ADDED)
    yield from _wrapped(line, room)


def _elided(text: str, is_first: bool, is_last: bool) -> str:
    """The ends of an equal stretch that stand beside a change."""
    if len(text) <= 2 * _CONTEXT + 20:
        return text
    head = "" if is_first else text[:_CONTEXT]
    tail = "" if is_last else text[-_CONTEXT:]
    return f"{head} … {tail}"


def _wrapped(line: Text, room: int) -> Iterator[Text]:
    """The line in several of at most `room` cells, styles kept."""
    from rich.console import Console

    shown = Text.assemble(*[(visible(line.plain[s.start : s.end]), str(s.style)) for s in _spans(line)])
    yield from shown.wrap(Console(width=room), room, overflow="fold", no_wrap=False)


def _spans(line: Text) -> Iterator[Any]:
    """Stretches of one style each, in order."""
    from rich.text import Span

    at = 0
    for one in sorted(line.spans, key=lambda each: each.start):
        if one.start > at:
            yield Span(at, one.start, "")
        yield one
        at = one.end
    if at < len(line.plain):
        yield Span(at, len(line.plain), "")
