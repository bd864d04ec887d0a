"""An id that two messages have.

What:   ids of messages are unique.
Why:    a state that merges by id (LangGraph's `add_messages`) puts the later message in the place of the earlier one, which is lost.
Seen:   assistant and tool message got one id; a message was copied with its id.
Bad:    [{"role": "user", "content": "hi", "id": "m1"}, {"role": "assistant", "content": "hello", "id": "m1"}]
Good:   [{"role": "user", "content": "hi", "id": "m1"}, {"role": "assistant", "content": "hello", "id": "m2"}]
Source: https://github.com/LibreChat-AI/agents/issues/339 (2026-07-27), https://github.com/langchain-ai/langgraphjs/pull/846 (2025-02-06).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import Message


def check(index: Index) -> Iterator[Found]:
    """Each message whose id was used before."""
    seen: dict[str, int] = {}
    for at, message in enumerate(index.messages):
        own = message_id(message)
        if own is None:
            continue
        first = seen.setdefault(own, at)
        if first != at and not _is_one_answer(index, first, at):
            text = f"message id {own} was used at {index.shown(first)}"
            yield index.at(at, text, hint="a merge by id would replace that message")


def message_id(message: Message) -> str | None:
    """The message's id, also where a log keeps it as `message_id`."""
    if message.id is not None:
        return message.id
    own = message.extra.get("message_id")
    return own if isinstance(own, str) and own else None


def _is_one_answer(index: Index, first: int, at: int) -> bool:
    """Whether both are pieces of one response body, which some logs write a line each."""
    one, other = index.messages[first], index.messages[at]
    if index.place(first).index is not None and index.place(first).index == index.place(at).index:
        return True
    return "id" in one.response_metadata and one.response_metadata.get("id") == other.response_metadata.get("id")


RULE = Rule(
    code="PAIR12",
    name="duplicate-message-id",
    severity="error",
    check=check,
    fix="give the later message an id of its own",
    needs=facts.IDS,
)
