"""Repairs of what messages say: roles, blanks, reasoning, values, and their accounts."""

from __future__ import annotations

import base64
import json
import math
from datetime import date, datetime, time
from typing import Any

from holter.analysis.lint.facts import LONGEST_RESULT
from holter.analysis.lint.rules.thinking_not_leading import THINKING
from holter.analysis.repair.draft import Draft, positions
from holter.messages import AIMessage, Finding, HumanMessage, Message, SystemMessage, ToolSpec
from holter.messages.message import EMPTY, NO_CALLS
from holter.messages.surrogate import repaired
from holter.tools.cut import cut

SIGNATURE = "skip_thought_signature_validator"
"""What Google takes for a signature that is lost (ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-30)."""


def lead_system(draft: Draft, found: list[Finding]) -> None:
    """All system messages joined into the first one, in their order."""
    del found
    system = [message for message in draft.messages if isinstance(message, SystemMessage)]
    rest = [message for message in draft.messages if not isinstance(message, SystemMessage)]
    draft.messages = [_merged(system), *rest]


def _merged(messages: list[Any]) -> Any:
    """One message of several of one role, with a blank line between their texts."""
    if all(isinstance(message.content, str) for message in messages):
        return messages[0].replace(content="\n\n".join(message.content for message in messages if message.content))
    blocks = [block for message in messages for block in _blocks(message)]
    return messages[0].replace(content=blocks)


def _blocks(message: Message) -> list[dict[str, Any]]:
    if isinstance(message.content, str):
        return [{"type": "text", "text": message.content}] if message.content else []
    return list(message.content)


def alternate(draft: Draft, found: list[Finding]) -> None:
    """Neighbours of one role become one message."""
    del found
    made: list[Message] = []
    for message in draft.messages:
        before = made[-1] if made else None
        if isinstance(message, HumanMessage) and isinstance(before, HumanMessage):
            made[-1] = _merged([before, message])
        elif isinstance(message, AIMessage) and isinstance(before, AIMessage):
            joined = _merged([before, message])
            made[-1] = joined.replace(
                tool_calls=[*before.tool_calls, *message.tool_calls],
                invalid_tool_calls=[
                    *before.invalid_tool_calls,
                    *({**call, "index": call.get("index", 0) + len(before.calls)} for call in message.invalid_tool_calls),
                ]
                or NO_CALLS,
                response_metadata=message.response_metadata,
                extra={key: value for key, value in before.extra.items() if key != "content"} or EMPTY,
            )
        else:
            made.append(message)
    draft.messages = made


def add_user_turn(draft: Draft, found: list[Finding]) -> None:
    """A short user line at the end."""
    del found
    draft.messages.append(HumanMessage("Please continue."))


def drop_blanks(draft: Draft, found: list[Finding]) -> None:
    """Blank text blocks go; blanks at the end of the last answer too. A message that would be empty says "(empty)"."""
    for at in positions(found):
        message = draft.messages[at]
        if isinstance(message.content, str):
            content: Any = message.content.rstrip() if isinstance(message, AIMessage) else message.content.strip()
        else:
            content = [block for block in message.content if not (block.get("type") == "text" and not str(block.get("text", "")).strip())]
            if isinstance(message, AIMessage) and at == len(draft.messages) - 1 and content and isinstance(content[-1].get("text"), str):
                content[-1] = {**content[-1], "text": content[-1]["text"].rstrip()}
        has_calls = isinstance(message, AIMessage) and bool(message.calls)
        if not content:
            content = "" if has_calls else "(empty)"
        draft.messages[at] = message.replace(content=content)


def write_content(draft: Draft, found: list[Finding]) -> None:
    """An empty text stands where null stood."""
    for at in positions(found):
        message = draft.messages[at]
        draft.messages[at] = message.replace(extra={**message.extra, "content": ""})


def add_reasoning(draft: Draft, found: list[Finding]) -> None:
    """An empty reasoning, where there was none."""
    for at in positions(found):
        message = draft.answer(at)
        if message is not None:
            draft.messages[at] = message.replace(reasoning="")


