"""Which result answers which call.

Pairing is by position first, then by id: real logs use an id again in a later turn (49 of 200 recorded GPT-4o airline runs do), so a
result belongs to the newest turn that has an open call of its id, and there to the first. A result without an id takes that turn's first
open call of its name; one without a name too, the first open call of the newest turn that has any.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from holter.messages.message import AIMessage, Message, ToolMessage


class CallRef(msgspec.Struct, gc=False, eq=False):
    """One call of a conversation, and its result when there is one."""

    message: int
    """Position of the AI message that made the call, 0-based."""
    position: int
    """Position among that message's calls, invalid ones included."""
    call: dict[str, Any]
    """The call itself, valid or invalid."""
    result: int | None = None
    """Position of the tool message that answers it; None while it is open."""


class _Open:
    """Open calls under a key, as a stack: the newest turn on top, and there the first call. Answered ones are dropped when they come up, so
    that every operation is constant on average."""

    def __init__(self) -> None:
        self._stacks: dict[object, list[CallRef]] = {}

    def add(self, key: object, ref: CallRef) -> None:
        """Puts a call on top; the calls of one message come last one first."""
        self._stacks.setdefault(key, []).append(ref)

    def newest(self, key: object) -> CallRef | None:
        """The first open call of the newest turn that has one under this key."""
        stack = self._stacks.get(key, [])
        while stack and stack[-1].result is not None:
            stack.pop()
        return stack[-1] if stack else None


class Pairing:
    """The calls of a growing list of messages and the results that answer them. Adding a message costs the calls it touches."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.calls: list[CallRef] = []
        """Every call, in order."""
        self.orphans: list[int] = []
        """Positions of tool messages that answer no open call."""
        self.answered: dict[int, CallRef] = {}
        """Position of a tool message -> the call it answers."""
        self._of_message: dict[int, list[CallRef]] = {}
        self._by_id, self._by_name, self._any = _Open(), _Open(), _Open()
        self._count = 0
        for message in messages:
            self.add(message)

    def add(self, message: Message) -> None:
        """Takes in the next message."""
        at, self._count = self._count, self._count + 1
        if isinstance(message, AIMessage) and (calls := message.calls):
            refs = [CallRef(at, position, call) for position, call in enumerate(calls)]
            self.calls += refs
            self._of_message[at] = refs
            for made in reversed(refs):
                self._by_id.add(_key(made.call.get("id")), made)
                self._by_name.add(_key(made.call.get("name")), made)
                self._any.add(None, made)
        elif isinstance(message, ToolMessage):
            ref = self._answered_by(message)
            if ref is None:
                self.orphans.append(at)
            else:
                ref.result = at
                self.answered[at] = ref

    def of(self, message: int) -> list[CallRef]:
        """The calls that the message at this position made, in their order."""
        return self._of_message.get(message, [])

    @property
    def open(self) -> list[CallRef]:
        """Calls that nothing has answered, oldest first."""
        return [ref for ref in self.calls if ref.result is None]

    def _answered_by(self, result: ToolMessage) -> CallRef | None:
        if result.tool_call_id:
            return self._by_id.newest(_key(result.tool_call_id))
        return self._by_name.newest(_key(result.name)) if result.name else self._any.newest(None)


def _key(value: object) -> object:
    """An id or a name as a key: what is no text, as a model may send it, by how it looks."""
    return value if isinstance(value, str) or value is None else repr(value)
