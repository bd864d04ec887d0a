"""Conversations as a list, one a line, in columns that need not be known beforehand."""

from rich.text import Text

from holter.messages import AIMessage, Conversation, HumanMessage
from holter.render.call import brief
from holter.render.control import one_line
from holter.render.quantity import amount
from holter.render.span import span
from holter.render.total import total
from holter.render.view import View
from holter.render.wrap import cells, pad, shorten

_COLUMNS = (("#", 3), ("format", 16), ("messages", 8), ("calls", 5), ("tokens", 7), ("errors", 6))
_GAP = "  "


def list_head() -> Text:
    """The names of the columns."""
    return span(_row([name for name, _ in _COLUMNS]) + _GAP + "begins with", "dim")


def list_line(conversation: Conversation, view: View) -> Text:
    """Position, format, messages, calls, tokens, errors, and the beginning of what was said first."""
    sums, errors = total(conversation), sum(finding.severity == "error" for finding in conversation.findings)
    tokens = amount(sums.total_tokens) if sums.total_tokens else "-"
    counts = [str(conversation.position), conversation.format, amount(sums.messages), amount(sums.calls), tokens, amount(errors)]
    row = _row(counts)
    line = span(row)
    if errors:
        line.stylize("bold red", len(row) - len(counts[-1]))
    return line + span(_GAP + shorten(first_words(conversation), max(view.width - cells(row) - len(_GAP), 20)), "dim")


def first_words(conversation: Conversation) -> str:
    """What the first human message says, in one line; where no human speaks, what is said first and by whom, or what is called."""
    spoken = [message for message in conversation.messages if message.text]
    human = next((message for message in spoken if isinstance(message, HumanMessage)), None)
    if human is None and spoken:
        return f"{spoken[0].type}: {_first(spoken[0].text)}"
    if human is None:
        called = [brief(call) for message in conversation.messages if isinstance(message, AIMessage) for call in message.calls]
        return f"ai: → {', '.join(called[:5])}" if called else ""
    return _first(human.text)


def _first(text: str) -> str:
    return one_line(" ".join(text[:2_000].split()))


def _row(values: list[str]) -> str:
    """Numbers stand to the right of their columns, the format to the left; a long one takes the room that the next number leaves."""
    row, end = "", 0
    for value, (name, width) in zip(values, _COLUMNS, strict=True):
        end += width + (len(_GAP) if row else 0)
        gap = _GAP if row else ""
        row += gap + (pad(value, width) if name == "format" else value.rjust(end - cells(row) - len(gap)))
    return row
