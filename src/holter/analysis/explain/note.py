"""What the value of a field says in its place: computed, one short sentence each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from holter.analysis.explain.entry import Language
from holter.analysis.explain.phrase import phrases, say
from holter.analysis.explain.walk import Field
from holter.messages import AIMessage, Conversation, Pairing, ToolMessage

_LC_RUN = re.compile(r"(?P<head>lc_run-|run)-(?P<uuid>[0-9a-f-]{36})(?:-(?P<index>\d+))?")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_MASK = re.compile(r"[*xX#•]+")


class Scene(msgspec.Struct, frozen=True):
    """What a note may look at beside its field."""

    conversation: Conversation
    pairing: Pairing
    language: Language

    def say(self, note: str, /, **values: Any) -> str:
        """The note of this name."""
        return say("note", note, self.language, **values)


def scene(conversation: Conversation, language: Language) -> Scene:
    """What the notes of a conversation may look at."""
    return Scene(conversation, Pairing(conversation.messages), language)


def notes(field: Field, at: Scene) -> list[str]:
    """What the value says, the most particular first; empty where there is nothing to add."""
    if field.known is None:
        return []
    found = []
    values = field.known.entry.values
    if isinstance(field.value, str) and field.value in values:
        value = values[field.value]
        found.append(value.zh if at.language == "zh" else value.en)
    name = field.path.rpartition(".")[2]
    for make in _BY_NAME.get(name, ()):
        found += [note for note in make(field, at) if note]
    return found or list(_nothing(field, at))


_Note: TypeAlias = Callable[[Field, Scene], Iterator[str]]


def _nothing(field: Field, at: Scene) -> Iterator[str]:
    if field.value is None:
        yield at.say("null")
    elif field.value in ({}, []):
        yield at.say("none")


def _answer(field: Field, at: Scene) -> AIMessage | None:
    """The message of the model that the field is part of."""
    message = at.conversation.messages[field.message] if field.message is not None else None
    return message if isinstance(message, AIMessage) else None


def _content(field: Field, at: Scene) -> Iterator[str]:
    text = field.value
    if field.depth > 1 or not (text is None or (isinstance(text, str) and not text.strip())):
        return
    if text == "":
        yield at.say("empty")
    elif isinstance(text, str):
        yield at.say("blank", breaks=text.count("\n")) if set(text) == {"\n"} else at.say("blank_spaces")
    if (message := _answer(field, at)) is not None:
        yield at.say("beside_calls" if message.calls else "no_calls_either")


def _id(field: Field, at: Scene) -> Iterator[str]:
    value = field.value
    if not isinstance(value, str):
        return
    if match := _LC_RUN.fullmatch(value):
        index = at.say("lc_run_index", n=match["index"]) if match["index"] else ""
        yield at.say("lc_run", index=index) if match["head"] == "lc_run-" else at.say("run")
        yield from _uuid(match["uuid"], at)
    elif value.startswith("chatcmpl-"):
        yield at.say("chatcmpl")
    elif value.startswith("call_"):
        yield at.say("call_id")
    elif value.startswith("toolu_"):
        yield at.say("toolu")
    elif _UUID.fullmatch(value):
        yield from _uuid(value, at, is_all=True)
    yield from _paired(field, at)


def _uuid(text: str, at: Scene, *, is_all: bool = False) -> Iterator[str]:
    value = UUID(text)
    if value.version == 7:
        yield at.say("uuid7", when=_moment((value.int >> 80) / 1_000))
    elif is_all:
        yield at.say("uuid4") if value.version == 4 else at.say("uuid", version=value.version or "?")


def _paired(field: Field, at: Scene) -> Iterator[str]:
    """Of a call's id its result; nothing for other ids."""
    for ref in at.pairing.of(field.message) if field.message is not None else ():
        if ref.call.get("id") == field.value:
            yield at.say("unanswered") if ref.result is None else at.say("answered", message=ref.result)
            return


def _answers(field: Field, at: Scene) -> Iterator[str]:
    if not isinstance(field.value, str) or field.message is None:
        return
    message = at.conversation.messages[field.message]
    if isinstance(message, ToolMessage):
        ref = at.pairing.answered.get(field.message)
        yield at.say("answers_none") if ref is None else at.say("answers", name=f"`{ref.call.get('name')}`", message=ref.message)
    else:
        yield from _paired(field, at)


def _tool_name(field: Field, at: Scene) -> Iterator[str]:
    ref = at.pairing.answered.get(field.message) if field.message is not None else None
    if ref is not None and ref.call.get("name") == field.value and field.depth == 0:
        yield at.say("same_tool", message=ref.message)


