"""A conversation as a request body of Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

from holter.formats.anthropic_blocks import EXTRAS, is_hosted, write_block
from holter.formats.form import Written
from holter.formats.turn import in_order
from holter.formats.wire import Writing
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage, ToolSpec
from holter.messages.content import Block, Content, text_block


def write(conversation: Conversation) -> Written:
    """A request body: `system`, `messages`, and `tools` when some were offered. Messages of one role that follow each other are one."""
    return _Writing(conversation).written()


class _Wire:
    """One message of the request in the making; results stand before everything else."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.results: list[Block] = []
        self.contents: list[Content] = []
        self.extra: dict[str, Any] = {}

    def body(self) -> dict[str, Any]:
        if len(self.contents) == 1 and not self.results and isinstance(self.contents[0], str):
            content: Any = self.contents[0]
        else:
            content = self.results + [block for part in self.contents for block in _as_blocks(part)]
        return {"role": self.role, "content": content, **self.extra}


def _as_blocks(content: Content) -> list[Block]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return content


_MADE_HERE = frozenset({"role", "message"})
"""Names in `extra` that do not go back as they are."""


class _Writing(Writing):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation, "anthropic.", "an Anthropic request", EXTRAS)
        self._system: list[Content] = []
        self._wires: list[_Wire] = []

    def written(self) -> Written:
        for position, message in enumerate(self.conversation.messages):
            self._message(message, position)
        document: dict[str, Any] = {}
        if self._system:
            alone = self._system[0] if len(self._system) == 1 else None
            document["system"] = alone if isinstance(alone, str) else [block for part in self._system for block in _as_blocks(part)]
        document["messages"] = [wire.body() for wire in self._wires]
        if self.conversation.tools or self.conversation.tools_known:
            document["tools"] = [tool for spec in self.conversation.tools if (tool := self._tool(spec)) is not None]
        return Written(document, self.losses())

    def _message(self, message: Message, position: int) -> None:
        match message:
            case SystemMessage():
                if self._wires:
                    self.lost("position: Anthropic has one system prompt, which stands before everything else", position)
                self._system.append(self._content(message.content, position))
                if message.extra.keys() - {"role"}:
                    self.lost("extra: the system prompt has no fields", position)
            case HumanMessage():
                wire = self._wire("user")
                wire.contents.append(self._content(message.content, position))
                wire.extra |= self.beside(message, position, _MADE_HERE)
            case ToolMessage():
                self._result(message, position)
            case AIMessage():
                wire = self._wire("assistant")
                wire.contents.append(self._parts(message, position))
                wire.extra |= self.beside(message, position, _MADE_HERE)

    def _wire(self, role: str) -> _Wire:
        """The message that the next one of this role becomes part of."""
        if not self._wires or self._wires[-1].role != role:
            self._wires.append(_Wire(role))
        return self._wires[-1]

    def _result(self, message: ToolMessage, position: int) -> None:
        wire = self._wire("user")
        if wire.contents:
            self.lost("order: in a message with results the results come first", position)
        block: Block = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": self._content(message.content, position)}
        if message.status == "error":
            block["is_error"] = True
        outer = message.extra.get("message")
        wire.extra |= outer if self.own and isinstance(outer, dict) else {}
        wire.results.append({**block, **self.beside(message, position, _MADE_HERE)})

    def _parts(self, message: AIMessage, position: int) -> Content:
        if isinstance(message.content, str) and not message.calls and not message.reasoning:
            return message.content
        blocks = []
        for what, part in in_order(message):
            written = self._block(part, position) if what == "block" else self._call(part, position)
            if written is not None:
                blocks.append(written)
        return blocks

    def _content(self, content: Content, position: int) -> Content:
        if isinstance(content, str):
            return content
        return [written for block in content if (written := self._block(block, position)) is not None]

    def _block(self, block: Block, position: int) -> Block | None:
        kind = block.get("type")
        extras = self.extras(block)
        if kind == "reasoning" and not self.own and "signature" not in extras:
            self.lost("reasoning: Anthropic takes back only thinking that it has signed", position)
            return None
        if self.is_foreign_file(block, position):
            return None
        written = write_block(block, extras)
        if written is None and self.own:
            return block
        if written is None:
            self.lost(f"block {kind!r}: Anthropic has none of this kind", position)
        else:
            self.left_beside(block, position)
        return written

    def _call(self, call: dict[str, Any], position: int) -> Block:
        arguments = call["args"]
        if call.get("type") == "invalid_tool_call":
            self.lost("arguments that are no JSON object: their text stands under `raw_arguments`", position)
            arguments = {"raw_arguments": arguments}
        self.left_beside(call, position)
        name = {} if call["name"] is None else {"name": call["name"]}
        return {"type": "tool_use", "id": call["id"], **name, "input": arguments, **self.extras(call)}

    def _tool(self, spec: ToolSpec) -> dict[str, Any] | None:
        """One tool declaration; None for a hosted tool of somebody else."""
        kind = spec.extra.get("type")
        if kind is not None and kind != "custom":
            if self.own or is_hosted(kind):
                return {"name": spec.name, **spec.extra} if kind != spec.name else spec.extra
            self.lost(f"tool {spec.name!r}: Anthropic hosts no tool of the kind {kind!r}")
            return None
        described = {"description": spec.description} if spec.description else {}
        strict = {"strict": spec.strict} if spec.strict is not None else {}
        extra = spec.extra if self.own else {}
        return {"name": spec.name, **described, "input_schema": spec.parameters or {"type": "object", "properties": {}}, **strict, **extra}
