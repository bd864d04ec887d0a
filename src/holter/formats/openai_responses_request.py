"""A conversation as a request body of the OpenAI Responses API."""

from __future__ import annotations

from typing import Any

from holter.formats.form import Written
from holter.formats.openai_responses_blocks import EXTRAS, HOSTED, ITEMS, PARTS, ROLES, write_part, write_reasoning
from holter.formats.turn import in_order
from holter.formats.wire import Writing
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content


def write(conversation: Conversation) -> Written:
    """A request body: `instructions` where a plain system message leads, `input`, and `tools` when some were offered."""
    return _Writing(conversation).written()


class _Writing(Writing):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation, "openai.responses", "a Responses request", EXTRAS)
        self._items: list[Block] = []

    def written(self) -> Written:
        document: dict[str, Any] = {}
        messages = self.conversation.messages
        lead = messages[0] if messages else None
        instructed = isinstance(lead, SystemMessage) and isinstance(lead.content, str) and lead.id is None and not lead.extra
        if lead is not None and instructed:
            document["instructions"] = lead.content
        for position, message in enumerate(messages):
            if position or not instructed:
                self._message(message, position)
        document["input"] = self._items
        if self.conversation.tools or self.conversation.tools_known:
            document["tools"] = [tool for spec in self.conversation.tools if (tool := self._tool(spec)) is not None]
        return Written(document, self.losses())

    def _message(self, message: Message, position: int) -> None:
        match message:
            case SystemMessage() | HumanMessage():
                self._given(message, position)
            case AIMessage():
                self._answer(message, position)
            case ToolMessage():
                self._result(message, position)

    def _given(self, message: SystemMessage | HumanMessage, position: int) -> None:
        if isinstance(message.content, list) and len(message.content) == 1 and self._is_item(message.content[0]):
            self._items.append(message.content[0])
            return
        usual = "system" if isinstance(message, SystemMessage) else "user"
        role = message.extra.get("role") or usual
        own_id = {"id": message.id} if self.own and message.id is not None else {}
        beside = self.beside(message, position, frozenset({"role"}))
        content = self._content(message.content, position, "input_text")
        role = role if self.own or role in ROLES else usual
        self._items.append({"type": "message", "role": role, "content": content, **own_id, **beside})

    def _result(self, message: ToolMessage, position: int) -> None:
        kind = message.extra.get("type") if self.own else None
        if message.status == "error":
            self.lost("status: a Responses request has no place for it", position)
        own = {key: item for key, item in (("id", message.id), ("name", message.name)) if self.own and item is not None}
        content = self._content(message.content, position, "input_text")
        beside = self.beside(message, position, frozenset({"type", "role"}))
        self._items.append({"type": kind or "function_call_output", "call_id": message.tool_call_id, "output": content, **own, **beside})

    def _answer(self, message: AIMessage, position: int) -> None:
        before = len(self._items)
        own_id = message.id if self.own and isinstance(message.content, str) else None
        for what, block in in_order(message):
            if what == "call":
                self._items.append(self._call(block, position))
            elif block.get("type") == "reasoning":
                self._reasoning(block, position)
            elif self._is_item(block):
                self._items.append(block)
            else:
                self._part(block, {"id": own_id} if own_id else {}, position, first=len(self._items) == before)
        if len(self._items) == before:
            self._items.append({"type": "message", "role": "assistant", "content": ""})
        if self.beside(message, position, frozenset({"role", "content", "reasoning_field"})):
            self.lost("extra: a message of several items has no fields of its own", position)

    def _part(self, block: Block, item: dict[str, Any], position: int, *, first: bool) -> None:
        """Puts a part into the message item that it belongs to: the one before it, where both tell of the same item."""
        if self.is_foreign_file(block, position):
            return
        extras = self.extras(block)
        said = extras.pop("item", item)
        part = write_part(block, extras, "output_text", own=self.own)
        if part is None:
            self.lost(f"block {block.get('type')!r}: the Responses API has none of this kind", position)
            return
        self.left_beside(block, position)
        item = said if isinstance(said, dict) else {}
        head = {"type": "message", "role": "assistant", **({"status": "completed"} if "id" in item else {}), **item}
        last = self._items[-1] if self._items and not first else {}
        if {key: value for key, value in last.items() if key != "content"} == head and isinstance(last.get("content"), list):
            last["content"].append(part)
        else:
            self._items.append({**head, "content": [part]})

    def _reasoning(self, block: Block, position: int) -> None:
        extras = block.get("extras")
        extras = extras if isinstance(extras, dict) else {}
        if self.own or "encrypted_content" in extras or str(extras.get("id")).startswith("rs_"):
            self._items.append(write_reasoning(block, extras))
        else:
            self.lost("reasoning: the Responses API takes back only its own reasoning items", position)

    def _call(self, call: dict[str, Any], position: int) -> Block:
        extras = dict(call.get("extras") or {})
        self.left_beside(call, position, said=frozenset({"type"}) if extras.get("type") == "custom" else frozenset())
        item = extras.get("item") if self.own and isinstance(extras.get("item"), dict) else {}
        if extras.get("type") == "custom" and isinstance(call["args"], dict) and isinstance(call["args"].get("input"), str):
            return {"type": "custom_tool_call", "call_id": call["id"], "name": call["name"], "input": call["args"]["input"], **(item or {})}
        arguments = as_json_text(call["args"])
        return {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": arguments, **(item or {})}

    def _content(self, content: Content, position: int, usual: str) -> Any:
        if isinstance(content, str):
            return content
        parts = []
        for block in content:
            if self.is_foreign_file(block, position):
                continue
            part = write_part(block, self.extras(block), usual, own=self.own)
            if part is None:
                self.lost(f"block {block.get('type')!r}: the Responses API has none of this kind", position)
            else:
                self.left_beside(block, position)
                parts.append(part)
        return parts

    def _is_item(self, block: Block) -> bool:
        """Whether a block stands for an item of its own."""
        kind = block.get("type")
        if not isinstance(kind, str) or kind in PARTS or kind in ("message", "reasoning"):
            return False
        return kind in ITEMS or (self.own and bool(block.keys() & {"id", "call_id", "status"}))

    def _tool(self, spec: ToolSpec) -> dict[str, Any] | None:
        """One tool declaration; None for a hosted tool of somebody else."""
        kind = spec.extra.get("type", "function")
        if kind == "custom" and spec.parameters:  # As Anthropic calls what takes arguments.
            kind = "function"
        if kind not in ("function", "custom", *HOSTED) and not self.own:
            self.lost(f"tool {spec.name!r}: OpenAI hosts no tool of the kind {kind!r}")
            return None
        if kind == spec.name and kind != "function":
            return spec.extra
        described = {"description": spec.description} if spec.description else {}
        parameters = {"parameters": spec.parameters} if spec.parameters or kind == "function" else {}
        strict = {"strict": spec.strict} if spec.strict is not None else {}
        extra = {key: item for key, item in spec.extra.items() if key != "type"} if self.own or kind == "custom" else {}
        return {"type": kind, "name": spec.name, **described, **parameters, **strict, **extra}
