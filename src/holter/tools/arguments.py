"""From what a model wrote as a call's arguments to the object that a tool can be called with.

JSON comes first, and valid JSON is never touched. What is repaired is narrow, unambiguous and reported; everything else is an error that
tells the model where and why. Arguments that were cut off are never run, whatever they could be completed to.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import msgspec

from holter.journal.event import Repaired
from holter.messages import AIMessage
from holter.messages.calls import as_json_text
from holter.messages.content import Block
from holter.messages.message import NO_CALLS
from holter.messages.surrogate import escaped
from holter.tools import argument_text
from holter.tools.argument_fault import fault_of, in_unicode, is_plain, is_unicode, missing_of
from holter.tools.call_id import CallIds
from holter.tools.naming import is_wrapper, resolve, wrapped_calls

CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "token_limit"))
"""What providers call it when the output limit ended an answer, in lower case."""


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """What became of a call's arguments."""

    args: dict[str, Any] | None
    """The object; None when there is none that may be run."""
    error: str = ""
    """Why there is none, as a clause for the model: "bad JSON at character 11 (…)". "" when there is one."""
    repairs: list[Repaired] = []
    """What had to be put right, one entry a rule."""
    split: list[dict[str, Any]] = []
    """Further objects of the same text, in order: each is a call of its own (ARG05)."""


def decode(
    raw: Any,
    *,
    call_id: str | None,
    parameters_schema: dict[str, Any] | None,
    finish_reason: str | None = None,
    output_tokens: int | None = None,
) -> Decoded:
    """The object that `raw` holds: an object itself or the JSON text of one, after the repairs ARG02 to ARG07.

    `finish_reason` is that of the message: an answer that the output limit ended may have lost the end of any argument, so none of its
    calls is run. A tool whose schema is a text and no object gets a text as `{"input": text}`, the form of a custom tool's free text.
    """
    if finish_reason is not None and finish_reason.lower() in CUT:
        return Decoded(None, _cut_off(raw, parameters_schema, output_tokens))
    if isinstance(raw, dict):
        if is_plain(raw):
            return Decoded(raw)
        objects: list[dict[str, Any]] = [raw]
        repairs: argument_text.Repairs = []
    else:
        try:
            objects, repairs = argument_text.read(raw, parameters_schema)
        except argument_text.Refused as refused:
            return Decoded(None, str(refused))
    for args in objects:
        if fault := fault_of(args, parameters_schema):
            return Decoded(None, fault)
    if not all(map(is_unicode, objects)):
        objects = [in_unicode(args) for args in objects]
        repairs = [*repairs, ("CONT03", "Halves of characters (lone surrogates) in the arguments became U+FFFD.")]
    events = _events(repairs, raw, call_id) if repairs else []
    return Decoded(objects[0], "", events, objects[1:])


def _cut_off(raw: Any, schema: dict[str, Any] | None, output_tokens: int | None) -> str:
    """Truncation first; that a field is missing follows from it and comes second."""
    after = f" after {output_tokens:,} tokens" if output_tokens else ""
    text = f"the output limit was reached{after} and the arguments were cut off; send smaller pieces in several calls"
    whole = decode(raw, call_id=None, parameters_schema=schema).args
    return f"{text} ({missing})" if whole is not None and (missing := missing_of(whole, schema)) else text


def _events(repairs: argument_text.Repairs, raw: Any, call_id: str | None) -> list[Repaired]:
    written = escaped(as_json_text(raw))
    return [Repaired(code=code, text=text, call_id=call_id, raw=written) for code, text in repairs]


# The calls of a message


class RepairedCalls(msgspec.Struct, frozen=True):
    """The calls of a message, and the message as it should stand in the thread."""

    calls: list[dict[str, Any]]
    """Every call, in order: one that may be run (type "tool_call"; its name may still be unknown), or one that may not, with the reason
    under "error" (type "invalid_tool_call")."""
    repairs: list[Repaired]
    message: AIMessage
    """The message with the repaired calls in place of what the model wrote; the same object when none was repaired."""


def repaired_calls(message: AIMessage, tools: Mapping[str, Any]) -> RepairedCalls:
    """The calls of `message` with their names and arguments repaired; `tools` by name, each with its JSON Schema as `parameters`.

    One text with several objects becomes several calls, a `multi_tool_use.parallel` the calls inside it. Their ids are made from the one
    id: "k1", "k1_2" and "m1_1", "m1_2", since Anthropic takes no "#" in ids.
    """
    return RepairedCalls(message.tool_calls, [], message) if _is_clean(message, tools) else _let_in(message, tools)


