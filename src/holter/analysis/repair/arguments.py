"""Repairs of calls: their arguments, their names, and calls that were written as text."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Any

import msgspec

from holter.analysis.lint.argument import faults_of, nested_texts
from holter.analysis.lint.markup import Leak, first_leak, without
from holter.analysis.lint.place import Wire, wire_of
from holter.analysis.repair.draft import Draft, positions
from holter.messages import AIMessage, Finding, Message, Pairing, ToolMessage, ToolSpec
from holter.messages.calls import tool_call
from holter.messages.content import Content
from holter.messages.message import EMPTY, NO_CALLS
from holter.tools.arguments import repaired_calls
from holter.tools.naming import unknown_tool_text


def repair_calls(draft: Draft, found: list[Finding]) -> None:
    """The runtime's own narrow repairs of names and arguments, for the messages that need one."""
    tools = {tool.name: tool for tool in draft.tools}
    for at in positions(found):
        message = draft.answer(at)
        if message is not None:
            draft.messages[at] = _as_read(repaired_calls(_unlimited(message), tools).message, message)


def _unlimited(message: AIMessage) -> AIMessage:
    """The message as one that no limit ended: what is written in the log is repaired as text, and not run."""
    return message.replace(response_metadata=EMPTY)


def _as_read(made: AIMessage, message: AIMessage) -> AIMessage:
    extra = {key: value for key, value in message.extra.items() if key != "arguments"}
    return made.replace(response_metadata=message.response_metadata, extra=extra or EMPTY)


def decode_nested(draft: Draft, found: list[Finding]) -> None:
    """JSON texts become the values that the schema wants."""
    schemas = {tool.name: tool.parameters for tool in draft.tools}
    for at in positions(found):
        message = draft.answer(at)
        if message is not None:
            calls = [
                {**call, "args": {**call["args"], **nested_texts(call["args"], schemas.get(call["name"], {}))}}
                for call in message.tool_calls
            ]
            draft.messages[at] = message.replace(tool_calls=calls)


UNREADABLE = ("ARG01", "ARG05", "ARG07")
"""Rules about arguments of which no object can be read, once what the runtime repairs has been repaired."""


def wrap_raw(draft: Draft, found: list[Finding]) -> None:
    """Arguments that cannot be read stand under `_raw`, so that the message is valid and nothing of them is lost."""
    for at in positions(found):
        message = draft.answer(at)
        if message is None:
            continue
        made = [_wrapped(call) if _is_unreadable(call, wire_of(draft.form)) else call for call in message.calls]
        valid = [call for call in made if call["type"] == "tool_call"]
        invalid = [{**call, "index": place} for place, call in enumerate(made) if call["type"] != "tool_call"]
        draft.messages[at] = message.replace(tool_calls=valid, invalid_tool_calls=invalid or NO_CALLS)


def _is_unreadable(call: dict[str, Any], wire: Wire) -> bool:
    """Whether no narrower repair reads the arguments."""
    if call["type"] == "tool_call":
        return False
    return any(fault.code in UNREADABLE for fault in faults_of(call, None, wire, was_cut=False, is_clean=True))


def _wrapped(call: dict[str, Any]) -> dict[str, Any]:
    made = tool_call(call["name"], {"_raw": call["args"]}, call["id"], 0, call.get("extras"))
    return made if made["type"] == "tool_call" else call


def set_wire_type(draft: Draft, found: list[Finding]) -> None:
    """Arguments stand as the wire wants them: the mark says how they are written."""
    wants_objects = draft.target is not None and draft.target.demand("ARG09") is not None
    repair_calls(draft, found)
    for at in positions(found):
        message = draft.answer(at)
        if message is not None and wants_objects:
            draft.messages[at] = message.replace(extra={**message.extra, "arguments": "as object"})


def read_markup(draft: Draft, found: list[Finding]) -> None:
    """Markup in a text, or in the reasoning, becomes the calls that it is; the text loses the markup."""
    offered = frozenset(tool.name for tool in draft.tools) or None
    for finding in found:
        message = draft.answer(finding.message) if finding.message is not None else None
        if message is None or finding.message is None or message.calls:
            continue
        in_reasoning = finding.code == "LEAK02"
        block, leak = first_leak((message.reasoning or "") if in_reasoning else message.content, offered)
        if leak is None or not leak.calls:
            continue
        calls = [
            {"name": name, "args": args, "id": f"call_{finding.message}_{place}", "type": "tool_call"}
            for place, (name, args) in enumerate(leak.calls)
        ]
        fields = {"reasoning": without(message.reasoning or "", leak)} if in_reasoning else {"content": _rest(message.content, block, leak)}
        extra = {key: value for key, value in message.extra.items() if key != "content"}
        draft.messages[finding.message] = message.replace(tool_calls=calls, extra=extra or EMPTY, **fields)


