"""What readers and writers of the providers' own formats share.

A `Reading` gathers the messages of one conversation, their places, and what is to be said of them. A `Writing` knows which of a log's own
fields go back to where they stood, and gathers what the target cannot say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holter.formats.finding import Unknowns, text_damaged
from holter.formats.form import Loss, inside, tool_spec
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, Place, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.content import Block, text_block

BOOKKEEPING = frozenset({"role", "type", "content", "reasoning_field", "response_key", "arguments"})
"""Names that readers put in `extra` to know how a message stood in its source; they say nothing elsewhere."""

_PLACELESS = ("response_metadata", "usage_metadata", "additional_kwargs", "artifact", "ts")
"""Fields of messages that a request has no place for."""


_LEGACY = {"type": "function_call"}
"""How a call was written before there were several; it says nothing of the call."""


class Reading:
    """One conversation in the making. What is noted is about the message that is added next."""

    def __init__(self, form: str, place: Place) -> None:
        self.form = form
        self.place = place
        self.messages: list[Message] = []
        self.places: list[Place] = []
        self._unknown = Unknowns()
        self._damaged: list[Finding] = []

    def add(self, message: Message, place: Place) -> None:
        """Takes in the next message, which stood at `place`."""
        self.messages.append(message)
        self.places.append(place)

    def unknown(self, name: str, place: Place) -> None:
        """Notes something of an unknown kind, which was kept."""
        self._unknown.add(name, place, len(self.messages))

    def unknown_fields(self, fields: Iterable[str], place: Place) -> None:
        """Notes each of these fields of what stands at `place`."""
        for name in sorted(fields):
            self.unknown(f"field {name!r}", inside(place, name, index=place.index))

    def damaged(self, text: str, place: Place) -> None:
        """Notes something that is not what its place calls for, and was kept."""
        self._damaged.append(text_damaged(text, place, len(self.messages)))

    def no_message(self, value: Any, place: Place) -> None:
        """Keeps what stands for a message and is none, as text."""
        self.damaged("this item is no message; it was kept as text", place)
        self.add(HumanMessage(as_json_text(value), extra={"role": None}), place)

    def no_block(self, value: Any, place: Place) -> Block:
        """What stands for a block and is none, as a text block."""
        self.damaged("this item is no content block; it was kept as text", place)
        return text_block(as_json_text(value))

    def id_text(self, value: Any, place: Place) -> str | None:
        """A call's id; its JSON where it is no text."""
        if value is None or isinstance(value, str):
            return value
        self.damaged("the id of a call is no text; its JSON was kept", place)
        return as_json_text(value)

    def tools(self, record: dict[str, Any], place: Place) -> list[ToolSpec] | None:
        """Takes the declarations out of a record's `tools`; None where it has no such list. What is no declaration stays in the record."""
        declared = record.get("tools")
        if not isinstance(declared, list):
            return None
        del record["tools"]
        specs = [(value, tool_spec(value)) for value in declared]
        if odd := [value for value, spec in specs if spec is None]:
            self.damaged(f"{len(odd)} of {len(specs)} entries of `tools` are no declarations; they were kept", inside(place, "tools"))
            record["tools"] = odd
        return [spec for _, spec in specs if spec is not None]

    def finished(self, extra: dict[str, Any], tools: list[ToolSpec] | None = None) -> Conversation:
        """The conversation; `tools` is None where the source does not say which were offered."""
        return Conversation(
            format=self.form,
            messages=self.messages,
            tools=tools or [],
            tools_known=tools is not None,
            places=self.places,
            findings=[*self._damaged, *self._unknown.findings()],
            place=self.place,
            extra=extra,
        )


def without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {key: item for key, item in value.items() if item is not None}


class Writing:
    """One conversation on its way into a provider's request."""

    def __init__(self, conversation: Conversation, family: str | tuple[str, ...], target: str, extras: frozenset[str]) -> None:
        self.conversation = conversation
        self.own = conversation.format.startswith(family)
        """Whether the conversation was read from this provider's own log, so that everything in it goes back."""
        self._target = target
        self._extras = extras
        self._lost: dict[str, list[int]] = {}
        for position, message in enumerate(conversation.messages):
            self._placeless(message, position)

    def lost(self, what: str, position: int | None = None) -> None:
        """Notes that the message at `position` has something that cannot be said; None where it is about the conversation."""
        positions = self._lost.setdefault(what, [])
        if position is not None and position not in positions[-1:]:
            positions.append(position)

    def losses(self) -> list[Loss]:
        """What was lost, in the order it was noted; the record's own fields last."""
        losses = [Loss(what, positions) for what, positions in self._lost.items()]
        if self.conversation.extra:
            losses.append(Loss(f"the record's own fields: {', '.join(sorted(self.conversation.extra))}"))
        return losses

    def extras(self, value: Block) -> dict[str, Any]:
        """What goes back beside a block or call: all of its extras where they are this provider's, else those that it knows."""
        extras = value.get("extras")
        if not isinstance(extras, dict):
            return {}
        return dict(extras) if self.own else {key: item for key, item in extras.items() if key in self._extras}

    def left_beside(self, value: Block, position: int, *, said: frozenset[str] = frozenset()) -> None:
        """Notes what `extras` leaves out of a block or call that was written; `said` are keys that were said in another way."""
        extras = value.get("extras")
        if self.own or not isinstance(extras, dict):
            return
        left = extras.keys() - self._extras - said
        if value.get("type") == "reasoning" and left:
            self.lost("reasoning: its signature or encrypted form, which only its own provider reads", position)
        elif value.get("type") in ("tool_call", "invalid_tool_call"):
            if left and extras != _LEGACY:
                self.lost("tool_calls: what only its own provider knows of a call", position)
        elif left := left - {"type"}:
            self.lost(f"content: {', '.join(sorted(map(str, left)))} of a block", position)

    def beside(self, message: Message, position: int, made_here: frozenset[str]) -> dict[str, Any]:
        """The message's unknown fields where they are this provider's; `made_here` are names that its reader put there."""
        if self.own:
            return {key: item for key, item in message.extra.items() if key not in made_here}
        if message.extra.keys() - BOOKKEEPING:
            self.lost("extra: fields of another format", position)
        return {}

    def is_foreign_file(self, block: Block, position: int) -> bool:
        """Whether a block is a file by an id that another provider gave, which is noted."""
        if self.own or "file_id" not in block:
            return False
        self.lost(f"block {block.get('type')!r}: its file_id is another provider's", position)
        return True

    def _placeless(self, message: Message, position: int) -> None:
        for field in _PLACELESS:
            if getattr(message, field, None):
                self.lost(f"{field}: {self._target} has no place for it", position)
        if message.name is not None and not isinstance(message, ToolMessage):
            self.lost(f"name: {self._target} has no place for it", position)
        if message.id is not None and not self.own and isinstance(message, AIMessage) and not message.response_metadata:
            self.lost(f"id: {self._target} has no place for it", position)
