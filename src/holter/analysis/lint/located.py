"""A conversation whose places can be told: what rules report is about a message, a call, a result, or the whole log."""

from __future__ import annotations

import msgspec

from holter.analysis.lint import place as where
from holter.analysis.lint.call import Call
from holter.analysis.lint.rule import Found
from holter.messages import AIMessage, Conversation, Message, Place, Severity


class Located:
    """One conversation, and where each of its messages stands in its source."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.messages: list[Message] = conversation.messages
        self.wire = where.wire_of(conversation.format)
        """How the source writes calls."""
        self.is_in_memory = conversation.format in ("holter.messages", "holter.journal")
        """Whether the messages are a program's own, in no form of writing yet: the target's wire is the one that counts."""

    def at(
        self,
        message: int | None,
        text: str,
        path: str = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a message, or about something at `path` in it; about the whole log for None."""
        if message is None:
            at = Place(path=path, line=self.conversation.place.line)
            return _found(at, path or None, None, text, hint, severity, fixable)
        at = self.place(message)
        return _found(at, where.joined(at.path, path) or None, message, text, hint, severity, fixable)

    def at_call(
        self,
        call: Call,
        text: str,
        part: where.Part = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a call, or its id, name or arguments."""
        message = self.messages[call.message]
        assert isinstance(message, AIMessage)
        at = self.place(call.message)
        if self.wire == "responses" and at.index is not None:
            item = at.index + where.block_position(message, call.position)
            head, _, _ = at.path.rpartition("[")
            at = Place(index=item, path=f"{head}[{item}]", line=at.line, column=at.column)
        path = where.call_path(self.wire, message, call.position, part)
        return _found(at, where.joined(at.path, path), call.message, text, hint, severity, fixable)

    def at_result(
        self,
        message: int,
        text: str,
        part: str = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a result, or its "id" or "content"."""
        path = {"id": where.RESULT_ID, "content": where.RESULT_CONTENT}[part][self.wire] if part else ""
        return self.at(message, text, path, hint=hint, severity=severity, fixable=fixable)

    def at_content(
        self,
        message: int,
        text: str,
        block: int | None = None,
        rest: str = "",
        *,
        hint: str | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about the text of a message, or about one of its blocks; `rest` is what of the block, where it is one in the source."""
        found = self.at(message, text, hint=hint, fixable=fixable)
        path = where.content_path(self.wire, self.place(message).path, self.messages[message], block)
        return msgspec.structs.replace(found, path=where.joined(path, rest if path.endswith("]") else "") or None)

    def at_body(
        self,
        message: int,
        said: where.Said | None,
        text: str,
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about what an answer says of itself: how it ended, or its account; None for the whole answer."""
        found = self.at(message, text, hint=hint, severity=severity, fixable=fixable)
        return msgspec.structs.replace(found, path=where.body_path(self.wire, self.place(message).path, said) or None)

    def place(self, message: int) -> Place:
        """Where a message stood; by its position alone where the source is a list of messages in memory."""
        places = self.conversation.places
        return places[message] if message < len(places) else Place(index=message, path=f"[{message}]")

    def shown(self, message: int) -> int:
        """The position that a text calls a message by: that in the source's own list."""
        found = self.place(message).index
        return message if found is None else found


def _found(
    at: Place, path: str | None, message: int | None, text: str, hint: str | None, severity: Severity | None, fixable: bool | None
) -> Found:
    return Found(
        text=text,
        message=message,
        index=at.index,
        path=path,
        line=at.line,
        column=at.column,
        hint=hint,
        severity=severity,
        fixable=fixable,
    )
