"""From what a tool returned to the messages and commands that answer its call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from holter.journal.event import Event, Repaired
from holter.messages import RemoveMessage, ToolMessage
from holter.tools.command import Command
from holter.tools.content import Content, to_content
from holter.tools.declaration import Declaration
from holter.tools.request import Result

_REMOVE_ALL = "__remove_all__"
"""The id by which LangGraph's reducer takes every message away, that of the call too."""


class ResultLimit(NamedTuple):
    """How long a result may be."""

    size: int
    in_bytes: bool = False
    """Whether the size is one in bytes of UTF-8, and not in characters."""


def answered(
    tool: Declaration, call_id: str | None, value: Any, emit: Callable[[Event], Any], limit: ResultLimit, messages_key: str = "messages"
) -> Result:
    """What a call comes to, from the value that its tool returned: one message that answers it, and commands.

    ValueError or TypeError when the value is none that a tool may return.
    """
    if value.__class__ is str and len(value) <= limit.size and value.isascii() and tool.response_format == "content":
        return ToolMessage(value, tool_call_id=call_id, name=tool.name)  # the usual result, at a fourth of the cost
    answering = _Answering(tool.name, call_id, emit, limit, messages_key)
    is_pair = tool.response_format == "content_and_artifact"
    match value:
        case ToolMessage():
            return answering.own(value)
        case Command():
            return answering.command(value)
        case list() if any(isinstance(item, ToolMessage | Command) for item in value):
            return answering.several(value)
        case _ if is_pair:
            return answering.pair(value)
        case tuple() if any(isinstance(item, ToolMessage | Command) for item in value):
            return answering.several(list(value))
        case _:
            return answering.message(value)


