"""The four kinds of message, with LangChain's class and field names, because that is what people's logs hold.

Field names and meaning: langchain-core 1.8 (`langchain_core.messages`), seen 2026-11.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NoReturn, Self, TypeAlias

import msgspec

from holter.messages.content import Content, text_of
from holter.messages.pretty import pretty_answer, pretty_message
from holter.messages.usage import UsageMetadata


class _Empty(dict[str, Any]):
    """The one empty mapping that all messages share: creating three dicts per message would cost a third of the reading time."""

    __slots__ = ()

    def __init__(self) -> None:
        """Takes nothing: `dict.__init__` would fill the mapping."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("messages are values: make a changed copy with `message.replace(field=…)`")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: object) -> _Empty:
        return self

    def __copy__(self) -> _Empty:
        return self

    def __reduce__(self) -> str:
        return "EMPTY"


EMPTY = _Empty()


class _NoCalls(list[dict[str, Any]]):
    """The one empty list of invalid calls that nearly all answers share, for the same reason."""

    __slots__ = ()

    def __init__(self) -> None:
        """Takes nothing: `list.__init__` would fill the list."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("messages are values: make a changed copy with `message.replace(field=…)`")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __deepcopy__(self, memo: object) -> _NoCalls:
        return self

    def __copy__(self) -> _NoCalls:
        return self

    def __reduce__(self) -> str:
        return "NO_CALLS"


NO_CALLS = _NoCalls()

ToolCall: TypeAlias = dict[str, Any]
"""`{"name": str, "args": dict, "id": str | None, "type": "tool_call"}`; what else a provider said of the call stands under "extras"."""

InvalidToolCall: TypeAlias = dict[str, Any]
"""`{"name", "args": str (the raw text), "id", "error": str (why), "type": "invalid_tool_call"}`; `index` where it stood among all calls."""


def _place(call: InvalidToolCall) -> int | None:
    """Where the call stood among all calls of its message, 0-based, or None where that is unknown."""
    index = call.get("index")
    return index if isinstance(index, int) and index >= 0 else None


class _Content(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag_field="type"):
    content: Content = ""
    """Text, or a list of blocks (see `holter.messages.content`). The one positional argument."""


class _Message(_Content, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """What the four kinds share. Messages hold no cycles, hence `gc=False`."""

    name: str | None = None
    """Who speaks, where several share a role; for a tool message the tool's name."""
    id: str | None = None
    """The message's own id, unique in a thread."""
    additional_kwargs: dict[str, Any] = msgspec.field(default=EMPTY)
    """What a framework or provider put beside the message's standard fields."""
    response_metadata: dict[str, Any] = msgspec.field(default=EMPTY)
    """The provider's own account of its answer: model_name, finish_reason, id, token_usage, …"""
    extra: dict[str, Any] = msgspec.field(default=EMPTY)
    """Fields of a foreign log that no standard field holds, kept as they were. `role` holds an old role's name (developer, function, …)."""
    ts: datetime | None = None
    """When the message was made, in UTC, where that is known."""

    @property
    def type(self) -> str:
        """LangChain's name of the kind: "system", "human", "ai" or "tool"."""
        return str(self.__struct_config__.tag)

    def replace(self, **changes: Any) -> Self:
        """A copy in which the named fields are changed."""
        return msgspec.structs.replace(self, **changes)

    @property
    def text(self) -> str:
        """The visible text: `content` itself, or its text blocks joined."""
        return text_of(self.content)

    def pretty_repr(self, html: bool = False) -> str:  # noqa: ARG002 - LangChain's signature
        """The message as LangChain prints it; `html` is accepted for compatibility and changes nothing."""
        return pretty_message(self.type, self.name, self.content)

    def pretty_print(self) -> None:
        """Prints `pretty_repr()` on standard output."""
        print(self.pretty_repr())  # noqa: T201 - what the method is for


class SystemMessage(_Message, frozen=True, omit_defaults=True, gc=False, tag="system"):
    """Instructions to the model. The roles `system` and `developer`."""


