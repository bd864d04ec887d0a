"""What properties are tried on: texts, JSON values, messages, histories valid and broken."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from hypothesis import strategies as st

from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage

Call = dict[str, Any]

_PHRASES = ["", " ", "\n", "hi", "你好，世界", "🙂👩‍👩‍👧", "e\u0301", "<b>&amp;", '{"a": 1}', "\x00\x1b[31m", "\u2028", "Human:"]

texts = st.one_of(st.sampled_from(_PHRASES), st.text(max_size=20))
"""Text that can be stored: everything but lone surrogates."""

any_texts = st.one_of(texts, st.text(st.characters(categories=["Cs", "L", "N"]), max_size=20))
"""Lone surrogates too."""

_scalars = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False), texts)
json_values = st.recursive(
    _scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)), max_leaves=8
)
"""What JSON holds and msgspec reads back as it was."""

json_objects = st.dictionaries(texts, json_values, max_size=3)


def blocks(text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[dict[str, Any]]:
    """Content blocks: standard ones, a provider's own, ones without a type."""
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": text}),
        st.fixed_dictionaries({"type": st.just("reasoning"), "reasoning": text}),
        st.fixed_dictionaries({"type": st.sampled_from(["image", "audio", "video", "file"]), "url": text}),
        st.fixed_dictionaries({"type": st.just("document"), "source": json_objects}),
        json_objects,
    )


def contents(text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[str | list[dict[str, Any]]]:
    return st.one_of(text, st.lists(blocks(text), max_size=3))


call_ids = st.one_of(st.none(), st.sampled_from(["", "a", "b", "a_2", "call_0_0", "call_1_0"]))
"""Few, so that they meet; also those that Holter makes itself."""
call_names = st.sampled_from(["find", "add", "天气"])


def calls(ids: st.SearchStrategy[str | None] = call_ids, text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[Call]:
    return st.fixed_dictionaries(
        {"name": call_names, "args": st.dictionaries(text, json_values, max_size=2), "id": ids, "type": st.just("tool_call")}
    )


def invalid_calls(ids: st.SearchStrategy[str | None] = call_ids, text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[Call]:
    return st.fixed_dictionaries(
        {
            "name": st.one_of(st.none(), call_names),
            "args": text,
            "id": ids,
            "error": text,
            "type": st.just("invalid_tool_call"),
        },
        optional={"index": st.integers(0, 4)},
    )


_usages = st.one_of(
    st.none(), st.fixed_dictionaries({key: st.integers(0, 10**9) for key in ("input_tokens", "output_tokens", "total_tokens")})
)


def messages(text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[Message]:
    """A message of any kind with any of its fields."""
    common: dict[str, st.SearchStrategy[Any]] = {
        "content": contents(text),
        "name": st.one_of(st.none(), text),
        "id": st.one_of(st.none(), text),
        "additional_kwargs": json_objects,
        "response_metadata": json_objects,
        "extra": json_objects,
        "ts": st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))),
    }
    return st.one_of(
        st.builds(SystemMessage, **common),
        st.builds(HumanMessage, **common),
        st.builds(
            AIMessage,
            tool_calls=st.lists(calls(text=text), max_size=3),
            invalid_tool_calls=st.lists(invalid_calls(text=text), max_size=2),
            usage_metadata=_usages,
            reasoning=st.one_of(st.none(), text),
            **common,
        ),
        st.builds(ToolMessage, tool_call_id=call_ids, status=st.sampled_from(["success", "error"]), artifact=json_values, **common),
    )


@st.composite
def valid_histories(draw: st.DrawFn) -> list[Message]:
    """System messages, then turns whose calls are answered in call order; an answered id may come again in a later turn."""
    history: list[Message] = [SystemMessage(text) for text in draw(st.lists(texts, max_size=2))]
    for kind in draw(st.lists(st.sampled_from(["human", "answer", "calls", "calls"]), max_size=8)):
        if kind == "human":
            history.append(HumanMessage(draw(texts)))
        elif kind == "answer":
            history.append(AIMessage(draw(texts)))
        else:
            history += draw(_turns())
    return history


@st.composite
def _turns(draw: st.DrawFn) -> list[Message]:
    """A message with calls, some of them invalid, and their results in call order."""
    ids = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True))
    made = [draw(st.one_of(calls(st.just(call_id)), invalid_calls(st.just(call_id)))) for call_id in ids]
    message = AIMessage(
        draw(texts),
        tool_calls=[call for call in made if call["type"] == "tool_call"],
        invalid_tool_calls=[call for call in made if call["type"] != "tool_call"],
    )
    return [message, *(ToolMessage(draw(texts), tool_call_id=call["id"], name=call["name"]) for call in message.calls)]


@st.composite
def broken_histories(draw: st.DrawFn) -> list[Message]:
    """Valid histories of which messages were lost, doubled, moved, or which were mixed with messages that fit nothing."""
    history = draw(valid_histories())
    history += draw(st.lists(_loose_messages, max_size=6))
    kept = [message for message in history for _ in range(draw(st.sampled_from([1, 1, 1, 1, 0, 2])))]
    return draw(st.permutations(kept)) if draw(st.booleans()) else kept


_loose_messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(SystemMessage, texts),
    st.builds(HumanMessage, texts),
    st.builds(
        AIMessage,
        contents(),
        tool_calls=st.lists(calls(), max_size=4),
        invalid_tool_calls=st.lists(invalid_calls(), max_size=2),
    ),
    st.builds(ToolMessage, texts, tool_call_id=call_ids, name=st.one_of(st.none(), call_names)),
)


def faults(history: Sequence[Message]) -> list[str]:
    """What a provider refuses in the history, independently of what Holter makes of it; empty when it may be sent."""
    found: list[str] = []
    due: list[str | None] = []
    for position, message in enumerate(history):
        if isinstance(message, ToolMessage):
            if not due:
                found.append(f"{position}: a result of no call")
            elif message.tool_call_id != (expected := due.pop(0)):
                found.append(f"{position}: a result of {message.tool_call_id!r} where that of {expected!r} was due")
            continue
        found += [f"{position}: {call_id!r} is not answered" for call_id in due]
        due = [call["id"] for call in message.calls] if isinstance(message, AIMessage) else []
        if not all(due) or len(set(due)) < len(due):
            found.append(f"{position}: ids {due}")
    return found + [f"end: {call_id!r} is not answered" for call_id in due]
