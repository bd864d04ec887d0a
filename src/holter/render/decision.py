"""The decision points of a conversation as styled text for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.text import Text

from holter.analysis.decision import Decision, decisions
from holter.messages import AIMessage, Conversation, Message, Pairing, ToolMessage
from holter.render.control import one_line, visible
from holter.render.quantity import plural
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View
from holter.render.wrap import cells, flow, shorten

_ROLE = {"system": "bold magenta", "human": "bold green", "ai": "bold cyan", "tool": "bold yellow"}
_INDENT = "      "


def decision_lines(conversation: Conversation, view: View) -> Iterator[Text]:
    """Each point: its snapshot, what was new, and what the model made of it."""
    source = one_line(conversation.source or "standard input")
    facts = [source, f"conversation {conversation.position}", conversation.format, plural(len(conversation.messages), "message")]
    for number, line in enumerate(flow(facts, view.width)):
        text = span(line, "dim")
        if number == 0:
            text.stylize("not dim bold", 0, len(source))
        yield text
    pairing = Pairing(conversation.messages)
    points = list(decisions(conversation.messages))
    for point in points:
        yield Text()
        yield span(f"{f'@{point.snapshot}':<{len(_INDENT)}}", "bold") + span(_when(point), "bold")
        for at in point.new:
            yield _line(at, conversation.messages[at], pairing, view, "new  ")
        if point.answer is not None:
            yield _line(point.answer, conversation.messages[point.answer], pairing, view, "then ")
    if not points:
        yield span("no decision: the model was not asked", "dim")
    elif conversation.source and len(points) > 1:
        first, last = points[0].snapshot, points[-1].snapshot
        part = f"#{conversation.position}" if conversation.position else ""
        a, b = (shlex.quote(f"{source}{part}@{snapshot}") for snapshot in (first, last))
        yield span(f"\nholter diff {a} {b}", "dim")


def _when(point: Decision) -> str:
    parts = [f"after {plural(point.results, 'result')}"] if point.results else []
    return ", ".join([*parts, *(["before the model is asked"] if point.answer is not None else [])])


def _line(at: int, message: Message, pairing: Pairing, view: View, mark: str) -> Text:
    head = span(_INDENT) + span(mark, "dim") + span(f"{at} ", "dim") + span(message.type, _ROLE[message.type]) + span(" ")
    return head + span(shorten(_said(at, message, pairing), max(view.width - cells(head.plain), 20)))


def _said(at: int, message: Message, pairing: Pairing) -> str:
    text = visible(" ".join(message.text.split()))
    if isinstance(message, ToolMessage):
        ref = pairing.answered.get(at)
        name = one_line(str(ref.call.get("name"))) if ref is not None else "answers no call"
        return f"{name} ← {text}"
    calls = [f"→ {one_line(str(c.get('name')))}({compact(c.get('args'))})" for c in message.calls] if isinstance(message, AIMessage) else []
    return " ".join(part for part in (text, *calls) if part) or "(empty)"
