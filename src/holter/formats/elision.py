"""What a document leaves out of its logs: calls are taken from an earlier part that shows them, texts that trail off are said."""

from collections.abc import Iterator

from msgspec.structs import replace

from holter.formats.finding import elided
from holter.messages import AIMessage, Conversation, Finding, Message, ToolMessage
from holter.messages.message import EMPTY

_PROVIDERS = ("openai", "anthropic", "gemini")
_TRAILING = ("...", "…")
_SAID_EACH = 5
"""Texts that trail off are said one by one up to here."""


def filled(found: list[Conversation]) -> list[Conversation]:
    """The conversations of one document, in order, with the calls that one leaves out (`[...]`) taken from an earlier one."""
    earlier: dict[str, tuple[AIMessage, int, int]] = {}
    done: list[Conversation] = []
    for conversation in found:
        messages = list(conversation.messages)
        findings = list(conversation.findings)
        for position, message in enumerate(messages):
            if isinstance(message, AIMessage) and message.extra.get("elided"):
                messages[position], finding = _with_calls(message, messages[position + 1 :], earlier, conversation, position)
                findings.append(replace(finding, conversation=conversation.position))
        findings += [replace(finding, conversation=conversation.position) for finding in _trailing(conversation)]
        for position, message in enumerate(messages):
            for call in message.calls if isinstance(message, AIMessage) else ():
                if call.get("id"):
                    earlier[call["id"]] = message, conversation.position, position  # type: ignore[assignment]
        done.append(replace(conversation, messages=messages, findings=findings))
    return done


def _trailing(conversation: Conversation) -> Iterator[Finding]:
    if not conversation.format.startswith(_PROVIDERS):
        return
    trailing = [at for at, message in enumerate(conversation.messages) if message.text.rstrip().endswith(_TRAILING)]
    for at in trailing[:_SAID_EACH]:
        yield elided("this text trails off: the document may leave its rest out", conversation.places[at], at)
    if more := trailing[_SAID_EACH:]:
        yield elided(f"{len(more)} more texts trail off, the first of them here", conversation.places[more[0]], more[0])


def _with_calls(
    message: AIMessage, after: list[Message], earlier: dict[str, tuple[AIMessage, int, int]], conversation: Conversation, position: int
) -> tuple[AIMessage, Finding]:
    """The message with its calls, if an earlier part shows calls that its results answer; and what was done, as a finding."""
    place = conversation.places[position]
    ids = _answered(after)
    if not ids:
        return message, elided("the calls are left out here, and no result says which they were", place, position)
    source, number, at = earlier.get(ids[0], (None, 0, 0))
    if source is None or not set(ids) <= {call.get("id") for call in source.calls}:
        names = ", ".join(map(repr, ids))
        return message, elided(f"the calls are left out here, and no earlier part shows those of {names}", place, position)
    extra = {key: value for key, value in message.extra.items() if key not in ("elided", "content")}
    if conversation.format.startswith("openai") and message.content == "" and "content" not in message.extra:
        extra["content"] = ""  # as it is kept of a message that has its calls
    calls = message.replace(tool_calls=source.tool_calls, invalid_tool_calls=source.invalid_tool_calls, extra=extra or EMPTY)
    return calls, elided(f"the calls are left out here; they were taken from conversation {number}, message {at}", place, position)


def _answered(after: list[Message]) -> list[str]:
    """The ids of the results that follow at once; none when one of them has no id."""
    ids: list[str] = []
    for other in after:
        if not isinstance(other, ToolMessage):
            break
        if other.tool_call_id is None:
            return []
        ids.append(other.tool_call_id)
    return ids
