"""Interactions of the Gemini API: what a model did in steps.

Source: Gemini Interactions API (beta), revision 2026-05-20, seen 2026-11. The first revision wrote the model's steps as `outputs`.

Shape:  `{"object": "interaction", "steps": [{"type": …}]}`: thought, model_output, user_input, function_call, function_result, and the
        calls and results of hosted tools. The model's steps in a row are one message; a thought's signature and a call's own fields stand
        in "extras".
Lost:   nothing on reading; not written.
"""

from __future__ import annotations

from typing import Any

from holter.formats.form import Form, inside
from holter.formats.turn import Turn, object_call, plain
from holter.formats.wire import Reading, without_nulls
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text
from holter.messages.content import MEDIA, Block, Content, media_block, reasoning_block, text_block
from holter.messages.message import EMPTY
from holter.messages.usage import UsageMetadata, count, usage

NAME = "gemini.interactions"

_HOSTED = ("_call", "_result")
"""Endings of the steps of hosted tools, which are kept as blocks: google_search_call, code_execution_result, …"""


def sniff(value: Any) -> bool:
    """An interaction."""
    return isinstance(value, dict) and value.get("object") == "interaction" and isinstance(value.get("steps", value.get("outputs")), list)


def read(value: Any, place: Place) -> list[Conversation]:
    """One conversation. What the interaction says of itself is metadata of its last answer."""
    reading = _Reading(NAME, place)
    key = "steps" if isinstance(value.get("steps"), list) else "outputs"
    steps = value.pop(key)
    tools = reading.tools(value, place)
    reading.asked(value, place)
    reading.steps(steps, inside(place, key))
    if not any(isinstance(message, AIMessage) for message in reading.messages):
        reading.add(AIMessage(), place)
    at = max(i for i, message in enumerate(reading.messages) if isinstance(message, AIMessage))
    said = without_nulls({"model_name" if name == "model" else name: item for name, item in value.items() if name not in _SETTINGS})
    said.pop("object", None)
    reading.messages[at] = reading.messages[at].replace(response_metadata=said or EMPTY, usage_metadata=_usage(said.get("usage")))
    return [reading.finished(without_nulls({name: item for name, item in value.items() if name in _SETTINGS}), tools)]


_SETTINGS = (
    "input",
    "system_instruction",
    "generation_config",
    "previous_interaction_id",
    "response_format",
    "tools",
    "background",
    "store",
)