def _rest(content: Content, block: int | None, leak: Leak) -> Content:
    """A content without the markup; a block of which nothing is left goes."""
    if isinstance(content, str):
        return without(content, leak)
    changed = [{**one, "text": without(one["text"], leak)} if number == block else one for number, one in enumerate(content)]
    return [one for number, one in enumerate(changed) if number != block or one["text"].strip()] or ""


_ODD = re.compile(r"[^A-Za-z0-9_-]")


def alias_names(draft: Draft, found: list[Finding]) -> None:
    """Names with the letters that the target takes, the same for the tool and its calls, and another one for each."""
    del found
    aliases = _aliases(draft)
    draft.tools = [tool if tool.extra.get("type") else _with_name(tool, aliases.get(tool.name, tool.name)) for tool in draft.tools]
    for at, message in enumerate(draft.messages):
        if isinstance(message, AIMessage) and message.calls:
            draft.messages[at] = message.replace(
                tool_calls=[{**call, "name": aliases.get(call["name"], call["name"])} for call in message.tool_calls],
                invalid_tool_calls=[{**call, "name": aliases.get(call["name"], call["name"])} for call in message.invalid_tool_calls],
            )
        elif isinstance(message, ToolMessage) and message.name in aliases:
            draft.messages[at] = message.replace(name=aliases[message.name])


def _aliases(draft: Draft) -> dict[str, str]:
    """Each name that does not fit -> one that does, and that nothing else has."""
    demand = draft.target.demand("NAME02") if draft.target is not None else None
    if demand is None or demand.pattern is None:
        return {}
    names = [tool.name for tool in draft.tools if not tool.extra.get("type")]
    names += [call["name"] for m in draft.messages if isinstance(m, AIMessage) for call in m.calls if isinstance(call["name"], str)]
    fits = re.compile(demand.pattern).fullmatch
    taken = {name for name in names if fits(name)}
    aliases: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name in taken or not name.strip():
            continue
        base, number = _ODD.sub("_", name), 1
        base = base if fits(base[:1]) else f"_{base}"
        while (alias := base[:60] if number == 1 else f"{base[:60]}_{number}") in taken:
            number += 1
        taken.add(alias)
        aliases[name] = alias
    return aliases


def _with_name(tool: ToolSpec, name: str) -> ToolSpec:
    return msgspec.structs.replace(tool, name=name)


def answer_unknown(draft: Draft, found: list[Finding]) -> None:
    """A call of a tool that there is not is answered with the names that there are, behind the results of the calls before it."""
    known = [tool.name for tool in draft.tools]
    pairing = Pairing(draft.messages)
    made: list[tuple[int, Message]] = []
    for at in positions(found):
        behind = at
        for ref in pairing.of(at):
            name, call_id = ref.call.get("name"), ref.call.get("id")
            if ref.result is not None:
                behind = max(behind, ref.result)
            elif name not in known:
                text = unknown_tool_text(name, known)
                made.append((behind, ToolMessage(text, tool_call_id=call_id, name=name, status="error")))
    for behind, result in sorted(made, key=itemgetter(0))[::-1]:
        draft.messages.insert(behind + 1, result)


UNNAMED = "unnamed_tool"
"""The name of a call that has none."""


def name_unnamed(draft: Draft, found: list[Finding]) -> None:
    """Calls without a name get one that says so: providers refuse a blank one."""
    for at in positions(found):
        message = draft.answer(at)
        if message is None:
            continue
        named = [_named(call) for call in message.calls]
        valid = [call for call in named if call["type"] == "tool_call"]
        invalid = [{**call, "index": place} for place, call in enumerate(named) if call["type"] != "tool_call"]
        draft.messages[at] = message.replace(tool_calls=valid, invalid_tool_calls=invalid or NO_CALLS)


def _named(call: dict[str, object]) -> dict[str, object]:
    if isinstance(call.get("name"), str) and str(call["name"]).strip():
        return call
    extras = call.get("extras")
    made: dict[str, object] = tool_call(UNNAMED, call.get("args"), call.get("id"), 0, extras if isinstance(extras, dict) else None)
    return made
