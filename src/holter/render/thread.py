"""What the timeline needs to know of a whole conversation before it shows a message of it."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec

from holter.messages import AIMessage, CallRef, HumanMessage, Message, Pairing, ToolMessage


class Round(msgspec.Struct, frozen=True):
    """From one human message to the next; the first may begin with what stands before any human message."""

    start: int
    stop: int
    """Position of its first message, and the one after its last."""
    steps: int
    """AI messages."""
    calls: int


class Thread:
    """The messages of a conversation with their calls paired, times written and models told apart."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.pairing = Pairing(messages)
        self.beside = frozenset(_beside(messages, self.pairing))
        """Positions of results that stand right after the message that asked for them: they are shown at their calls."""
        self.times = list(_times(messages))
        """Of each message its local time, with the date where that is another than the one before; empty where unknown."""
        self.new_models = frozenset(_new_models(messages))
        """Positions of AI messages whose model is another than the one before."""
        self.last_step = max((at for at, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)
        """Position of the last AI message."""
        self.ended = any(not isinstance(message, ToolMessage) for message in messages[self.last_step + 1 :])
        """Whether something other than results follows it, so that open calls will stay open."""

    def is_pending(self, ref: CallRef) -> bool:
        """Whether an open call may still get its result."""
        return ref.message == self.last_step and not self.ended

    def rounds(self) -> Iterator[Round]:
        """The rounds, in order; several human messages in a row open one together."""
        human = [isinstance(message, HumanMessage) for message in self.messages]
        starts = [at for at, is_human in enumerate(human) if at == 0 or (is_human and not human[at - 1])]
        for start, stop in pairwise([*starts, len(self.messages)]):
            part = [message for message in self.messages[start:stop] if isinstance(message, AIMessage)]
            yield Round(start, stop, len(part), sum(len(message.calls) for message in part))


def _beside(messages: list[Message], pairing: Pairing) -> Iterator[int]:
    asking = -1
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage):
            asking = at
        elif not isinstance(message, ToolMessage):
            asking = -1
        elif (ref := pairing.answered.get(at)) is not None and ref.message == asking:
            yield at


def _new_models(messages: Iterable[Message]) -> Iterator[int]:
    newest = None
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage) and message.model not in (None, newest):
            newest = message.model
            yield at


def first_day(messages: Iterable[Message]) -> str | None:
    """The local date of the first message whose time is known."""
    return next((message.ts.astimezone().date().isoformat() for message in messages if message.ts), None)


def _times(messages: list[Message]) -> Iterator[str]:
    day = first_day(messages)
    for message in messages:
        if message.ts is None:
            yield ""
            continue
        local = message.ts.astimezone()
        today = local.date().isoformat()
        yield f"{local:%H:%M:%S}" if today == day else f"{today} {local:%H:%M:%S}"
        day = today
