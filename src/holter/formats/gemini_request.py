"""A conversation as a request body of Gemini's `generateContent`."""

from __future__ import annotations

from typing import Any

import msgspec

from holter.formats.form import Written
from holter.formats.gemini_blocks import EXTRAS, write_part
from holter.formats.turn import in_order
from holter.formats.wire import Writing
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Pairing, SystemMessage, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content, text_block, text_of

_MADE_HERE = frozenset({"role", "response_key", "response", "functionResponse", "part"})
"""Names in `extra` that do not go back as they are."""


def write(conversation: Conversation) -> Written:
    """A request body: `systemInstruction`, `contents`, and `tools` when some were offered. Results in a row are one content."""
    return _Writing(conversation).written()


class _Writing(Writing):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation, ("gemini.contents", "gemini.stream"), "a Gemini request", EXTRAS)
        self._pairing = Pairing(conversation.messages)
        self._instruction: list[dict[str, Any]] = []
        self._contents: list[dict[str, Any]] = []
        self._results: list[dict[str, Any]] | None = None
        """Parts of the content that the next result goes into; None where the last content holds none."""

    def written(self) -> Written:
        for position, message in enumerate(self.conversation.messages):
            self._message(message, position)
        document: dict[str, Any] = {}
        if self._instruction:
            document["systemInstruction"] = {"parts": self._instruction}
        document["contents"] = self._contents
        if self.conversation.tools or self.conversation.tools_known:
            document["tools"] = self._tools(self.conversation.tools)
        return Written(document, self.losses())

    def _message(self, message: Message, position: int) -> None:
        match message:
            case SystemMessage():
                if self._contents:
                    self.lost("position: Gemini has one system instruction, which stands before everything else", position)
                self._instruction += self._parts(message.content, position)
                if message.extra.keys() - {"role"}:
                    self.lost("extra: the system instruction has no fields", position)
            case HumanMessage():
                self._content("user", self._parts(message.content, position), message, position)
            case AIMessage():
                self._content("model", self._answer(message, position), message, position)
            case ToolMessage():
                self._result(message, position)

    def _content(self, role: str, parts: list[dict[str, Any]], message: Message, position: int) -> None:
        self._results = None
        given = message.extra.get("role")
        role = given if self.own and isinstance(given, str) else role
        self._contents.append({"role": role, "parts": parts, **self.beside(message, position, _MADE_HERE)})

    def _result(self, message: ToolMessage, position: int) -> None:
        extra = message.extra if self.own else {}
        beside, outer = extra.get("functionResponse"), extra.get("part")
        said = {"id": message.tool_call_id, "name": message.name or self._name(position)}
        response = {
            **{key: item for key, item in said.items() if item is not None},
            "response": self._response(message, position),
            **(beside if isinstance(beside, dict) else {}),
        }
        part = {"functionResponse": response, **(outer if isinstance(outer, dict) else {})}
        if self._results is not None:
            self._results.append(part)
            self._contents[-1] |= self.beside(message, position, _MADE_HERE)
            return
        self._content("user", [part], message, position)
        self._results = self._contents[-1]["parts"]

    def _name(self, position: int) -> str | None:
        """The name of the call that the result at this position answers: Gemini wants it said, others do without."""
        answered = None if self.own else self._pairing.answered.get(position)
        return None if answered is None else answered.call.get("name")

    def _response(self, message: ToolMessage, position: int) -> Any:
        """The response object: as it was where Gemini's own log says so, else the text under `output` or `error`."""
        if self.own and "response" in message.extra:
            return message.extra["response"]
        key = message.extra.get("response_key") if self.own else None
        if key == "" and isinstance(message.content, str):
            return _decoded(message.content)
        if isinstance(message.content, list) and any(block.get("type") != "text" for block in message.content):
            self.lost("content: a result holds text only", position)
        for block in message.content if isinstance(message.content, list) else []:
            if block.get("type") == "text":
                self.left_beside(block, position)
        return {key or ("error" if message.status == "error" else "output"): text_of(message.content)}

    def _answer(self, message: AIMessage, position: int) -> list[dict[str, Any]]:
        parts = []
        for what, part in in_order(message):
            written = self._part(part, position) if what == "block" else self._call(part, position)
            if written is not None:
                parts.append(written)
        return parts

    def _parts(self, content: Content, position: int) -> list[dict[str, Any]]:
        blocks = [text_block(content)] if isinstance(content, str) else content
        return [part for block in blocks if (part := self._part(block, position)) is not None]

    def _part(self, block: Block, position: int) -> dict[str, Any] | None:
        kind, extras = block.get("type"), self.extras(block)
        if self.is_foreign_file(block, position):
            return None
        part = write_part(block, extras)
        if part is None:
            self.lost(f"block {kind!r}: Gemini has none of this kind", position)
            return None
        self.left_beside(block, position)
        if "filename" in block:
            self.lost("content: the name of a file", position)
        return part

    def _call(self, call: dict[str, Any], position: int) -> dict[str, Any]:
        extras, arguments = self.extras(call), call["args"]
        self.left_beside(call, position)
        if call.get("type") == "invalid_tool_call":
            self.lost("arguments that are no JSON object: their text stands under `raw_arguments`", position)
            arguments = {"raw_arguments": arguments}
        beside = extras.pop("functionCall", {})
        said = {key: call[key] for key in ("id", "name") if call[key] is not None}
        return {"functionCall": {**said, "args": arguments, **(beside if isinstance(beside, dict) else {})}, **extras}

    def _tools(self, specs: list[ToolSpec]) -> list[dict[str, Any]]:
        """Entries of `tools`: one with all functions, then one for each tool of Google's own."""
        functions, hosted = [], []
        for spec in specs:
            kind = spec.extra.get("type")
            if kind is None or kind == "custom":
                functions.append(self._function(spec))
            elif isinstance(kind, str) and kind in spec.extra:
                hosted.append({kind: spec.extra[kind]})
            else:
                self.lost(f"tool {spec.name!r}: Google hosts no tool of the kind {kind!r}")
        return ([{"functionDeclarations": functions}] if functions else []) + hosted

    def _function(self, spec: ToolSpec) -> dict[str, Any]:
        """A declaration. Gemini's own schemas write types in capitals; any other is JSON Schema, which has a field of its own."""
        kind = spec.parameters.get("type")
        capital = isinstance(kind, str) and kind.isupper()
        schema = {"parameters" if capital else "parametersJsonSchema": spec.parameters} if spec.parameters else {}
        return {"name": spec.name, "description": spec.description, **schema, **(spec.extra if self.own else {})}


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {"output": as_json_text(text)}
