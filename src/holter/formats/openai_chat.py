"""OpenAI chat completions: message lists, request bodies, response bodies, and requests kept with their responses.

Source: OpenAI API reference, chat completions, seen 2026-11.

Shape:  `[{"role": …, "content": …}]`; `{"messages": […], "tools": […], …}` (also under `traj`, `conversation`, `history`, as
        benchmarks and gateways do); `{"object": "chat.completion", "choices": […]}`; `{"request": {…}, "response": {…}}`; a request
        with its `response` beside.
Lost:   nothing on reading; a list index of a call that equals its position, and nulls of optional fields, are not kept.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from holter.errors import WriteError
from holter.formats.form import Form, Loss, Written, inside, last_answer
from holter.formats.openai_adapted import adapted
from holter.formats.openai_blocks import unsayable
from holter.formats.openai_list import ListReading
from holter.formats.openai_message import (
    BESIDE,
    ROLES,
    is_message,
    write_message,
    write_tool,
    write_usage,
)
from holter.messages import AIMessage, Conversation, Place, ToolMessage
from holter.messages.message import Message

CHAT = "openai.chat"


RESPONSE = "openai.response"


LIST_KEYS = ("messages", "traj", "conversation", "history", "dialog")
"""Fields that hold the message list of a record, tried in this order."""


_LOOKED_AT = 8
"""Items at each end of a list that say whether it holds messages."""


def _is_message_list(value: Any) -> bool:
    """A list that begins and ends with a message, or of whose items at both ends half are messages: the others are damaged, or cut."""
    if not isinstance(value, list) or not value:
        return False
    if is_message(value[0]) and is_message(value[-1]):
        return True
    ends = value if len(value) <= 2 * _LOOKED_AT else [*value[:_LOOKED_AT], *value[-_LOOKED_AT:]]
    return sum(map(is_message, ends)) * 2 >= len(ends)


def _list_key(value: dict[str, Any]) -> str | None:
    for key in LIST_KEYS:
        if key in value and (_is_message_list(value[key]) or (key == "messages" and _are_messages(value[key]))):
            return key
    return None


def _are_messages(value: Any) -> bool:
    """What stands under `messages` where no item has a body: one message, or a list that begins with a known role."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and value[0].get("role") in _ROLES
    return is_message(value)


_ROLES = tuple(ROLES)


def _is_response(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("choices"), list) or value.get("object") == "chat.completion.chunk":
        return False
    return any(map(_is_choice, value["choices"]))


def _is_choice(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("message"), dict)


def sniff_chat(value: Any) -> bool:
    """A message list, a single message, a request body, or one with its response."""
    if isinstance(value, list):
        return _is_message_list(value)
    if not isinstance(value, dict):
        return False
    if ("role" in value and is_message(value)) or _list_key(value) is not None:
        return True
    return isinstance(value.get("request"), dict) and _list_key(value["request"]) is not None


def is_marked(value: dict[str, Any]) -> bool:
    """Whether a record has `messages`, among the first ones a call or result as only this format writes it."""
    messages = value.get("messages")
    if messages.__class__ is not list or not messages or not is_message(messages[0]) or not is_message(messages[-1]):
        return False
    for message in messages[:_LOOKED_AT]:
        if message.__class__ is dict and ("tool_calls" in message or "tool_call_id" in message) and "type" not in message:
            return True
    return False


def read_chat(value: Any, place: Place) -> list[Conversation]:
    """One conversation; one per choice where a response with several choices is kept beside its request."""
    if isinstance(value, list):
        return [ListReading(place).conversation(CHAT, value, "", {})]
    if "role" in value and is_message(value):
        reading = ListReading(place)
        message = reading.message(value, Place(path=place.path, line=place.line, column=place.column), 0)
        return [reading.finished(CHAT, [message], [place], {})]
    if isinstance(value.get("request"), dict) and (key := _list_key(value["request"])) is not None:
        request, response = value.pop("request"), value.pop("response", None)
        at = inside(place, "request")
        if _is_response(response):
            return _read_exchange(request, key, response, at, inside(place, "response"), value)
        return [_read_request(request, key, at, value if response is None else {**value, "response": response})]
    key = str(_list_key(value))
    if "response" in value and _is_response(value["response"]):
        return _read_exchange(value, key, value.pop("response"), place, inside(place, "response"), {})
    return [_read_request(value, key, place, {})]


def _is_answered(value: Any) -> bool:
    """A response under `response`, perhaps beside the tools and settings of its request, without the request's messages."""
    if not isinstance(value, dict) or "request" in value or not _is_response(value.get("response")):
        return False
    return _list_key(value) is None


def _sniff_response(value: Any) -> bool:
    return _is_response(value) or _is_answered(value)


def read_response(value: Any, place: Place) -> list[Conversation]:
    """One conversation per choice of a response body, each of one message; with what is known of its request, where that stands beside."""
    if _is_answered(value):
        body = value.pop("response")
        return _read_response(body, inside(place, "response"), value)
    return _read_response(value, place, {})


def _read_response(value: Any, place: Place, beside: dict[str, Any]) -> list[Conversation]:
    choices, left = _choices(value)
    found: list[Conversation] = []
    for position, choice in choices:
        reading = ListReading(place)
        at = inside(place, "choices", position, "message", index=0)
        extra = {**beside, **(reading.left_over(left, place) if not found else {})}
        found.append(reading.finished(RESPONSE, [reading.answer(choice, value, at, 0)], [at], extra))
    return found


_MOST_CHOICES = 128
"""As many as OpenAI gives; each has the whole history before it."""


