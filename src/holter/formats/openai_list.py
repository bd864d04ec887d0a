"""Reads one list of OpenAI chat messages, and the answer of a response body."""

from collections.abc import Iterable
from typing import Any

from holter.formats.finding import Tally, Unknowns, text_damaged
from holter.formats.form import inside, tool_spec
from holter.formats.openai_message import (
    OWN_EXTRA,
    PLAIN,
    READERS,
    SPECIAL,
    STANDARD_BLOCKS,
    plain_calls,
    read_human,
    read_usage,
    response_metadata,
)
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, ListPlaces, Place, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.message import EMPTY, Message


class ListReading:
    """Reads the messages of one conversation and collects what is unknown on the way."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._unknown = Unknowns()
        self._damaged: list[Finding] = []
        self._tally = Tally()
        self._noted: set[str] = set()
        """Unknown fields that were said."""
        self._plain: set[str] = set()
        """Those of them that only need to be kept."""

    def conversation(self, form: str, values: list[Any], key: str, extra: dict[str, Any]) -> Conversation:
        """The conversation of a message list.

        The loop holds the readers of the plainest messages (text, calls, unknown fields, nothing null) itself: a call per message
        costs a quarter of the reading time. Everything else goes through `message`.
        """
        places = ListPlaces(inside(self._place, key).path if key else self._place.path, len(values), self._place.line)
        messages: list[Message] = []
        append = messages.append
        known = self._plain
        for position, value in enumerate(values):
            if value.__class__ is dict:
                pop = value.pop
                role, content, name = pop("role", None), pop("content", None), pop("name", None)
                made = pop("tool_calls", None) if role == "assistant" else None
                call_id = pop("tool_call_id", None) if role == "tool" else None
                if not value or (known.issuperset(value) and None not in value.values()) or self._learns(value, places, position):
                    if made:
                        if name is None and (content is None or content.__class__ is str) and (calls := plain_calls(made)):
                            if content == "":
                                value["content"] = ""
                            append(AIMessage(content or "", tool_calls=calls, extra=value or EMPTY))
                            continue
                    elif (made is None or made == []) and content.__class__ is str and (name is None or name.__class__ is str):
                        if role == "tool" and call_id.__class__ is str:
                            append(ToolMessage(content, tool_call_id=call_id, name=name, extra=value or EMPTY))
                            continue
                        if role == "assistant" or role == "user" or role == "system":
                            append(PLAIN[role](content, name=name, extra=value or EMPTY))
                            continue
                taken = {"role": role, "content": content, "name": name, "tool_calls": made, "tool_call_id": call_id}
                value |= {field: item for field, item in taken.items() if item is not None}
            append(self.message(value, places[position], position))
        return self.finished(form, messages, places, extra)

    def _learns(self, value: dict[str, Any], places: ListPlaces, position: int) -> bool:
        """Whether fields that no message had before only need to be kept, nulls apart; they are noted, and known from now on."""
        if None in value.values() or not value.keys().isdisjoint(SPECIAL):
            return False
        self._note(value, places[position], position)
        self._plain.update(value)
        return True

    def finished(self, form: str, messages: list[Message], places: Any, extra: dict[str, Any]) -> Conversation:
        tools_known = False
        tools: list[ToolSpec] = []
        for key in ("tools", "functions"):
            if isinstance(extra.get(key), list):
                tools_known = True
                tools += self._tools(extra, key)
        return Conversation(
            format=form,
            messages=messages,
            tools=tools,
            tools_known=tools_known,
            places=places,
            findings=self.findings(),
            place=self._place,
            extra=extra,
        )

    def findings(self) -> list[Finding]:
        return [*self._damaged, *self._tally.rest(), *self._unknown.findings()]

    def left_over(self, choices: list[Any], place: Place) -> dict[str, Any]:
        """The choices that were not read, as a body's field; nothing where there are none."""
        if not choices:
            return {}
        self._damage(f"{len(choices)} choices hold no message, or are too many; they were kept", inside(place, "choices"), None)
        return {"choices": choices}

    def _tools(self, record: dict[str, Any], key: str) -> list[ToolSpec]:
        """Takes the declarations out of a record; what is none stays in it."""
        declared = record.pop(key)
        specs = [(value, tool_spec(value)) for value in declared]
        if odd := [value for value, spec in specs if spec is None]:
            record[key] = odd
            text = f"{len(odd)} of {len(specs)} entries of `{key}` are no declarations; they were kept"
            self._damage(text, inside(self._place, key), None)
        return [spec for _, spec in specs if spec is not None]

    def _damage(self, text: str, place: Place, position: int | None) -> None:
        finding = text_damaged(text, place, position)
        if self._tally.counts(finding):
            self._damaged.append(finding)

    def message(self, value: Any, place: Place, position: int) -> Message:
        """One message, whatever it is: what is no message is kept as text in a human message, with a finding."""
        if not isinstance(value, dict):
            self._damage("this item is no message; it was kept as text", place, position)
            return HumanMessage(as_json_text(value), extra={"role": None})
        role = value.pop("role", None)
        reader = READERS.get(role) if isinstance(role, str) else None
        if reader is None:
            self._unknown.add(f"role {role!r}", place, position)
            reader = read_human
        message = reader(role, value.pop("content", None), value)
        self._note(message.extra, place, position)
        if isinstance(message.content, list):
            self._note_blocks(message.content, place, position)
        return message

    def answer(self, choice: dict[str, Any], body: dict[str, Any], place: Place, position: int) -> AIMessage:
        """The message of one choice, with the body's own fields as response metadata."""
        message = {**choice["message"], "role": "assistant"}
        read = self.message(message, place, position)
        assert isinstance(read, AIMessage)
        metadata = response_metadata(body, {k: v for k, v in choice.items() if k not in ("message", "index")})
        counted = read_usage(body.get("usage")) or read.usage_metadata
        return read.replace(response_metadata={**read.response_metadata, **metadata}, usage_metadata=counted)

    def _note(self, names: Iterable[str], place: Place, position: int) -> None:
        for name in names:
            if name not in OWN_EXTRA and name not in self._noted:
                self._noted.add(name)
                self._unknown.add(f"field {name!r}", inside(place, name, index=place.index), position)

    def _note_blocks(self, content: Any, place: Place, position: int) -> None:
        for number, block in enumerate(content):
            kind = block.get("type")
            if not isinstance(kind, str) or kind not in STANDARD_BLOCKS:
                self._unknown.add(f"block {kind!r}", inside(place, "content", number, index=place.index), position)
