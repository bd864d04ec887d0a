"""A conversation from another format on its way to OpenAI chat: without what only its own provider knows.

Reasoning that stood in blocks goes where servers of this shape keep it, beside the content (`reasoning_content`).
"""

from typing import Any

from msgspec.structs import replace

from holter.formats.form import Loss
from holter.messages import AIMessage, Conversation, ToolSpec
from holter.messages.content import MEDIA, Block
from holter.messages.message import EMPTY, Message

FAMILY = ("openai.chat", "openai.response", "openai.stream")
"""Formats whose own fields are OpenAI chat's own."""

_BLOCK_EXTRAS = frozenset({"detail"})
_SAYABLE = frozenset({"text", "refusal", *MEDIA})


class _Adapting:
    """Takes the messages over one by one and gathers what is lost."""

    def __init__(self) -> None:
        self.lost: dict[str, list[int]] = {}
        self._position = 0

    def message(self, message: Message, position: int) -> Message:
        self._position = position
        changes: dict[str, Any] = {}
        if message.extra:
            self._lose("extra: fields of another format")
            changes["extra"] = EMPTY
        if isinstance(message.content, list):
            changes["content"] = self._blocks(message.content, beside=isinstance(message, AIMessage))
        if isinstance(message, AIMessage):
            if reasoning := message.reasoning_text:
                changes["reasoning"] = reasoning
            changes["tool_calls"] = [self._call(call) for call in message.tool_calls]
            changes["invalid_tool_calls"] = [self._call(call) for call in message.invalid_tool_calls]
            if len(changes.get("content", message.content)) < len(message.content):
                changes["content"] = _plain(changes["content"])
        return message.replace(**changes) if changes else message

    def _blocks(self, blocks: list[Block], *, beside: bool) -> list[Block]:
        """The blocks that can be said; `beside` where reasoning has a place beside the content."""
        kept = []
        for block in blocks:
            kind = block.get("type")
            if kind in _SAYABLE:
                kept.append(self._without_extras(block))
            elif kind == "reasoning" and beside:
                self._lose("content: reasoning stands beside it, and not where it stood in it")
                if block.get("extras"):
                    self._lose("reasoning: its signature or encrypted form, which only its own provider reads")
            elif kind == "tool_call":
                self._lose("content: OpenAI keeps calls apart, and not where they stood in it")
            else:
                self._lose(f"content: OpenAI has no form for a block of the type {kind!r}")
        return kept

    def _without_extras(self, block: Block) -> Block:
        extras = block.get("extras")
        if not isinstance(extras, dict) or extras.keys() <= _BLOCK_EXTRAS:
            return block
        self._lose(f"content: {', '.join(sorted(map(str, extras.keys() - _BLOCK_EXTRAS)))} of a block")
        rest = {key: value for key, value in block.items() if key != "extras"}
        kept = {key: value for key, value in extras.items() if key in _BLOCK_EXTRAS}
        return {**rest, "extras": kept} if kept else rest

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        extras = call.get("extras")
        if not extras:
            return call
        bare = {key: value for key, value in call.items() if key != "extras"}
        if isinstance(extras, dict) and extras.get("type") == "custom":
            return {**bare, "extras": {"type": "custom"}}
        self._lose("tool_calls: what only its own provider knows of a call")
        return bare

    def _lose(self, what: str) -> None:
        positions = self.lost.setdefault(what, [])
        if self._position not in positions[-1:]:
            positions.append(self._position)


def adapted(conversation: Conversation) -> tuple[Conversation, list[Loss]]:
    """The conversation with what OpenAI chat can say, and what was left behind; one of OpenAI chat's own family as it is."""
    if conversation.format in FAMILY:
        return conversation, []
    adapting = _Adapting()
    messages = [adapting.message(message, position) for position, message in enumerate(conversation.messages)]
    tools, lost = _tools(conversation.tools)
    losses = [Loss(what, positions) for what, positions in adapting.lost.items()]
    return replace(conversation, messages=messages, tools=tools), [*losses, *lost]


def _tools(specs: list[ToolSpec]) -> tuple[list[ToolSpec], list[Loss]]:
    """The tools that OpenAI chat can offer, and what was left behind of the others."""
    tools, lost, bare = [], [], False
    for spec in specs:
        kind = spec.extra.get("type")
        free = kind == "custom" and not spec.parameters
        if kind and kind != "custom":
            lost.append(Loss(f"tool {spec.name!r}: OpenAI chat hosts no tool of the kind {kind!r}"))
            continue
        bare = bare or (not free and bool(spec.extra.keys() - {"type"}))
        tools.append(spec if free else replace(spec, extra={}))
    return tools, [Loss("tools: what only their own provider knows of them"), *lost] if bare else lost


def _plain(content: Any) -> Any:
    """Text where a list of blocks holds nothing else: one text block, or none."""
    if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
        return content[0]["text"]
    return "" if content == [] else content
