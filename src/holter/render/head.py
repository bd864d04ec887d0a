"""The line above what is said: position, who speaks, and what is known of it."""

from collections.abc import Iterator

from rich.text import Text

from holter.messages import AIMessage, Message, ToolMessage
from holter.render import gutter
from holter.render.call import brief
from holter.render.control import one_line
from holter.render.paragraph import with_time
from holter.render.span import span
from holter.render.thread import Thread
from holter.render.usage import tokens
from holter.render.view import View
from holter.render.wrap import flow

_ROLE = {"system": "bold magenta", "human": "bold green", "ai": "bold cyan", "tool": "bold yellow"}
_ALARM = "(?<= · )(?:answers no call|error$)"


def head_lines(thread: Thread, at: int, view: View) -> list[Text]:
    """Mostly one line; the time stands at its right end."""
    message = thread.messages[at]
    who = f"{message.type} {one_line(message.name)}" if message.name else message.type
    return title_lines(at, who, list(_facts(thread, at, message)), thread.times[at], view)


def title_lines(at: int, who: str, facts: list[str], time: str, view: View) -> list[Text]:
    """The line of a message at this position, of which this much is known. `who` begins with the message's type."""
    room = view.width - gutter.WIDTH - (len(time) + 1 if time else 0)
    first, *others = flow([who, *facts], room)
    line = span(first, "dim")
    line.stylize(f"not dim {_ROLE[who.partition(' ')[0]]}", 0, len(who))
    line.highlight_regex(_ALARM, "not dim red")
    lines = [gutter.numbered(at) + line, *gutter.blank([span(other, "dim") for other in others])]
    return with_time(lines, time, view.width)


def account_lines(message: AIMessage, time: str, view: View) -> list[Text]:
    """What is known of an answer when it is over, in lines of its own: tokens, and why it ended; nothing where nothing is known."""
    facts = list(_account(message))
    room = view.width - gutter.WIDTH - (len(time) + 1 if time else 0)
    return with_time(gutter.blank([span(line, "dim") for line in flow(facts, room)]), time, view.width) if facts else []


def _facts(thread: Thread, at: int, message: Message) -> Iterator[str]:
    """What the head says besides the speaker."""
    if at in thread.makers:
        yield one_line(thread.makers[at])
    role = message.extra.get("role")
    if isinstance(role, str):
        yield one_line(role)
    if isinstance(message, AIMessage):
        if message.model and at in thread.new_models:
            yield one_line(message.model)
        yield from _account(message)
    if isinstance(message, ToolMessage):
        yield _answered(thread, at, message)
        if message.status == "error":
            yield "error"


def _account(message: AIMessage) -> Iterator[str]:
    yield from tokens(message.usage_metadata or {})
    if message.finish_reason:
        yield one_line(message.finish_reason)


def _answered(thread: Thread, at: int, message: ToolMessage) -> str:
    ref = thread.pairing.answered.get(at)
    if ref is None:
        return f"answers no call ({one_line(message.tool_call_id or 'no id')})"
    return f"answers {brief(ref.call)} of message {ref.message}"