def _let_in(message: AIMessage, tools: Mapping[str, Any]) -> RepairedCalls:
    door = _Door(message, tools)
    made = [door.let_in(call, position) for position, call in enumerate(message.calls)]
    calls = [one.ready for several in made for one in several]
    if all(len(several) == 1 and several[0].kept is call for several, call in zip(made, message.calls, strict=True)):
        return RepairedCalls(calls, door.repairs, message)
    return RepairedCalls(calls, door.repairs, _with_calls(message, [[one.kept for one in several] for several in made]))


def _is_clean(message: AIMessage, tools: Mapping[str, Any]) -> bool:
    """Whether there is plainly nothing to repair: known names, plain objects, an answer that nothing cut off."""
    if message.invalid_tool_calls or (message.response_metadata and (message.finish_reason or "stop").lower() not in _WHOLE):
        return False
    for call in message.tool_calls:
        args = call.get("args")
        name = call.get("name")
        if call.get("type") != "tool_call" or name.__class__ is not str or name not in tools:
            return False
        if args.__class__ is not dict or not is_plain(args):
            return False
    return True


_WHOLE = frozenset(("stop", "tool_calls", "tool_use", "end_turn", "completed"))
"""Reasons of answers that came to their end."""


class _Made(msgspec.Struct, frozen=True, gc=False):
    ready: dict[str, Any]
    """The call for the executor."""
    kept: dict[str, Any]
    """The call for the message."""


class _Door:
    """Where the calls of one message come in."""

    def __init__(self, message: AIMessage, tools: Mapping[str, Any]) -> None:
        self.repairs: list[Repaired] = []
        self._tools = tools
        self._invalid = {id(call) for call in message.invalid_tool_calls}
        self._finish = message.finish_reason or _incomplete(message)
        self._tokens = (message.usage_metadata or {}).get("output_tokens")
        self._ids = CallIds(call.get("id") for call in message.calls)

    def let_in(self, call: dict[str, Any], position: int) -> list[_Made]:
        """What one call becomes: mostly itself."""
        name = call.get("name")
        name = name if isinstance(name, str) else None
        if is_wrapper(name) and name not in self._tools:
            return self._expanded(call, position)
        resolved = resolve(name, self._tools, call_id=call.get("id"))
        if resolved.repair is not None:
            self.repairs.append(resolved.repair)
        if not name or not name.strip():
            return [_Made(_refused({**call, "name": name}, resolved.error), call)]
        named = call if resolved.name in (name, None) else {**call, "name": resolved.name}
        decoded = self._decoded(named, resolved.name)
        self.repairs += decoded.repairs
        if decoded.args is None:
            return [_Made(_refused(named, decoded.error), named)]
        is_object = id(call) not in self._invalid and isinstance(call.get("args"), dict)
        if is_object and not decoded.repairs:
            return [_Made(_ready(named), named)]
        if not decoded.repairs:
            self._say("ARG09", "The arguments came as a text where an object stands.", call)
        ids = [call.get("id"), *(self._ids.made(call.get("id"), n, position) for n in range(2, len(decoded.split) + 2))]
        return _each(named, [decoded.args, *decoded.split], ids)

    def _decoded(self, call: dict[str, Any], known: str | None) -> Decoded:
        schema = _schema(self._tools[known]) if known is not None else None
        return decode(
            call.get("args"), call_id=call.get("id"), parameters_schema=schema, finish_reason=self._finish, output_tokens=self._tokens
        )

    def _expanded(self, wrapper: dict[str, Any], position: int) -> list[_Made]:
        """The calls inside GPT's wrapper; the wrapper itself as a call that may not be run when it is not of its form."""
        decoded = self._decoded(wrapper, None)
        if decoded.args is None:
            return [_Made(_refused(wrapper, decoded.error), wrapper)]
        inner = wrapped_calls(decoded.args) if not decoded.split else []
        if not inner:
            error = (
                "tool_uses must be a list of objects with recipient_name and parameters; better, call the tools themselves, side by side"
            )
            return [_Made(_refused(wrapper, error), wrapper)]
        inside = "call" if len(inner) == 1 else f"{len(inner)} calls"
        self._say("NAME04", f"The wrapper {wrapper['name']} became the {inside} inside it.", wrapper)
        made: list[_Made] = []
        for n, (name, arguments) in enumerate(inner, 1):
            call_id = self._ids.made(wrapper.get("id"), n, position)
            call = {"name": as_json_text(name), "args": arguments, "id": call_id, "type": "tool_call"}
            made += self._inner(call, position)
        if extras := wrapper.get("extras"):
            made[0] = _Made({**made[0].ready, "extras": extras}, {**made[0].kept, "extras": extras})
        return made

    def _inner(self, call: dict[str, Any], position: int) -> list[_Made]:
        """A call inside the wrapper. The prefix of its name belongs to the wrapper's form and is no repair of its own."""
        resolved = resolve(call["name"], self._tools)
        if resolved.repair is not None and resolved.repair.code == "NAME03":
            call = {**call, "name": resolved.name}
        if is_wrapper(call["name"]):
            refused = _refused(call, "a wrapper inside a wrapper is not unpacked; call the tools themselves")
            return [_Made(refused, refused)]
        return [_Made(one.ready, one.ready) for one in self.let_in(call, position)]

    def _say(self, code: str, text: str, call: dict[str, Any]) -> None:
        self.repairs.append(Repaired(code=code, text=text, call_id=call.get("id"), raw=escaped(as_json_text(call.get("args")))))