class HumanMessage(_Message, frozen=True, omit_defaults=True, gc=False, tag="human"):
    """What the user said. The role `user`."""


class AIMessage(_Message, frozen=True, omit_defaults=True, gc=False, tag="ai", kw_only=True):
    """What the model answered: text, calls of tools, or both. The roles `assistant` and `model`."""

    tool_calls: list[ToolCall] = []
    """Calls whose arguments are one JSON object, in the order the model made them."""
    invalid_tool_calls: list[InvalidToolCall] = msgspec.field(default=NO_CALLS)
    """Calls whose arguments are not, with the raw text and the reason; never guessed, never lost."""
    usage_metadata: UsageMetadata | None = None
    """Tokens of the request that made this message, by LangChain's names; None when unknown."""
    reasoning: str | None = None
    """The model's reasoning where the provider gives it beside the content (`reasoning_content`); blocks keep theirs in `content`."""

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, in the provider's own word, or None: `finish_reason`, `stop_reason`, … of the response metadata; of OpenAI
        Responses the reason of an incomplete answer, else its `status`."""
        if not self.response_metadata:
            return None
        for key in ("finish_reason", "stop_reason", "finishReason", "done_reason", "stopReason"):
            value = self.response_metadata.get(key)
            if isinstance(value, str):
                return value
        status, details = self.response_metadata.get("status"), self.response_metadata.get("incomplete_details")
        reason = details.get("reason") if status == "incomplete" and isinstance(details, dict) else None
        return reason if isinstance(reason, str) else status if isinstance(status, str) else None

    @property
    def model(self) -> str | None:
        """The name of the model that answered, or None."""
        for key in ("model_name", "model", "modelVersion", "model_id"):
            value = self.response_metadata.get(key)
            if isinstance(value, str):
                return value
        return None

    @property
    def reasoning_text(self) -> str:
        """All the reasoning there is: the field, then the reasoning blocks of the content."""
        blocks = self.content if isinstance(self.content, list) else []
        parts = [self.reasoning or "", *(str(b.get("reasoning") or "") for b in blocks if b.get("type") == "reasoning")]
        return "\n\n".join(part for part in parts if part)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Valid and invalid calls together, in the order the model made them."""
        if not self.invalid_tool_calls:
            return self.tool_calls
        placed = sorted((c for c in self.invalid_tool_calls if _place(c) is not None), key=lambda c: _place(c) or 0)
        calls: list[dict[str, Any]] = []
        taken = 0
        for call in placed:
            before = self.tool_calls[taken : taken + max((_place(call) or 0) - len(calls), 0)]
            taken += len(before)
            calls += [*before, call]
        return [*calls, *self.tool_calls[taken:], *(c for c in self.invalid_tool_calls if _place(c) is None)]

    def pretty_repr(self, html: bool = False) -> str:  # noqa: ARG002 - LangChain's signature
        """The message as LangChain prints it; `html` is accepted for compatibility and changes nothing."""
        return pretty_answer(pretty_message(self.type, self.name, self.content), self.tool_calls, self.invalid_tool_calls)


class ToolMessage(_Message, frozen=True, omit_defaults=True, gc=False, tag="tool", kw_only=True):
    """The result of one tool call. The role `tool`."""

    tool_call_id: str | None
    """The id of the call this answers; None only in a log that lost it."""
    status: Literal["success", "error"] = "success"
    artifact: Any = None
    """What the tool made for the program and not for the model."""


class RemoveMessage(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="remove"):
    """An instruction to a message reducer: the message with this id goes. Never part of a conversation."""

    id: str
    content: str = ""


Message: TypeAlias = SystemMessage | HumanMessage | AIMessage | ToolMessage

AnyMessage: TypeAlias = Message
"""LangChain's name of it."""


def pretty_repr(message: Message) -> str:
    """The message as LangChain prints it."""
    return message.pretty_repr()