def _choices(response: dict[str, Any]) -> tuple[list[tuple[int, dict[str, Any]]], list[Any]]:
    """Takes the choices out of a response body: with their positions, and those that are none, or too many."""
    given = response.pop("choices")
    choices = [(position, choice) for position, choice in enumerate(given) if _is_choice(choice)][:_MOST_CHOICES]
    taken = {position for position, _ in choices}
    return choices, [choice for position, choice in enumerate(given) if position not in taken]


def _read_request(request: dict[str, Any], key: str, place: Place, outer: dict[str, Any]) -> Conversation:
    """The conversation of a request body; `outer` is what else the record held."""
    messages = request.pop(key)
    extra = _joined(request, outer) if outer else request
    return ListReading(place).conversation(CHAT, messages if isinstance(messages, list) else [messages], key, extra)


def _read_exchange(
    request: dict[str, Any], key: str, response: dict[str, Any], place: Place, response_place: Place, outer: dict[str, Any]
) -> list[Conversation]:
    """One conversation per choice of the response."""
    history = _read_request(request, key, place, outer)
    choices, left = _choices(response)
    found = [_with_answer(history, choice, position, response, response_place) for position, choice in choices]
    if left:
        reading = ListReading(place)
        extra = {**found[0].extra, "response": reading.left_over(left, response_place)}
        found[0] = replace(found[0], extra=extra, findings=[*found[0].findings, *reading.findings()])
    return found


def _joined(request: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    """The fields of a request and of the record it stands in; of those that both have, the record's stand apart."""
    own = {key: item for key, item in outer.items() if key not in request}
    both = {key: item for key, item in outer.items() if key in request}
    return {**request, **own, **({"record": both} if both else {})}


def _with_answer(history: Conversation, choice: dict[str, Any], position: int, response: dict[str, Any], place: Place) -> Conversation:
    count = len(history.messages)
    reading = ListReading(history.place)
    at = inside(place, "choices", position, "message", index=count)
    message = reading.answer(choice, response, at, count)
    return replace(
        history,
        messages=[*history.messages, message],
        places=[*history.places, at],
        findings=[*history.findings, *reading.findings()],
        extra=dict(history.extra),
    )


def write_chat(conversation: Conversation) -> Written:
    """A request body: `messages`, and `tools` when some were offered."""
    conversation, left_behind = adapted(conversation)
    document: dict[str, Any] = {"messages": [write_message(message) for message in conversation.messages]}
    own = dict(conversation.extra) if conversation.format == CHAT else {}
    if conversation.tools or conversation.tools_known:
        odd = own.pop("tools", None)
        document["tools"] = [write_tool(spec) for spec in conversation.tools] + (odd if isinstance(odd, list) else [])
    return Written(own | document, [*left_behind, *_losses(conversation, document)])


def write_response(conversation: Conversation) -> Written:
    """A response body that holds the last message; the ones before it belong to a request and are losses. WriteError when the model did not
    speak last."""
    conversation, left_behind = adapted(conversation)
    answer = last_answer(conversation.messages)
    if answer is None:
        raise WriteError("the last message is not the model's: a response body holds its answer. Write openai.chat instead")
    metadata = dict(answer.response_metadata)
    choice = {"finish_reason": metadata.pop("finish_reason", None), "logprobs": metadata.pop("logprobs", None)}
    names = {"token_usage": "usage", "model_name": "model"}
    body = {names.get(key, key): value for key, value in metadata.items()}
    if "usage" not in body and answer.usage_metadata is not None:
        body["usage"] = write_usage(answer.usage_metadata)
    document = {**body, "object": "chat.completion", "choices": [{"index": 0, "message": write_message(answer), **choice}]}
    before = list(range(len(conversation.messages) - 1))
    losses = [Loss("messages before the last: a response body holds one answer", before)] if before else []
    losses += [loss for loss in left_behind if not loss.messages or loss.messages[-1] == len(before)]
    losses += [Loss(what, [len(before)]) for what in dict.fromkeys(unsayable(answer.content))]
    return Written(document, losses)


_PLACELESS: dict[str, Callable[[Message], bool]] = {
    "response_metadata": lambda m: bool(m.response_metadata),
    "usage_metadata": lambda m: isinstance(m, AIMessage) and m.usage_metadata is not None,
    "additional_kwargs": lambda m: any(not isinstance(m, AIMessage) or key not in BESIDE for key in m.additional_kwargs),
    "id": lambda m: m.id is not None,
    "ts": lambda m: m.ts is not None,
    "status": lambda m: isinstance(m, ToolMessage) and m.status == "error",
    "artifact": lambda m: isinstance(m, ToolMessage) and m.artifact is not None,
}


def _losses(conversation: Conversation, document: dict[str, Any]) -> Iterator[Loss]:
    for field, present in _PLACELESS.items():
        lost = [i for i, message in enumerate(conversation.messages) if present(message)]
        if lost:
            yield Loss(f"{field}: an OpenAI message list has no place for it", lost)
    yield from _content_losses(conversation.messages)
    own = conversation.format == CHAT
    fields = [key for key, item in sorted(conversation.extra.items()) if not own or (key in document and not isinstance(item, list))]
    if fields:
        yield Loss(f"the record's own fields: {', '.join(fields)}")


def _content_losses(messages: list[Message]) -> Iterator[Loss]:
    lost: dict[str, list[int]] = {}
    for position, message in enumerate(messages):
        for what in dict.fromkeys(unsayable(message.content)):
            lost.setdefault(what, []).append(position)
    yield from (Loss(what, positions) for what, positions in lost.items())


CHAT_FORM = Form(name=CHAT, title="OpenAI chat messages", sniff=sniff_chat, read=read_chat, write=write_chat)


RESPONSE_FORM = Form(name=RESPONSE, title="an OpenAI chat response", sniff=_sniff_response, read=read_response, write=write_response)