class _Reading(Reading):
    """Reads the steps of one interaction."""

    def __init__(self, form: str, place: Place) -> None:
        super().__init__(form, place)
        self._turn: Turn | None = None
        self._turn_place = place

    def asked(self, value: dict[str, Any], place: Place) -> None:
        """Takes the instruction and the input out of an interaction that repeats them as text."""
        for key, kind in (("system_instruction", SystemMessage), ("input", HumanMessage)):
            if isinstance(value.get(key), str):
                self.add(kind(value.pop(key)), inside(place, key))

    def steps(self, values: list[Any], place: Place) -> None:
        """Reads the steps of a list that stands at `place`."""
        for position, value in enumerate(values):
            at = inside(place, position, index=position)
            if isinstance(value, dict):
                self._step(without_nulls(value), at)
            else:
                self._close()
                self.no_message(value, at)
        self._close()

    def _step(self, step: dict[str, Any], place: Place) -> None:
        match step.get("type"):
            case "user_input":
                self._close()
                self.add(HumanMessage(plain(self._blocks(step.pop("content", None), place)), extra=self._rest(step, place)), place)
            case "model_output":
                turn = self._open(place)
                for block in self._blocks(step.pop("content", None), place):
                    turn.block(block)
                self.unknown_fields(step.keys() - {"type"}, place)
            case "thought":
                rest = _signed({key: item for key, item in step.items() if key != "type"})
                texts = [str(block.get("text") or "") for block in self._blocks(rest.pop("summary", None), place, "summary")]
                self._open(place).block(reasoning_block("\n\n".join(filter(None, texts)), rest))
            case "function_call":
                self._call(step, place)
            case "function_result":
                self._close()
                self._result(step, place)
            case "text" | "image" | "audio" | "video" | "document":
                self._open(place).block(self._block(step, place))
            case kind:
                if not isinstance(kind, str) or not kind.endswith(_HOSTED):
                    self.unknown(f"step {kind!r}", place)
                self._open(place).block(step)

    def _call(self, step: dict[str, Any], place: Place) -> None:
        turn = self._open(place)
        name, arguments, call_id = step.pop("name", None), step.pop("arguments", {}), self.id_text(step.pop("id", None), place)
        extras = _signed({key: item for key, item in step.items() if key != "type"})
        self.unknown_fields(extras.keys() - {"thoughtSignature"}, place)
        turn.call(object_call(name, arguments, call_id, len(turn.calls), extras))

    def _result(self, step: dict[str, Any], place: Place) -> None:
        name, result, failed = step.pop("name", None), step.pop("result", None), step.pop("is_error", None)
        content: Content = result if isinstance(result, str) else plain(self._blocks(result, place, "result")) if result is not None else ""
        call_id = self.id_text(step.pop("call_id", None), place)
        odd = {key: item for key, item in (("name", name), ("is_error", failed)) if item is not None and not isinstance(item, str | bool)}
        message = ToolMessage(
            content,
            tool_call_id=call_id,
            name=name if isinstance(name, str) else None,
            status="error" if failed is True else "success",
            extra=self._rest({**step, **odd}, place),
        )
        self.add(message, place)

    def _rest(self, step: dict[str, Any], place: Place) -> dict[str, Any]:
        rest = {key: item for key, item in step.items() if key != "type"}
        self.unknown_fields(rest.keys() - {"signature"}, place)
        return rest or EMPTY

    def _blocks(self, value: Any, place: Place, key: str = "content") -> list[Block]:
        """The blocks of a list, a text or an object; an object that is no block is its JSON."""
        at = inside(place, key, index=place.index)
        if value is None:
            return []
        if isinstance(value, list):
            return [self._block(block, inside(at, i, index=place.index)) for i, block in enumerate(value)]
        if isinstance(value, dict) and "type" in value:
            return [self._block(value, at)]
        return [text_block(as_json_text(value))]

    def _block(self, block: Any, place: Place) -> Block:
        if not isinstance(block, dict):
            return self.no_block(block, place)
        match without_nulls(block):
            case {"type": "text", "text": str(text), **rest}:
                return text_block(text, {key: item for key, item in rest.items() if (key, item) != ("annotations", [])})
            case {"type": str(kind), **rest} if (kind in MEDIA or kind == "document") and isinstance(
                rest.get("data", rest.get("uri")), str
            ):
                fields = {"base64": rest.pop("data", None), "url": rest.pop("uri", None)}
                mime = rest.pop("mime_type") if isinstance(rest.get("mime_type"), str) else None
                return media_block("file" if kind == "document" else kind, mime_type=mime, extras=rest, **fields)
        self.unknown(f"block {block.get('type')!r}", place)
        return block

    def _open(self, place: Place) -> Turn:
        """The model's turn, which begins at `place` when none is open."""
        if self._turn is None:
            self._turn, self._turn_place = Turn(), place
        return self._turn

    def _close(self) -> None:
        if self._turn is not None:
            fields, self._turn = self._turn.fields(), None
            self.add(AIMessage(**fields), self._turn_place)


def _signed(step: dict[str, Any]) -> dict[str, Any]:
    """The fields, a signature by the name that Gemini gives it in contents."""
    return {"thoughtSignature" if key == "signature" else key: item for key, item in step.items()}


def _usage(value: Any) -> UsageMetadata | None:
    """Usage metadata from an interaction's `usage`. Thoughts are counted apart; here they are part of the output."""
    if not isinstance(value, dict):
        return None
    thoughts = value.get("total_thought_tokens")
    made = [tokens for tokens in map(count, (value.get("total_output_tokens"), thoughts)) if tokens is not None]
    return usage(
        value.get("total_input_tokens"),
        sum(made) if made else None,
        value.get("total_tokens"),
        cache_read=value.get("total_cached_tokens"),
        reasoning=thoughts,
    )


FORM = Form(name=NAME, title="a Gemini interaction", sniff=sniff, read=read)
