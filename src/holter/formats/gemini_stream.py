"""Streamed answers of the Gemini API.

Source: Gemini API reference, `streamGenerateContent` (v1beta), seen 2026-11; streamed arguments as Vertex AI sends them.

Shape:  each event is a response with the parts that came since the last one, and the usage so far. A call may come in pieces: first its
        name with `willContinue`, then `partialArgs` (`jsonPath` and a value, texts in pieces), last an empty call. The last event of a
        candidate has its `finishReason`.
Lost:   how texts and calls were cut into events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from holter.formats import gemini_contents
from holter.formats.finding import Unknowns, input_cut
from holter.formats.form import StreamForm
from holter.formats.gemini_blocks import camel, read_part
from holter.formats.wire import without_nulls
from holter.messages import AIMessageChunk, Conversation, Finding, Place
from holter.messages.calls import as_json_text
from holter.messages.message import EMPTY
from holter.messages.usage import count

NAME = "gemini.stream"

_WIDEST_GAP = 1_000
"""By how many items a path may pass the end of a list; a path that goes farther is kept as it is."""


def sniff(value: Any) -> bool:
    """A response with one candidate, or one whose prompt was blocked."""
    return gemini_contents.is_response(value) and len(value.get("candidates") or [None]) == 1


def key(event: dict[str, Any]) -> str | None:
    """The response's id where the event holds it."""
    own_id = camel(event).get("responseId")
    return own_id if isinstance(own_id, str) else None


class Reader:
    """Puts one answer together: first the response body that the events tell of, then the message in it."""

    def __init__(self) -> None:
        self._body: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._candidate: dict[str, Any] = {}
        self._parts = _Parts()
        self._ended = False
        self._blocked = False
        self._count = 0
        self._first: Place | None = None
        self._last = Place()

    def add(self, event: dict[str, Any], place: Place) -> bool:
        """Takes in the next event; True when it was the last one."""
        self._first, self._last, self._count = self._first or place, place, self._count + 1
        said = camel(event)
        candidates, used = said.pop("candidates", None), said.pop("usageMetadata", None)
        self._body |= said
        if isinstance(used, dict):
            self._usage = _highest(self._usage, camel(used))
        if isinstance(candidates, list) and candidates:
            self._take(camel(candidates[0]))
        else:
            self._blocked = True
        return self._ended or self._blocked

    def finish(self) -> Conversation:
        """What came. An answer of one event is what it is outside a stream; UnreadFormat where that is a blocked prompt alone."""
        if self._blocked and self._count == 1:
            gemini_contents.read_response(self._body, self._first or Place())
        content = {"role": "model", **self._candidate.get("content", {}), "parts": self._parts.finished(ended=self._ended)}
        used = {"usageMetadata": self._usage} if self._usage else {}
        body = {**self._body, **used, "candidates": [{**self._candidate, "content": content}]}
        name = gemini_contents.NAME if self._count == 1 and self._ended else NAME
        (conversation,) = gemini_contents.read_response(body, self._first or Place(), name)
        findings = [*conversation.findings, *self._parts.unknown.findings(), *self._cut()]
        return replace(conversation, findings=findings)

    def _take(self, candidate: dict[str, Any]) -> None:
        content = candidate.pop("content", None)
        self._candidate |= candidate
        self._ended = self._ended or "finishReason" in candidate
        if not isinstance(content, dict):
            return
        parts = content.get("parts")
        rest = {name: item for name, item in content.items() if name != "parts" and item is not None}
        self._candidate["content"] = {**self._candidate.get("content", {}), **rest}
        for part in parts if isinstance(parts, list) else [] if parts is None else [parts]:
            self._parts.add(part, self._last)

    def _cut(self) -> Iterator[Finding]:
        if self._blocked:
            feedback = as_json_text(self._body.get("promptFeedback"))
            yield input_cut(f"the stream ends without an answer: {feedback}", self._last, 0)
        elif not self._ended:
            yield input_cut("the stream ends before its finishReason", self._last, 0)


class _Parts:
    """The parts of an answer in the making."""

    def __init__(self) -> None:
        self.unknown = Unknowns()
        self._parts: list[Any] = []
        self._texts: dict[int, list[str]] = {}
        """Pieces of the part at each position that is a text."""
        self._call: _Call | None = None
        """The call that is still coming."""

    def add(self, part: Any, place: Place) -> None:
        """Takes in a part: a text lengthens the text before it, a piece of a call goes to the call."""
        said = camel(part) if isinstance(part, dict) else {}
        called = said.get("functionCall")
        if isinstance(called, dict):
            self._take_call(said, camel(called), place)
        elif isinstance(said.get("text"), str) and said.keys() <= {"text", "thought", "thoughtSignature"}:
            self._take_text(said)
        else:
            self._parts.append(part)

    def finished(self, *, ended: bool) -> list[Any]:
        """The parts so far. A call that no event closed is whole where the answer ended."""
        if self._call is not None:
            self._close(self._call, whole=ended)
        for at, pieces in self._texts.items():
            self._parts[at] = {**self._parts[at], "text": "".join(pieces)}
        return self._parts

    def _take_text(self, part: dict[str, Any]) -> None:
        at = len(self._parts) - 1
        signature = {name: part[name] for name in ("thoughtSignature",) if name in part}
        if at in self._texts and self._continues(self._parts[at], part):
            self._texts[at].append(part["text"])
            self._parts[at] |= signature
        elif part["text"] or signature:
            self._parts.append(dict(part))
            self._texts[at + 1] = [part["text"]]

    def _continues(self, before: dict[str, Any], part: dict[str, Any]) -> bool:
        """Whether a text goes on: thoughts and answers are apart, and a signature ends what it signs."""
        if not part["text"] and "thoughtSignature" not in part:
            return True
        return bool(before.get("thought")) == bool(part.get("thought")) and "thoughtSignature" not in before

    def _take_call(self, part: dict[str, Any], called: dict[str, Any], place: Place) -> None:
        goes_on = called.pop("willContinue", None) is True
        pieces = called.pop("partialArgs", None)
        if self._call is not None and "name" in called:
            self._close(self._call, whole=True)
        call = self._call
        if call is None:
            call = self._call = _Call(len(self._parts))
            self._parts.append(None)
        call.part |= {name: item for name, item in part.items() if name != "functionCall"}
        call.fields |= called
        for piece in pieces if isinstance(pieces, list) else [] if pieces is None else [pieces]:
            if not call.take(piece):
                self.unknown.add(f"partial argument {as_json_text(piece)[:80]}", place, 0)
        if not goes_on:
            self._close(call, whole=True)

    def _close(self, call: _Call, *, whole: bool) -> None:
        self._parts[call.position] = call.value(whole=whole)
        self._call = None