def _schema(tool: Any) -> dict[str, Any] | None:
    """The JSON Schema of a tool's arguments, which stands in `parameters` itself or in its `schema`."""
    parameters = getattr(tool, "parameters", None)
    schema = parameters if isinstance(parameters, dict) else getattr(parameters, "schema", None)
    return schema if isinstance(schema, dict) else None


def _incomplete(message: AIMessage) -> str | None:
    """Why an answer of OpenAI's Responses API is incomplete; it has no finish reason."""
    details = message.response_metadata.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return reason if isinstance(reason, str) else None


def _ready(call: dict[str, Any]) -> dict[str, Any]:
    """The call as one that may be run; itself when it says so already."""
    return call if call.get("type") == "tool_call" else {**call, "type": "tool_call"}


def _refused(call: dict[str, Any], error: str) -> dict[str, Any]:
    """The call as one that may not be run, and the reason."""
    return {**call, "args": as_json_text(call.get("args")), "error": error, "type": "invalid_tool_call"}


def _each(call: dict[str, Any], objects: list[dict[str, Any]], ids: list[str | None]) -> list[_Made]:
    """A call for each object in place of the one; what the provider said besides (a signature) stays with the first."""
    made = [{"name": call["name"], "args": args, "id": call_id, "type": "tool_call"} for args, call_id in zip(objects, ids, strict=True)]
    if "extras" in call:
        made[0]["extras"] = call["extras"]
    return [_Made(one, one) for one in made]


def _with_calls(message: AIMessage, kept: list[list[dict[str, Any]]]) -> AIMessage:
    """The message with these calls, for each of its own the ones that it became."""
    placed = [call for several in kept for call in several]
    return message.replace(
        content=message.content if isinstance(message.content, str) else _with_marks(message, kept),
        tool_calls=[call for call in placed if call.get("type") != "invalid_tool_call"],
        invalid_tool_calls=[{**call, "index": at} for at, call in enumerate(placed) if call.get("type") == "invalid_tool_call"] or NO_CALLS,
    )


def _with_marks(message: AIMessage, kept: list[list[dict[str, Any]]]) -> list[Block]:
    """The content with the places of the calls marked anew: a mark of one that became several is followed by theirs."""
    starts = list(accumulate(map(len, kept), initial=0))
    left = dict(enumerate(message.calls))
    blocks: list[Block] = []
    content: list[Any] = message.content if isinstance(message.content, list) else []  # LangChain lets plain text stand among blocks
    for block in content:
        at = _marked(block, left) if isinstance(block, dict) and block.get("type") == "tool_call" else None
        if at is None:
            blocks.append(block)
            continue
        del left[at]
        for offset, call in enumerate(kept[at]):
            place = {"position": starts[at] + offset} if "position" in block else {}
            blocks.append({**block, "id": call.get("id"), **place})
    return blocks


def _marked(mark: Block, left: dict[int, dict[str, Any]]) -> int | None:
    """The position of the call that a mark stands for, among those that are left."""
    position = mark.get("position")
    if isinstance(position, int):
        return position if position in left else None
    return next((at for at, call in left.items() if call.get("id") == mark.get("id")), None)
