"""Findings of the linter for a person: what is wrong, where, and the message that it is about between its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, ToolMessage
from holter.messages.calls import as_json_text
from holter.render.control import one_line
from holter.render.finding import where
from holter.render.paragraph import indented, paragraph
from holter.render.span import span
from holter.render.view import View
from holter.render.wrap import cells

_STYLE = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}
_AROUND = 1
"""Messages that are shown on each side."""
_LEFT = 16


def offence(finding: Finding, conversation: Conversation, source: str | None, view: View) -> Iterator[Text]:
    """The lines of one finding: its head, the message in its place, what was found, and what to do."""
    head = Text()
    head.append(finding.severity, _STYLE[finding.severity])
    head.append(f"[{finding.code}] {finding.name}", "bold")
    yield head
    place = where(finding, source)
    if finding.line is None and source:
        place = f"{one_line(source)} · {place}" if place else one_line(source)
    of = f" · conversation {conversation.position}" if conversation.position else ""
    yield span(f"  --> {place or one_line(source or 'standard input')}{of}", "dim")
    message = finding.message
    if message is not None and message < len(conversation.messages):
        yield from _context(finding, conversation, message, view)
    else:
        yield from indented(paragraph(finding.text, view.measure - 4), span("   = "))
    if finding.hint:
        yield from indented(paragraph(f"help: {finding.hint}", view.measure - 4, "cyan"), span("   = "))
    if finding.fixable:
        yield span("   = fixable: `holter fix` puts it right", "dim")


def _context(finding: Finding, conversation: Conversation, message: int, view: View) -> Iterator[Text]:
    first, last = max(message - _AROUND, 0), min(message + _AROUND, len(conversation.messages) - 1)
    for at in range(first, last + 1):
        is_it = at == message
        places = conversation.places
        shown = places[at].index if at < len(places) else at
        number = f"{at if shown is None else shown:>5}"
        line = Text(f"{number} | ", "bold" if is_it else "dim")
        line.append(f"{_role(conversation.messages[at]):<9} ", "" if is_it else "dim")
        line.append(_cut(_said(conversation.messages[at]), view.width - _LEFT - 2), "" if is_it else "dim")
        yield line
        if is_it:
            yield from indented(paragraph(finding.text, view.measure - _LEFT - 2, _STYLE[finding.severity]), span(f"{'':5} | ^ ", "bold"))


def _role(message: Message) -> str:
    if isinstance(message, AIMessage):
        return "assistant"
    if isinstance(message, ToolMessage):
        return "result"
    return "user" if isinstance(message, HumanMessage) else "system"


def _said(message: Message) -> str:
    """The message in one line: its text, its calls, the id it answers."""
    pieces = [message.text.strip()] if message.text.strip() else []
    if isinstance(message, AIMessage):
        pieces += [f"→ {call.get('name')}({as_json_text(call.get('args'))}) [{call.get('id')}]" for call in message.calls]
    elif isinstance(message, ToolMessage):
        pieces.insert(0, f"[{message.tool_call_id}]")
    elif not pieces and not isinstance(message.content, str):
        pieces = [f"{len(message.content)} blocks"]
    return one_line(" ".join(pieces) or '""')


def _cut(text: str, width: int) -> str:
    """The text in at most so many cells."""
    if cells(text) <= width:
        return text
    kept = text[:width]
    while cells(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"