class _Call:
    """A call that is being put together."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.part: dict[str, Any] = {}
        self.fields: dict[str, Any] = {}
        self._args: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._odd: list[Any] = []

    def take(self, piece: Any) -> bool:
        """Takes in a piece of the arguments; False for one that cannot be put in its place, which is kept."""
        said = without_nulls(camel(piece)) if isinstance(piece, dict) else {}
        path = said.get("jsonPath")
        value = said.get("stringValue", said.get("numberValue", said.get("boolValue")))
        if isinstance(value, str) and isinstance(path, str):
            pieces = self._texts.setdefault(path, [])
            pieces.append(value)
            value = "".join(pieces)
        if isinstance(path, str) and (value is not None or "nullValue" in piece) and _put(self._args, path, value):
            return True
        self._odd.append(piece)
        return False

    def value(self, *, whole: bool) -> dict[str, Any]:
        """The part so far. Whether a call was finished is kept as Gemini says it."""
        given = self.fields.get("args")
        fields = {**self.fields, "args": {**given, **self._args} if isinstance(given, dict) else given if given is not None else self._args}
        if self._odd:
            fields["partialArgs"] = self._odd
        return {"functionCall": fields if whole else {**fields, "willContinue": True}, **self.part}


_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\['((?:[^'\\]|\\.)*)'\]")


def _put(root: dict[str, Any], path: str, value: Any) -> bool:
    """Puts a value where a path like `$.items[0].name` says, making what is missing on the way; False where it does not fit."""
    steps = list(_STEP.finditer(path))
    if not steps or "$" + "".join(step[0] for step in steps) != path:
        return False
    keys: list[Any] = [int(step[2]) if step[2] is not None else step[1] or step[3] or step[4] for step in steps]
    node: Any = root
    for name, after in pairwise(keys):
        if not _fits(node, name):
            return False
        child = node[name] if isinstance(node, list) else node.get(name)
        if child is None:
            child = node[name] = [] if isinstance(after, int) else {}
        node = child
    if not _fits(node, keys[-1]):
        return False
    node[keys[-1]] = value
    return True


def _fits(node: Any, name: Any) -> bool:
    """Whether a value may stand at this name of the node; a list is lengthened for it."""
    if isinstance(node, dict):
        return isinstance(name, str)
    if not isinstance(node, list) or not isinstance(name, int) or name > len(node) + _WIDEST_GAP:
        return False
    node.extend([None] * (name + 1 - len(node)))
    return True


def _highest(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Of each count the highest; of anything else the latest."""
    merged = {**a, **b}
    for name in a.keys() & b.keys():
        counts = count(a[name]), count(b[name])
        if counts[0] is not None and counts[1] is not None:
            merged[name] = max(a[name], b[name])
    return merged


# For whoever shows an answer while it comes


def chunk(event: dict[str, Any]) -> AIMessageChunk | None:
    """What the event adds to the answer; None when it adds nothing. Arguments that come by paths are no text: only the `Reader` puts them
    together."""
    said = camel(event)
    candidates = said.pop("candidates", None)
    candidate = camel(candidates[0]) if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict) else {}
    content = candidate.pop("content", None)
    parts = content.get("parts") if isinstance(content, dict) else None
    named = [camel(part) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    calls = [part for part in named if isinstance(part.get("functionCall"), dict)]
    texts = [part for part in named if part not in calls]
    metadata = {gemini_contents.RENAMED.get(name, name): item for name, item in {**said, **candidate}.items() if name != "index"}
    used = gemini_contents.read_usage(said.get("usageMetadata"))
    plain = "".join(part["text"] for part in texts if part.keys() == {"text"} and isinstance(part["text"], str))
    blocks = [read_part(part) for part in texts if part.keys() != {"text"}]
    pieces = [piece for part in calls if (piece := _called(part)) is not None]
    return AIMessageChunk(
        [*blocks, {"type": "text", "text": plain}] if blocks and plain else blocks or plain,
        tool_call_chunks=pieces,
        usage_metadata=used,
        response_metadata=metadata or EMPTY,
    )


def _called(part: dict[str, Any]) -> dict[str, Any] | None:
    called = camel(part.pop("functionCall"))
    if "name" not in called:
        return None
    args = called.get("args")
    text = "" if args is None and called.get("willContinue") is True else as_json_text(args or {})
    return {"id": called.get("id"), "name": called["name"], "args": text, "extras": part}


STREAM = StreamForm(name=NAME, title="a Gemini stream", sniff=sniff, key=key, starts=lambda _: False, open=Reader)
