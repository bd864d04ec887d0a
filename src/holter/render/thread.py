"""What the timeline needs to know of a conversation to show a message of it."""

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
    """The messages of a conversation with their calls paired, times written and models told apart. It may grow: a message costs what it
    touches."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = []
        self.pairing = Pairing()
        self.beside: set[int] = set()
        """Positions of results that stand right after the message that asked for them: they are shown at their calls."""
        self.times: list[str] = []
        """Of each message its local time, with the date where that is another than the one before; empty where unknown."""
        self.new_models: set[int] = set()
        """Positions of AI messages whose model is another than the one before."""
        self.makers: dict[int, str] = {}
        """Positions of messages whose maker is to be said, and its name: the node of a graph."""
        self.model: str | None = None
        """The model that answered last, where it is known."""
        self.last_step = -1
        """Position of the last AI message."""
        self.ended = False
        """Whether something other than results follows it, so that open calls will stay open."""
        self._asking = -1
        self._day: str | None = None
        for message in messages:
            self.add(message)

    def add(self, message: Message, maker: str | None = None) -> int:
        """Takes in the next message, and gives its position. `maker` is said above it."""
        at = len(self.messages)
        self.messages.append(message)
        self.pairing.add(message)
        self.times.append(self._time(message))
        if maker is not None:
            self.makers[at] = maker
        if isinstance(message, AIMessage):
            self.last_step, self.ended, self._asking = at, False, at
            if message.model not in (None, self.model):
                self.model = message.model
                self.new_models.add(at)
        elif not isinstance(message, ToolMessage):
            self.ended, self._asking = True, -1
        elif (ref := self.pairing.answered.get(at)) is not None and ref.message == self._asking:
            self.beside.add(at)
        return at

    def put(self, at: int, result: ToolMessage) -> None:
        """Puts a result in the place that was kept for it."""
        self.messages[at], self.times[at] = result, self._time(result)

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

    def _time(self, message: Message) -> str:
        if message.ts is None:
            return ""
        local = message.ts.astimezone()
        today = local.date().isoformat()
        shown = f"{local:%H:%M:%S}" if self._day in (None, today) else f"{today} {local:%H:%M:%S}"
        self._day = today
        return shown


def first_day(messages: Iterable[Message]) -> str | None:
    """The local date of the first message whose time is known."""
    return next((message.ts.astimezone().date().isoformat() for message in messages if message.ts), None)