def strip_reasoning(draft: Draft, found: list[Finding]) -> None:
    """No reasoning on the wire."""
    for at in positions(found):
        message = draft.answer(at)
        if message is not None:
            extra = {key: value for key, value in message.extra.items() if key != "reasoning_field"}
            draft.messages[at] = message.replace(reasoning=None, extra=extra or EMPTY)


def lead_thinking(draft: Draft, found: list[Finding]) -> None:
    """Thinking blocks first, where the message has some; else thinking is off for this request."""
    for at in positions(found):
        message = draft.answer(at)
        blocks = message.content if message is not None and isinstance(message.content, list) else []
        thoughts = [block for block in blocks if block.get("type") in THINKING]
        if message is None or not thoughts:
            draft.extra["thinking"] = {"type": "disabled"}
            return
        draft.messages[at] = message.replace(content=[*thoughts, *(block for block in blocks if block.get("type") not in THINKING)])


def sign_thoughts(draft: Draft, found: list[Finding]) -> None:
    """The value that Google takes where a signature is lost."""
    for at in positions(found):
        message = draft.answer(at)
        if message is not None and message.calls:
            first = message.calls[0]
            mark: dict[str, Any] = {"thoughtSignature": SIGNATURE}
            if draft.form.startswith("openai."):
                mark = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}
            signed = {**first, "extras": {**(first.get("extras") or {}), **mark}}
            draft.messages[at] = message.replace(
                tool_calls=[signed if call is first else call for call in message.tool_calls],
                invalid_tool_calls=[signed if call is first else call for call in message.invalid_tool_calls] or NO_CALLS,
            )


def as_json(draft: Draft, found: list[Finding]) -> None:
    """Contents that are neither text nor typed blocks, or hold what JSON cannot, as JSON text; a lone block is a list of one."""
    whole = {f.message for f in found if f.code == "CONT01" and not (f.path or "").endswith("]")}
    for at in positions(found):
        message = draft.messages[at]
        content: Any = message.content
        is_block = "content_kind" in message.extra and isinstance(content[0], dict) and isinstance(content[0].get("type"), str)
        if not isinstance(content, str) and not is_block:
            value = content[0] if at in whole else content
            content = json.dumps(_jsonable(value), ensure_ascii=False, sort_keys=True)
        extra = {key: value for key, value in message.extra.items() if key != "content_kind"}
        draft.messages[at] = message.replace(content=content, extra=extra or EMPTY)


def _jsonable(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _jsonable(item) for key, item in value.items()}
        case list() | tuple():
            return [_jsonable(item) for item in value]
        case set() | frozenset():
            return sorted((_jsonable(item) for item in value), key=str)
        case float() if not math.isfinite(value):
            return None
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | bytearray():
            return {"base64": base64.b64encode(value).decode()}
        case None | str() | int() | float() | bool():
            return value
        case _:
            return str(value)


def mend_unicode(draft: Draft, found: list[Finding]) -> None:
    """Split pairs are joined, halves become U+FFFD."""
    for at in positions(found):
        draft.messages[at] = _mended(draft.messages[at])


def _mended(message: Message) -> Message:
    changes: dict[str, Any] = {"content": _deep(message.content)}
    if isinstance(message, AIMessage):
        changes["tool_calls"] = [{**call, "args": _deep(call["args"])} for call in message.tool_calls]
        changes["reasoning"] = None if message.reasoning is None else repaired(message.reasoning)
    return message.replace(**changes)


def _deep(value: Any) -> Any:
    match value:
        case str():
            return repaired(value)
        case dict():
            return {_deep(key): _deep(item) for key, item in value.items()}
        case list():
            return [_deep(item) for item in value]
        case _:
            return value


def fill_results(draft: Draft, found: list[Finding]) -> None:
    """Empty results say that there is no output."""
    for at in positions(found):
        draft.messages[at] = draft.messages[at].replace(content="(no output)")


def cut_results(draft: Draft, found: list[Finding]) -> None:
    """Long results as head and tail with a marker in between."""
    window = draft.extra.get("window_tokens")
    most = window if isinstance(window, int) and window > 0 else LONGEST_RESULT
    for at in positions(found):
        message = draft.messages[at]
        draft.messages[at] = message.replace(content=cut(message.text, most))


