"""Gemini contents: request bodies, lists of contents, response bodies, and requests kept with their responses.

Source: Gemini API reference, `generateContent` (v1beta), seen 2026-11; names in camelCase (REST) or snake_case (dumps of the Python SDK).

Shape:  `{"contents": [{"role": "user" | "model", "parts": […]}], "systemInstruction": …, "tools": [{"functionDeclarations": […]}]}`; the
        list of `contents` alone; `{"candidates": [{"content": …, "finishReason": …}]}`; `{"request": {…}, "response": {…}}`; a request with
        `response` beside. Calls have an id only in some versions. A content that holds results is several messages here.
Lost:   reading: nulls of optional fields, and which way of writing names was used. Writing: what `Written.losses` says.
"""

from __future__ import annotations

from typing import Any

from holter.errors import UnreadFormat
from holter.formats import gemini_interactions
from holter.formats.form import Form, inside
from holter.formats.gemini_blocks import EXTRAS, KINDS, camel, declared, read_part, response_text
from holter.formats.gemini_request import write
from holter.formats.turn import Turn, invalid, object_call, plain
from holter.formats.wire import Reading
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content
from holter.messages.message import EMPTY
from holter.messages.usage import UsageMetadata, count, usage

NAME = "gemini.contents"

_USER = ("user", "function", "tool")
"""Roles of what the caller says; results were given as `function`, later as `user`."""


# Recognising


def sniff(value: Any) -> bool:
    """A request, a response, a list of contents, or a list of responses that are whole."""
    if isinstance(value, list):
        return _is_content_list(value) or (bool(value) and all(map(_is_whole_response, value)))
    if not isinstance(value, dict):
        return False
    return is_response(value) or _has_contents(value) or _has_contents(value.get("request"))


def is_response(value: Any) -> bool:
    """Whether a value is a response body; a prompt that was blocked has no candidates."""
    if not isinstance(value, dict):
        return False
    candidates = value.get("candidates")
    if not candidates:
        return _block_reason(value) is not None
    return isinstance(candidates, list) and all(map(_is_candidate, candidates))


def _is_candidate(value: Any) -> bool:
    return isinstance(value, dict) and (isinstance(value.get("content"), dict) or bool(value.keys() & {"finishReason", "finish_reason"}))


def _is_whole_response(value: Any) -> bool:
    """Whether a value is a response that ended: pieces of a stream say why they ended only in the last one."""
    return is_response(value) and all(value.keys() & {"finishReason", "finish_reason"} for value in value.get("candidates") or [])


def _block_reason(body: dict[str, Any]) -> str | None:
    """Why the prompt was blocked, where it was."""
    feedback = camel(body).get("promptFeedback")
    if not isinstance(feedback, dict):
        return None
    reason = camel(feedback).get("blockReason")
    return None if reason is None else as_json_text(reason)


