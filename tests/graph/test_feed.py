"""From a run to whoever listens: every item once and in order, from any thread, however slow the listener is."""

import asyncio
import sys
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.graph import feed as feeds
from holter.graph.feed import Custom, Delta, Feed, Namespace, StreamItem
from holter.messages import AIMessageChunk


def custom(value: Any) -> Custom:
    """Something that is never joined."""
    return Custom(value, "node", "1.0")


def delta(text: str, task: str = "1.0", **fields: Any) -> Delta:
    """A piece of an answer."""
    return Delta(AIMessageChunk(text, **fields), "node", task)


def taken(feed: Feed) -> list[tuple[Namespace, StreamItem]]:
    """What a feed that is closed holds."""
    feed.close()
    return list(feed)


def test_items_come_once_and_in_order() -> None:
    """With their namespaces; what was put before the feed was closed comes, and what comes later does not."""
    feed = Feed()
    feed.put(custom(1))
    feed.put(custom(2), ("a", "b"))
    feed.close()
    feed.put(custom(3))
    assert list(feed) == [((), custom(1)), (("a", "b"), custom(2))]
    assert list(feed) == []


def test_deltas_are_joined_only_behind_a_backlog() -> None:
    """A listener who keeps up gets each by itself."""
    feed = Feed()
    for at in range(10):
        feed.put(delta(str(at)))
    assert [item.chunk.content for _, item in taken(feed) if isinstance(item, Delta)] == [str(at) for at in range(10)]


_items = st.one_of(
    st.builds(custom, st.integers()),
    st.builds(
        delta,
        st.text(max_size=3),
        task=st.sampled_from(["1.0", "1.1"]),
        id=st.sampled_from([None, "m"]),
        reasoning=st.sampled_from([None, "hm "]),
        tool_call_chunks=st.sampled_from([[], [{"index": 0, "name": "f", "args": "", "id": "c"}]]),
    ),
)


@given(st.lists(st.tuples(_items, st.sampled_from([(), ("a",)])), max_size=60), st.integers(1, 5))
def test_nothing_is_lost_behind_a_backlog(items: list[tuple[Any, Namespace]], backlog: int) -> None:
    """Text is joined with what comes directly before it from the same task, answer and namespace; all else comes as it was put."""
    before, feeds._BACKLOG = feeds._BACKLOG, backlog
    try:
        feed = Feed()
        for item, namespace in items:
            feed.put(item, namespace)
        found = taken(feed)
    finally:
        feeds._BACKLOG = before
    assert _told(found) == _told([(namespace, item) for item, namespace in items])
    assert len(found) <= len(items)


def _told(items: list[tuple[Namespace, Any]]) -> list[Any]:
    """What items say, text that follows text of the same answer as one."""
    told: list[Any] = []
    for namespace, item in items:
        if not isinstance(item, Delta) or item.chunk.tool_call_chunks:
            told.append((namespace, item))
            continue
        key = (namespace, item.task, item.chunk.id)
        if told and isinstance(told[-1], list) and told[-1][0] == key:
            told[-1][1] += str(item.chunk.content)
            told[-1][2] += item.chunk.reasoning or ""
        else:
            told.append([key, str(item.chunk.content), item.chunk.reasoning or ""])
    return told


def _put_from_threads(feed: Feed, threads: int, each: int) -> None:
    def put(number: int) -> None:
        for at in range(each):
            feed.put(custom((number, at)))
            if at % 50 == 0:
                time.sleep(0)

    running = [threading.Thread(target=put, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    feed.close()


def _check(values: list[Any], threads: int, each: int) -> None:
    assert len(values) == threads * each
    for number in range(threads):
        assert [at for of, at in values if of == number] == list(range(each))


def test_several_threads_put_while_one_listens() -> None:
    """A thread, or a loop: each writer's items come in its order, and the listener wakes up at the end."""
    feed = Feed()
    threading.Thread(target=_put_from_threads, args=(feed, 3, 400)).start()
    _check([item.value for _, item in feed if isinstance(item, Custom)], 3, 400)

    async def listen() -> list[Any]:
        feed = Feed()
        threading.Thread(target=_put_from_threads, args=(feed, 3, 400)).start()
        return [item.value async for _, item in feed if isinstance(item, Custom)]

    _check(asyncio.run(listen()), 3, 400)


def test_deltas_of_a_fast_writer_reach_a_listener_that_falls_behind() -> None:
    """All of the text, while both are at work."""
    feed = Feed()

    def write() -> None:
        for at in range(20_000):
            feed.put(delta(f"{at} "))
        feed.close()

    writer = threading.Thread(target=write)
    writer.start()
    text = "".join(str(item.chunk.content) for _, item in feed if isinstance(item, Delta))
    writer.join()
    assert text == "".join(f"{at} " for at in range(20_000))


def test_putting_never_waits() -> None:
    """Nobody listens, and the writer goes on."""
    feed = Feed()
    for at in range(5_000):
        feed.put(custom(at))
    assert len(taken(feed)) == 5_000


def test_a_listener_that_has_gone_harms_no_writer() -> None:
    """Its loop may have ended."""
    feed = Feed()

    async def listen() -> None:
        listener = asyncio.ensure_future(anext(feed.__aiter__()))
        await asyncio.sleep(0)
        listener.cancel()

    asyncio.run(listen())
    thread = threading.Thread(target=feed.put, args=(custom(1),))
    thread.start()
    thread.join()
    assert taken(feed) == [((), custom(1))]


@pytest.mark.parametrize("backlog", [1, 2, 1_000])
@pytest.mark.parametrize("is_async", [False, True])
def test_deltas_of_several_writers_are_joined_while_they_are_taken(monkeypatch: pytest.MonkeyPatch, backlog: int, is_async: bool) -> None:
    """Threads change hands at nearly every step: each task's text is whole and in its order, and the listener comes to the end."""
    monkeypatch.setattr(feeds, "_BACKLOG", backlog)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        items = asyncio.run(_listened(3, 300)) if is_async else list(_written(3, 300))
    finally:
        sys.setswitchinterval(interval)
    for task in map(str, range(3)):
        said = "".join(str(item.chunk.content) for _, item in items if isinstance(item, Delta) and item.task == task)
        assert said == "".join(f"{at} " for at in range(300))


def _written(writers: int, each: int) -> Feed:
    """A feed into which threads write, and that is closed behind the last of them."""
    feed = Feed()

    def write(task: str) -> None:
        for at in range(each):
            feed.put(delta(f"{at} ", task))

    def write_all() -> None:
        threads = [threading.Thread(target=write, args=(str(number),)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        feed.close()

    threading.Thread(target=write_all).start()
    return feed


async def _listened(writers: int, each: int) -> list[tuple[Namespace, StreamItem]]:
    return [taken async for taken in _written(writers, each)]