_FINISH = ("finish_reason", "stop_reason", "finishReason", "done_reason", "stopReason")


def set_finish(draft: Draft, found: list[Finding]) -> None:
    """The finish reason that what is there calls for; one that was missing is marked as inferred."""
    for finding in found:
        message = draft.answer(finding.message) if finding.message is not None else None
        if message is None or finding.message is None:
            continue
        key = next((key for key in _FINISH if isinstance(message.response_metadata.get(key), str)), "finish_reason")
        words = ("tool_use", "end_turn") if key == "stop_reason" else ("tool_calls", "stop")
        metadata = {**message.response_metadata, key: words[0] if message.calls else words[1]}
        if finding.code == "FIN06":
            metadata["finish_reason_inferred"] = True
        draft.messages[finding.message] = message.replace(response_metadata=metadata)


def set_usage(draft: Draft, found: list[Finding]) -> None:
    """Sums that are sums; the provider's raw numbers stay in the response metadata."""
    for finding in found:
        message = draft.answer(finding.message) if finding.message is not None else None
        usage = dict(message.usage_metadata or {}) if message is not None else {}
        if message is None or finding.message is None or not usage:
            continue
        details: Any = usage.get("input_token_details") or {}
        own = message.response_metadata.get("token_usage")
        if finding.code == "USE05" and isinstance(own, dict):
            usage |= {"input_tokens": own.get("prompt_tokens"), "output_tokens": own.get("completion_tokens")}
        if finding.code == "USE02":
            given: Any = usage.get("input_tokens")
            usage["input_tokens"] = given + (details.get("cache_read") or 0) + (details.get("cache_creation") or 0)
        made: Any = (usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
        usage["total_tokens"] = sum(made)
        metadata = message.response_metadata
        if isinstance(own, dict) and finding.code != "USE05":
            sums = {"prompt_tokens": made[0], "completion_tokens": made[1], "total_tokens": sum(made)}
            metadata = {**metadata, "token_usage": {**own, **sums}, "token_usage_recorded": own}
        draft.messages[finding.message] = message.replace(usage_metadata=usage, response_metadata=metadata)


def free_choice(draft: Draft, found: list[Finding]) -> None:
    """The model chooses again, wherever the record says that it may not."""
    del found
    is_object = draft.form.startswith("anthropic.")
    draft.extra = _freed(draft.extra, is_object)
    for key in ("params", "config", "request"):
        if isinstance(draft.extra.get(key), dict):
            draft.extra[key] = _freed(draft.extra[key], is_object)


def _freed(fields: dict[str, Any], is_object: bool) -> dict[str, Any]:
    """The settings with the choice on auto; `is_object` says that the form writes it as an object."""
    made = dict(fields)
    for key in ("tool_choice", "toolChoice"):
        if key in made:
            made[key] = {"type": "auto"} if is_object and isinstance(made[key], dict) else "auto"
    for key, inner in (("toolConfig", "functionCallingConfig"), ("tool_config", "function_calling_config")):
        config = made.get(key)
        if isinstance(config, dict) and isinstance(config.get(inner), dict):
            made[key] = {**config, inner: {**config[inner], "mode": "AUTO"}}
    return made


def declare_tools(draft: Draft, found: list[Finding]) -> None:
    """The tools that the history uses are declared, with any object for their arguments."""
    del found
    names = dict.fromkeys(call["name"] for m in draft.messages if isinstance(m, AIMessage) for call in m.calls if call["name"])
    draft.tools = [ToolSpec(name, parameters={"type": "object"}) for name in names] or [ToolSpec("unused", parameters={"type": "object"})]
    draft.tools_known = True


def take_last_usage(draft: Draft, found: list[Finding]) -> None:
    """What was recorded as a stream's usage is its last account."""
    del found
    last = next((m for m in reversed(draft.messages) if isinstance(m, AIMessage) and m.usage_metadata), None)
    if last is not None and last.usage_metadata is not None:
        usage = last.usage_metadata
        names = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"), ("total_tokens", "total_tokens"))
        draft.extra["recorded_usage"] = {theirs: usage.get(mine) for theirs, mine in names}