@dataclass(slots=True)
class _Answering:
    """One call that is to be answered."""

    name: str
    call_id: str | None
    emit: Callable[[Event], Any]
    limit: ResultLimit
    messages_key: str

    def message(self, value: Any) -> ToolMessage:
        """The message that a value becomes."""
        made = self._content(value)
        return ToolMessage(made.content, tool_call_id=self.call_id, name=self.name, artifact=made.artifact)

    def pair(self, value: Any) -> ToolMessage:
        """The message that (content, artifact) becomes; of a content that was cut the artifact is the tool's own."""
        if not isinstance(value, tuple) or len(value) != 2:
            found = f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__
            raise ValueError(
                f'with response_format="content_and_artifact" {self.name} must return a pair (content, artifact), found {found}'
            )
        content, artifact = value
        message = self.own(content) if isinstance(content, ToolMessage) else self.message(content)
        return message if artifact is None else message.replace(artifact=artifact)

    def _content(self, value: Any) -> Content:
        made = to_content(value, call_id=self.call_id, max_chars=self.limit.size, in_bytes=self.limit.in_bytes)
        for repair in made.repairs:
            self.emit(repair)
        return made

    def _say(self, text: str) -> None:
        self.emit(Repaired(code="RUN04", text=f"{self.name} {text}", call_id=self.call_id))

    def own(self, message: ToolMessage) -> ToolMessage:
        """A message that the tool made itself: it answers this call, under the tool's name when it has none."""
        if message.tool_call_id != self.call_id:
            self._say(f"answered {message.tool_call_id!r}; its message now answers its own call")
            message = message.replace(tool_call_id=self.call_id)
        made = self._content(message.content)
        if made.content is not message.content and not (isinstance(message.content, list) and isinstance(made.content, str)):
            message = message.replace(content=made.content, artifact=made.artifact if message.artifact is None else message.artifact)
        return message if message.name is not None else message.replace(name=self.name)

    def command(self, command: Command[Any]) -> Result:
        """A command with the message that answers the call in its update; one made from the update where the tool forgot it."""
        if command.graph == Command.PARENT:
            return command
        update = command.update
        match update:
            case list() | tuple() if update and all(isinstance(item, tuple) and len(item) == 2 for item in update):
                return self.command(msgspec.structs.replace(command, update=dict(update)))
            case list():
                return msgspec.structs.replace(command, update=self._messages(update, {}))
            case dict() | None:
                fields = update or {}
                messages = self._messages(_as_list(fields.get(self.messages_key)), fields)
                return msgspec.structs.replace(command, update={**fields, self.messages_key: messages})
            case _:
                return command if self._answers(command) else [command, self._made({})]

    def _messages(self, messages: list[Any], fields: dict[str, Any]) -> list[Any]:
        """The messages of an update with exactly one that answers the call, in its place. A made one stands first: what follows a call
        is its result."""
        if any(isinstance(message, RemoveMessage) and message.id == _REMOVE_ALL for message in messages):
            return messages
        mine = [at for at, message in enumerate(messages) if _answers(message, self.call_id)]
        results = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]
        self._check(len(mine))
        at = mine[0] if mine else results[0] if len(results) == 1 else None
        if at is None:
            return [self._made(fields), *messages]
        answer = messages[at]
        return [*messages[:at], self.own(answer) if isinstance(answer, ToolMessage) else answer, *messages[at + 1 :]]

    def _check(self, answers: int) -> None:
        if answers > 1:
            raise ValueError(f"{self.name} returned {answers} messages that answer its call; one call has one result")

    def _made(self, fields: dict[str, Any]) -> ToolMessage:
        self._say("updated the state without answering its call; the answer was made from the update")
        written = {key: value for key, value in fields.items() if key != self.messages_key}
        if not written:
            return self.message("Done.")
        made = to_content(written, call_id=self.call_id, max_chars=self.limit.size, in_bytes=self.limit.in_bytes)
        return self.message(f"Done. State updated: {made.content}")

    def several(self, values: list[Any]) -> Result:
        """A list of messages and commands, of which exactly one answers the call."""
        for value in values:
            if not isinstance(value, ToolMessage | Command):
                raise TypeError(
                    f"{self.name} returned a list with {type(value).__name__} among messages and commands; it may hold only these"
                )
        answers = [self._answers(value) for value in values]
        self._check(sum(answers))
        at = next((at for at, count in enumerate(answers) if count), None)
        at = self._next_best(values) if at is None else at
        if at is None:
            is_parents = all(isinstance(value, Command) and value.graph == Command.PARENT for value in values)
            return values if is_parents else [*values, self._made({})]
        one = values[at]
        made = self.own(one) if isinstance(one, ToolMessage) else self.command(one)
        return [*values[:at], *(made if isinstance(made, list) else [made]), *values[at + 1 :]]

    def _next_best(self, values: list[Any]) -> int | None:
        """Where nothing answers the call: the only message, or the first command that may carry an answer."""
        messages = [at for at, value in enumerate(values) if isinstance(value, ToolMessage)]
        commands = [at for at, value in enumerate(values) if isinstance(value, Command) and value.graph != Command.PARENT]
        return messages[0] if len(messages) == 1 else commands[0] if commands and not messages else None

    def _answers(self, value: ToolMessage | Command[Any]) -> int:
        """How many messages that answer the call a message or command holds."""
        messages = [value] if isinstance(value, ToolMessage) else messages_of(value, self.messages_key)
        return sum(_answers(message, self.call_id) for message in messages)


def messages_of(command: Command[Any], messages_key: str) -> list[Any]:
    """The messages in a command's update."""
    match command.update:
        case list() as messages:
            return messages
        case dict() as fields:
            return _as_list(fields.get(messages_key))
        case None:
            return []
        case other:
            return _as_list(getattr(other, messages_key, None))


def _as_list(messages: Any) -> list[Any]:
    if messages is None:
        return []
    return list(messages) if isinstance(messages, list | tuple) else [messages]


def _answers(message: Any, call_id: str | None) -> bool:
    if isinstance(message, ToolMessage):
        return message.tool_call_id == call_id
    return isinstance(message, dict) and "tool" in (message.get("role"), message.get("type")) and message.get("tool_call_id") == call_id
