"""What is odd in how a stream of OpenAI chat chunks cuts its calls: the STRM findings. Codes and names are the rule catalogue's.

A merger copes with all of it; who merges by hand, or reads `index` blindly, does not.
"""

from __future__ import annotations

from typing import Any

from holter.messages import Finding, Place, Severity

_ENOUGH_SNAPSHOTS = 3
_ENOUGH_LONG_SNAPSHOTS = 2
_LONG = 4
"""Characters from which on a text that is said again whole is hardly a word by chance."""


class _Call:
    """One call as its deltas have told it so far."""

    __slots__ = ("args", "call_id", "deltas")

    def __init__(self) -> None:
        self.call_id: str | None = None
        self.args = ""
        self.deltas = 0


class StreamNotes:
    """Looks at the deltas of one answer, chunk by chunk."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        """What was found, in the order of the chunks."""
        self._calls: dict[Any, _Call] = {}
        self._latest: Any = None
        self._made = 0
        self._has_snapshot = False
        self._text = ""
        self._grown = 0
        self._grown_at: Place | None = None
        self._grows = True

    def add(self, delta: Any, place: Place) -> None:
        """Takes in the delta of a chunk, which stands at `place`."""
        if not isinstance(delta, dict):
            return
        content = delta.get("content")
        if isinstance(content, str) and content:
            self._content(content, place)
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            lacks_index = False
            for call in calls:
                if isinstance(call, dict):
                    lacks_index = self._call(call, place, lacks_index) or lacks_index

    def _content(self, content: str, place: Place) -> None:
        """Whether each text so far begins with the one before: then they are whole values and no deltas."""
        if not self._grows:
            return
        if not self._text:
            self._text = content
        elif content.startswith(self._text) and len(content) > len(self._text):
            enough = _ENOUGH_LONG_SNAPSHOTS if len(self._text) >= _LONG else _ENOUGH_SNAPSHOTS
            self._text = content
            self._grown += 1
            self._grown_at = self._grown_at or place
            if self._grown >= enough:
                self._snapshot("the text", self._grown_at)
        else:
            self._grows = False

    def _call(self, call: dict[str, Any], place: Place, is_told: bool) -> bool:
        """Takes in one delta of a call; whether it lacks its index. `is_told` says that the chunk was reported for that already."""
        function = call.get("function")
        body = function if isinstance(function, dict) else {}
        given_id, args = call.get("id"), body.get("arguments")
        call_id = given_id if isinstance(given_id, str) and given_id else None
        text = args if isinstance(args, str) else ""
        index = call.get("index")
        lacks_index = not isinstance(index, int | str)
        key = self._key_without_index(call_id, body.get("name")) if lacks_index else index
        known = self._calls.get(key)
        if lacks_index and not is_told and not self._has_snapshot and not self._repeats(known, call_id, text):
            what = "continues the open call" if known is not None else "a new id, so a new call"
            self._found("STRM01", "index-missing", "warning", f"a delta of a call has no index: {what}", place)
        if known is None:
            known = self._calls[key] = _Call()
        self._latest = key
        self._join(known, call_id, text, place)
        return lacks_index

    def _join(self, known: _Call, call_id: str | None, text: str, place: Place) -> None:
        if self._repeats(known, call_id, text):
            self._snapshot(f"call {call_id}", place)
            known.args = text
        else:
            if call_id and known.call_id and call_id != known.call_id:
                told = f"one index carries two ids, {known.call_id} and {call_id}: it is a new call"
                self._found("STRM02", "index-reused", "error", told, place)
                known.call_id, known.args, known.deltas = None, "", 0
            elif call_id and known.call_id is None and known.deltas:
                told = f"the id {call_id} came in delta {known.deltas + 1} of its call"
                self._found("STRM03", "late-id", "warning", told, place)
            known.args += text
        known.call_id = call_id or known.call_id
        known.deltas += 1

    def _repeats(self, known: _Call | None, call_id: str | None, text: str) -> bool:
        """Whether a delta says again, whole, what its call has said."""
        return bool(known and call_id and known.call_id == call_id and known.args and text.startswith(known.args))

    def _key_without_index(self, call_id: str | None, name: Any) -> Any:
        """Where a delta without an index belongs: to its id's call, to a new one, or to the open one."""
        if call_id is not None:
            return ("id", call_id)
        if name or self._latest is None:
            self._made += 1
            return ("new", self._made)
        return self._latest

    def _snapshot(self, what: str, place: Place | None) -> None:
        if self._has_snapshot:
            return
        self._has_snapshot = True
        self._found("STRM05", "snapshot-as-delta", "error", f"this chunk repeats {what} whole; values are snapshots, not deltas", place)

    def _found(self, code: str, name: str, severity: Severity, text: str, place: Place | None) -> None:
        at = place or Place()
        self.findings.append(
            Finding(
                code=code,
                name=name,
                severity=severity,
                text=text,
                message=0,
                index=at.index,
                path=at.path or None,
                line=at.line,
                column=at.column,
                fixable=True,
            )
        )