def _number(field: Field, name: str) -> int | None:
    value = field.inside.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _total(field: Field, at: Scene) -> Iterator[str]:
    pairs = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))
    a, b = next(((_number(field, i), _number(field, o)) for i, o in pairs if _number(field, i) is not None), (None, None))
    if isinstance(field.value, int) and a is not None and b is not None:
        yield at.say("sum", a=a, b=b) if a + b == field.value else at.say("sum_odd", a=a, b=b, sum=a + b)


def _reasoning(field: Field, at: Scene) -> Iterator[str]:
    whole = _output_tokens(field, at)
    part = field.value
    if isinstance(part, int) and part and whole:
        yield at.say("share", part=part, whole=whole, percent=round(100 * part / whole), rest=whole - part)


def _output_tokens(field: Field, at: Scene) -> int | None:
    """The output of the request that the field is about."""
    usage = (message.usage_metadata or {}) if (message := _answer(field, at)) is not None else {}
    count = usage.get("output_tokens")
    return count if isinstance(count, int) else None


def _text_tokens(field: Field, at: Scene) -> Iterator[str]:
    text, reasoning, whole = field.value, _number(field, "reasoning_tokens"), _output_tokens(field, at)
    if not isinstance(text, int) or not whole or "prompt_tokens_details" in field.path:
        return
    if reasoning and text == whole:
        yield at.say("text_with_reasoning", reasoning=reasoning, rest=whole - reasoning)
    elif reasoning and text == whole - reasoning:
        yield at.say("text_without_reasoning", reasoning=reasoning)
    elif text == whole:
        yield at.say("all_text", whole=whole)


def _same_count(ours: str, theirs: str) -> _Note:
    def note(field: Field, at: Scene) -> Iterator[str]:
        message = _answer(field, at)
        usage = message.response_metadata.get("token_usage") if message is not None else None
        if isinstance(usage, dict) and usage.get(theirs) == field.value and "usage_metadata" in field.path:
            yield at.say("same_count", path=f"token_usage.{theirs}")

    note.__name__ = f"_same_{ours}"
    return note


def _provider(field: Field, at: Scene) -> Iterator[str]:
    model = field.inside.get("model_name") or field.inside.get("model")
    if not isinstance(model, str) or not isinstance(field.value, str):
        return
    lowered = model.lower().rpartition("/")[2]
    vendor = next((texts[at.language] for begin, texts in phrases()["vendor"].items() if lowered.startswith(begin.lower())), None)
    if field.value != "openai" or lowered.startswith(("gpt", "o1", "o3", "o4", "chatgpt")):
        return
    yield at.say("client_only", model=f"`{model}`", vendor=vendor) if vendor else at.say("client_any", model=model)


def _model(field: Field, at: Scene) -> Iterator[str]:
    if isinstance(field.value, str) and _MASK.fullmatch(field.value):
        yield at.say("masked")


def _finish(field: Field, at: Scene) -> Iterator[str]:
    message = _answer(field, at)
    if message is None:
        return
    if field.value in ("stop", "end_turn") and message.calls:
        yield at.say("finish_with_calls")
    elif field.value in ("tool_calls", "tool_use", "function_call") and not message.calls:
        yield at.say("finish_without_calls")


def _time(field: Field, at: Scene) -> Iterator[str]:
    if isinstance(field.value, int | float) and 1e9 < field.value < 1e10:
        yield at.say("moment", when=_moment(field.value))


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def _arguments(field: Field, at: Scene) -> Iterator[str]:
    if not isinstance(field.value, str):
        return
    try:
        value = json.loads(field.value)
    except (ValueError, RecursionError):
        value = None
    yield at.say("encoded", count=len(value)) if isinstance(value, dict) else at.say("encoded_bad")


_BY_NAME: dict[str, tuple[_Note, ...]] = {
    "content": (_content,),
    "id": (_id,),
    "call_id": (_answers,),
    "tool_call_id": (_answers,),
    "tool_use_id": (_answers,),
    "name": (_tool_name,),
    "total_tokens": (_total, _same_count("total_tokens", "total_tokens")),
    "input_tokens": (_same_count("input_tokens", "prompt_tokens"),),
    "output_tokens": (_same_count("output_tokens", "completion_tokens"),),
    "reasoning_tokens": (_reasoning,),
    "reasoning": (_reasoning,),
    "thoughtsTokenCount": (_reasoning,),
    "text_tokens": (_text_tokens,),
    "model_provider": (_provider,),
    "model_name": (_model,),
    "model": (_model,),
    "finish_reason": (_finish,),
    "stop_reason": (_finish,),
    "created": (_time,),
    "created_at": (_time,),
    "completed_at": (_time,),
    "ts": (_time,),
    "arguments": (_arguments,),
}