def _has_contents(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    contents = value.get("contents")
    return _is_content_list(contents if isinstance(contents, list) else [contents])


def _is_content_list(values: list[Any]) -> bool:
    """Whether these are contents, and the model or parts of a known kind are among them."""
    first = values[:4]
    if not first or not all(map(_is_content, first)):
        return False
    return any(value.get("role") == "model" or any(map(_is_known, value["parts"])) for value in first)


def _is_content(value: Any) -> bool:
    """Whether a value may be a content. Parts of other formats (UI messages, traces) have a `type` or `kind`, Gemini's have not."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list) or value.get("role") not in (*_USER, "model", None):
        return False
    return not any(isinstance(part, dict) and part.keys() & {"type", "kind"} for part in value["parts"][:4])


def _is_known(part: Any) -> bool:
    return isinstance(part, dict) and bool(camel(part).keys() & KINDS)


# Reading


def read(value: Any, place: Place) -> list[Conversation]:
    """One conversation; one per candidate where there are several, one per response where a list holds several.

    Raises UnreadFormat where there is nothing but a prompt that was blocked.
    """
    if isinstance(value, list):
        if all(map(is_response, value)):
            return _read_responses(value, place)
        reading = _Reading(NAME, place)
        reading.contents(value, place)
        return [reading.finished({})]
    if _has_contents(value.get("request")):
        request, response = value.pop("request"), value.pop("response", None)
        return _read_record(request, response, inside(place, "request"), inside(place, "response"), value)
    if _has_contents(value):
        return _read_record(value, value.pop("response", None), place, inside(place, "response"), {})
    return read_response(value, place)


def read_response(body: dict[str, Any], place: Place, form: str = NAME) -> list[Conversation]:
    """One conversation per candidate; streams that put a body together give their own name as `form`."""
    candidates = _candidates(body)
    found = []
    for position, candidate in enumerate(candidates):
        reading = _Reading(form, place)
        reading.answer(candidate, body, inside(place, "candidates", position, index=0))
        found.append(reading.finished({}))
    return found


def _candidates(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Takes the candidates out of a body."""
    candidates = body.pop("candidates", None)
    if not candidates:
        raise UnreadFormat("a Gemini answer without candidates", f"blocked: {_block_reason(body)}")
    return list(candidates)


def _read_responses(bodies: list[dict[str, Any]], place: Place) -> list[Conversation]:
    """The conversations of several responses; those that were blocked are left out as long as one was not."""
    blocked: UnreadFormat | None = None
    found: list[Conversation] = []
    for position, body in enumerate(bodies):
        try:
            found += read_response(body, inside(place, position))
        except UnreadFormat as error:
            blocked = error
    if not found and blocked is not None:
        raise blocked
    return found


def _read_record(request: dict[str, Any], response: Any, place: Place, response_place: Place, outer: dict[str, Any]) -> list[Conversation]:
    """One conversation per candidate of the response, each with the whole request before it."""
    if not is_response(response) or not response.get("candidates"):
        history, extra = _history(request, place)
        kept = {} if response is None else {"response": response}
        return [history.finished({**extra, **outer, **kept}, history.offered)]
    found = []
    for position, candidate in enumerate(_candidates(response)):
        history, extra = _history(dict(request), place)
        history.answer(candidate, response, inside(response_place, "candidates", position, index=history.count))
        found.append(history.finished({**extra, **outer}, history.offered))
    return found


def _history(request: dict[str, Any], place: Place) -> tuple[_Reading, dict[str, Any]]:
    """The reading of a request, and what else the request held. The Python SDK keeps instruction and tools under `config`."""
    reading = _Reading(NAME, place)
    given = request.pop("contents")
    record = camel(request)
    config = record.get("config")
    inner = camel(config) if isinstance(config, dict) else {}
    reading.instruction(record if "systemInstruction" in record else inner, place)
    contents = given if isinstance(given, list) else [given]
    reading.contents(contents, inside(place, "contents"))
    reading.count = len(contents)
    reading.offered = reading.offer(record if "tools" in record else inner, place)
    if isinstance(config, dict):
        record["config"] = inner
    return reading, record


class _Reading(Reading):
    """Reads the contents of one conversation."""

    count = 0
    """How many contents the request had."""
    offered: list[ToolSpec] | None = None
    """The tools that the request offered."""

    def instruction(self, record: dict[str, Any], place: Place) -> None:
        """Takes the system instruction out of a request: a content, parts, or text."""
        if "systemInstruction" not in record:
            return
        at = inside(place, "systemInstruction")
        given = record["systemInstruction"]
        parts = given.get("parts") if isinstance(given, dict) else given
        if not isinstance(parts, str | list):
            self.damaged("the system instruction is neither a content nor text; it was kept", at)
            return
        del record["systemInstruction"]
        self.add(SystemMessage(parts if isinstance(parts, str) else self._content(parts, inside(at, "parts"))), at)

    def offer(self, record: dict[str, Any], place: Place) -> list[ToolSpec] | None:
        """Takes the tools out of a request: functions by their declarations, Google's own tools by their name."""
        given = record.get("tools")
        if not isinstance(given, list):
            return None
        del record["tools"]
        specs, odd = [], []
        for tool in given:
            found = declared(tool)
            specs += [spec for spec in found if spec is not None]
            odd += [tool] if None in found or not found else []
        if odd:
            self.damaged(f"{len(odd)} of {len(given)} entries of `tools` hold no declaration; they were kept", inside(place, "tools"))
            record["tools"] = odd
        return specs

    def contents(self, values: list[Any], place: Place) -> None:
        """Reads the contents of a list that stands at `place`."""
        for position, value in enumerate(values):
            at = inside(place, position, index=position)
            if isinstance(value, dict):
                self._one(dict(value), at)
            else:
                self.no_message(value, at)

    def answer(self, candidate: dict[str, Any], body: dict[str, Any], place: Place) -> None:
        """Reads a candidate. What it and its body say of themselves is response metadata; names are LangChain's."""
        content = candidate.get("content")
        content = dict(content) if isinstance(content, dict) else {}
        parts = content.pop("parts", None)
        content.pop("role", None)
        said = {**camel(body), **camel(candidate)}
        metadata = {RENAMED.get(key, key): item for key, item in said.items() if key not in ("content", "candidates", "index")}
        self.unknown_fields(content, place)
        message = AIMessage(
            **self._turn(parts, inside(place, "content", "parts", index=place.index)),
            response_metadata=metadata or EMPTY,
            usage_metadata=read_usage(said.get("usageMetadata")),
            extra=content or EMPTY,
        )
        self.add(message, place)

    def _one(self, value: dict[str, Any], place: Place) -> None:
        role, parts = value.pop("role", None), value.pop("parts", None)
        at = inside(place, "parts", index=place.index)
        self.unknown_fields(value, place)
        if role not in (*_USER, "model", "system", None):
            self.unknown(f"role {role!r}", place)
        extra = value if role in ("user", "model", None) else {**value, "role": role}
        if role in ("model", "assistant"):
            self.add(AIMessage(**self._turn(parts, at), extra=extra or EMPTY), place)
        elif role == "system":
            self.add(SystemMessage(self._content(parts, at), extra=extra or EMPTY), place)
        else:
            self._user(parts, extra, place)

    def _user(self, parts: Any, extra: dict[str, Any], place: Place) -> None:
        """A tool message for each result, a human message for each run of other parts, in their order."""
        at = inside(place, "parts", index=place.index)
        if not isinstance(parts, list) or not any(map(_is_result, parts)):
            self.add(HumanMessage(self._content(parts, at), extra=extra or EMPTY), place)
            return
        run: list[Block] = []
        start = at
        for position, part in enumerate(parts):
            here = inside(at, position, index=place.index)
            if _is_result(part):
                self._flush(run, start, extra)
                run = []
                self._result(camel(part), here, extra)
            else:
                start = start if run else here
                run.append(self._part(part, here))
        self._flush(run, start, extra)

    def _flush(self, run: list[Block], place: Place, extra: dict[str, Any]) -> None:
        if run:
            self.add(HumanMessage(plain(run), extra=extra or EMPTY), place)

    def _result(self, part: dict[str, Any], place: Place, extra: dict[str, Any]) -> None:
        """A result. A single text under `output`, `result` or `error` is the content itself, anything else its JSON."""
        given = camel(part.pop("functionResponse"))
        name, call_id, response = given.pop("name", None), self.id_text(given.pop("id", None), place), given.pop("response", {})
        key, content = response_text(response)
        if not isinstance(response, dict):
            self.damaged("the response is no object; it was kept", place)
        if name is not None and not isinstance(name, str):
            self.damaged("the name of a result is no text; it was kept", place)
            given["name"] = name
        kept = {
            "response_key": key,
            "response": None if isinstance(response, dict) else response,
            "functionResponse": given or None,
            "part": part or None,
        }
        message = ToolMessage(
            content,
            tool_call_id=call_id,
            name=name if isinstance(name, str) else None,
            status="error" if key == "error" else "success",
            extra={**extra, **{field: item for field, item in kept.items() if item is not None}},
        )
        self.add(message, place)

    def _turn(self, parts: Any, place: Place) -> dict[str, Any]:
        """Content and calls of a model's content."""
        if not isinstance(parts, list):
            return {"content": self._content(parts, place)}
        turn = Turn()
        for position, part in enumerate(parts):
            at = inside(place, position, index=place.index)
            named = camel(part) if isinstance(part, dict) else {}
            if isinstance(named.get("functionCall"), dict):
                turn.call(self._call(named, len(turn.calls), at))
            else:
                turn.block(self._part(part, at))
        return turn.fields()

    def _call(self, part: dict[str, Any], position: int, place: Place) -> dict[str, Any]:
        """A call. One that says it will continue was never finished."""
        given = camel(part.pop("functionCall"))
        name, arguments, call_id = given.pop("name", None), given.pop("args", {}), self.id_text(given.pop("id", None), place)
        self.unknown_fields(part.keys() - EXTRAS, place)
        extras = {**part, **({"functionCall": given} if given else {})}
        call = object_call(name, arguments, call_id, position, extras)
        if given.get("willContinue") is True and call["type"] == "tool_call":
            return invalid(call, as_json_text(call["args"]), "the call was not finished", position)
        return call

    def _content(self, parts: Any, place: Place) -> Content:
        if isinstance(parts, str):
            return parts
        if parts is None:
            return ""
        if isinstance(parts, list):
            return plain([self._part(part, inside(place, i, index=place.index)) for i, part in enumerate(parts)])
        self.damaged("the parts are no list; they were kept", place)
        return [self._part(parts, place)] if isinstance(parts, dict) else as_json_text(parts)

    def _part(self, part: Any, place: Place) -> Block:
        if not isinstance(part, dict):
            return self.no_block(part, place)
        named = camel(part)
        read = read_part(named)
        if "text" in named and read["type"] == "part":
            self.damaged("this part's text is none; it was kept", place)
        elif read["type"] == "part":
            self.unknown(f"part with {', '.join(map(repr, sorted(named))) or 'nothing in it'}", place)
        return read


RENAMED = {"modelVersion": "model_name", "finishReason": "finish_reason", "responseId": "id", "usageMetadata": "usage"}


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(camel(part).get("functionResponse"), dict)


def read_usage(value: Any) -> UsageMetadata | None:
    """Usage metadata from `usageMetadata`. Gemini counts thoughts apart from the answer's tokens; here they are part of the output."""
    if not isinstance(value, dict):
        return None
    said = camel(value)
    thoughts = said.get("thoughtsTokenCount")
    made = [tokens for tokens in map(count, (said.get("candidatesTokenCount"), thoughts)) if tokens is not None]
    return usage(
        said.get("promptTokenCount"),
        sum(made) if made else None,
        said.get("totalTokenCount"),
        cache_read=said.get("cachedContentTokenCount"),
        reasoning=thoughts,
    )


FORM = Form(name=NAME, title="Gemini contents", sniff=sniff, read=read, write=write)
INTERACTIONS_FORM = gemini_interactions.FORM
