"""Conversations as styled text for a terminal. Each function yields pieces that are printed one after another, each on lines of its own."""

from collections import Counter
from collections.abc import Iterator

from rich.text import Text

from holter.messages import Conversation, Finding
from holter.render.control import one_line
from holter.render.detail import detail_lines
from holter.render.finding import finding_lines
from holter.render.message import message_lines
from holter.render.paragraph import paragraph
from holter.render.quantity import amount, plural, severities
from holter.render.span import span
from holter.render.thread import Round, Thread, first_day
from holter.render.total import total, total_facts
from holter.render.view import View
from holter.render.wrap import flow

_TOOLS = 20
"""Names of offered tools that are shown."""


def timeline(conversation: Conversation, view: View) -> Iterator[Text]:
    """The whole conversation: what it is, its rounds, its totals, and what was found while reading it."""
    yield _joined(_header(conversation, view))
    thread = Thread(conversation.messages)
    for round_ in thread.rounds():
        yield _rule(round_, view)
        for at in range(round_.start, round_.stop):
            if at not in thread.beside:
                yield _joined([*message_lines(thread, at, view), Text()])
    yield _joined([span(line, "dim") for line in flow(total_facts(total(conversation)), view.width)])
    yield from _found(conversation.findings, conversation, view)


def single(conversation: Conversation, at: int, view: View) -> Iterator[Text]:
    """One message whole, with every field it has, and what was found in it."""
    yield _joined(_title(conversation, view))
    lines = message_lines(Thread(conversation.messages), at, view, alone=True)
    place = conversation.places[at] if at < len(conversation.places) else None
    yield _joined([*lines, *detail_lines(conversation.messages[at], place, view)])
    yield from _found([finding for finding in conversation.findings if finding.message == at], conversation, view)


def _header(conversation: Conversation, view: View) -> list[Text]:
    lines = _title(conversation, view)
    if conversation.shared is not None:
        begins = f"begins like conversation {conversation.shared.conversation} ({plural(conversation.shared.messages, 'message')})"
        lines += paragraph(begins, view.width, "dim")
    if conversation.tools or conversation.tools_known:
        lines += paragraph(_tools(conversation, view), view.width, "dim")
    return lines


def _title(conversation: Conversation, view: View) -> list[Text]:
    source = one_line(conversation.source or "standard input")
    day = first_day(conversation.messages)
    facts = [
        f"conversation {conversation.position}",
        conversation.format,
        plural(len(conversation.messages), "message"),
        *([day] if day else []),
    ]
    first, *others = [span(line, "dim") for line in flow([source, *facts], view.width)]
    first.stylize("not dim bold", 0, len(source))
    return [first, *others]


def _tools(conversation: Conversation, view: View) -> str:
    names = [one_line(tool.name) for tool in conversation.tools]
    shown = names if view.whole else names[:_TOOLS]
    more = [f"… {amount(len(names) - len(shown))} more (--full)"] if len(names) > len(shown) else []
    return f"{plural(len(names), 'tool')}: {', '.join([*shown, *more])}" if names else "no tools were offered"


def _rule(round_: Round, view: View) -> Text:
    """The line that a round begins with; it says how much was done in it where that is more than one answer."""
    label = f" {plural(round_.steps, 'step')}, {plural(round_.calls, 'call')} " if round_.steps > 1 else ""
    return span(f"───{label}".ljust(view.measure, "─"), "dim")


def _found(findings: list[Finding], conversation: Conversation, view: View) -> Iterator[Text]:
    if findings:
        yield span(f"\n{severities(Counter(finding.severity for finding in findings))} found while reading", "bold")
        for finding in findings:
            yield _joined(finding_lines(finding, conversation.source, view))


def _joined(lines: list[Text]) -> Text:
    for line in lines:
        line.rstrip()
    return span("\n").join(lines)
