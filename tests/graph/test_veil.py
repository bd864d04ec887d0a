"""What a listener gets of a run of which something is not to be shown."""

from collections.abc import Sequence
from typing import Any

from holter.graph.feed import Feed
from holter.graph.item import Custom, Delta, Namespace, StepEnded, TaskBegan
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded, RunEnded, ToolStarted
from holter.messages import AIMessage, AIMessageChunk

SECRET = "4111-1111"


def delta(text: str, task: str = "1.0", node: str = "model", **options: Any) -> Delta:
    """A piece of an answer."""
    return Delta(AIMessageChunk(text, **options), node, task)


def whole(text: str, task: str | None = None) -> Entry:
    """The answer, as it is in the journal."""
    return Entry(1, 1.0, MessageAdded(message=AIMessage(text, id="a"), node="model", task=task))


def listened(items: Sequence[Any], namespace: Namespace = ()) -> list[Any]:
    """What a listener gets of these."""
    feed = Feed()
    feed.redact([r"\d{4}-\d{4}"])
    for item in items:
        feed.put(item, namespace)
    feed.close()
    return [item for _, item in feed]


def test_an_answer_comes_as_one() -> None:
    """With what matches replaced, before its message; deltas of another task are not mixed in."""
    items = [
        delta("pay 41"),
        delta("hold", "1.1", "other"),
        delta("11-11"),
        delta("11!"),
        whole(f"pay {SECRET}!"),
        delta(" on", "1.1", "other"),
    ]
    found = listened([*items, Entry(2, 2.0, RunEnded(run="r"))])
    assert [item.chunk.text for item in found if isinstance(item, Delta)] == ["pay [redacted]!", "hold on"]
    assert [type(item) for item in found] == [Delta, Entry, Delta, Entry]
    assert found[1].event.message.text == "pay [redacted]!"


def test_answers_of_one_node_in_parallel() -> None:
    """Are whole when their own message comes."""
    found = listened([delta("a", "1.0"), delta("b", "1.1"), whole("b", "1.1"), delta("c", "1.0"), whole("ac", "1.0")])
    assert [item.chunk.text if isinstance(item, Delta) else item.event.message.text for item in found] == ["b", "b", "ac", "ac"]


def test_calls_in_pieces() -> None:
    """Their arguments are joined first."""
    pieces = [('{"card": "41', "c", "pay"), ('11-1111"}', None, None)]
    items = [delta("", tool_call_chunks=[{"index": 0, "id": key, "name": name, "args": args}]) for args, key, name in pieces]
    (found,) = listened(items)
    assert found.chunk.tool_call_chunks == [{"index": 0, "id": "c", "name": "pay", "args": '{"card": "[redacted]"}'}]


def test_what_is_left_when_the_feed_is_closed() -> None:
    """Comes in the end: a run that broke off has said it."""
    assert [item.chunk.text for item in listened([delta("pay 4111-"), delta("1111")])] == ["pay [redacted]"]


def test_other_items() -> None:
    """Values, inputs and states, which are made when they are asked for."""
    values = {"card": SECRET, "n": 1}
    custom, began, ended, entry = listened(
        [
            Custom([SECRET], "n", "1.0"),
            TaskBegan("n", "1.0", lambda: values),
            StepEnded(1, lambda: values, [], ["n"]),
            Entry(0, 0.0, ToolStarted(call_id=SECRET, name="pay")),
        ]
    )
    shown = {"card": "[redacted]", "n": 1}
    assert (custom.value, began.input, ended.values, entry.event.call_id) == (["[redacted]"], shown, shown, SECRET)
    assert values["card"] == SECRET


def test_nothing_is_held_where_nothing_is_to_be_hidden() -> None:
    """Deltas come as they are."""
    feed = Feed()
    items = [delta("pay 4111-"), delta("1111")]
    for item in items:
        feed.put(item)
    feed.close()
    assert [item for _, item in feed] == items
