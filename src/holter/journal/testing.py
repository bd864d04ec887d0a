"""What every journal does, as checks that a back end of anybody's can run.

```python
from contextlib import asynccontextmanager

from holter.journal import MemoryJournal
from holter.journal.testing import check


@asynccontextmanager
async def opened(clock):
    yield MemoryJournal(clock=clock)


check(opened)
```

Each check gets an empty journal of its own. `CHECKS` are the single ones, for a test runner's parameters. A failed one is an
AssertionError that says what was expected. `holter.journal.archive_testing` has the checks of what a journal in a file or a database does
beside that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias, TypeVar

from holter.errors import JournalConflict, LeaseHeld, NotStorable, UnknownThread
from holter.journal.entry import Entry
from holter.journal.event import Answered, Event, Interrupted, MessageAdded, NodeEnded, RunEnded, RunStarted, ThreadCreated, ToolStarted
from holter.journal.journal import Journal, follow
from holter.messages.message import AIMessage, HumanMessage, ToolMessage

_PATIENCE_S = 10.0
"""How long a check waits for what must happen."""


class Clock:
    """A time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        """Seconds since the epoch."""

    def __call__(self) -> float:
        return self.now


Opened: TypeAlias = Callable[[Clock], AbstractAsyncContextManager[Journal]]
"""Opens an empty journal that takes its time from the clock, and closes it at the end."""

Check: TypeAlias = Callable[[Journal, Clock], Awaitable[None]]

J = TypeVar("J", bound=Journal)


def check(opened: Opened) -> None:
    """Runs every check, in an event loop of its own. AssertionError at the first that fails."""
    for one in CHECKS:
        run(one, opened)


def run(one: Callable[[J, Clock], Awaitable[None]], opened: Callable[[Clock], AbstractAsyncContextManager[J]]) -> None:
    """Runs one check; an error names it, and what it demands."""

    async def main() -> None:
        clock = Clock()
        async with opened(clock) as journal:
            await one(journal, clock)

    try:
        asyncio.run(main())
    except Exception as error:
        error.add_note(f"{one.__name__}: {one.__doc__}")
        raise


def _event(number: int) -> Event:
    return ToolStarted(call_id=str(number), name="f")


def _events(*numbers: int) -> list[Event]:
    return [_event(number) for number in numbers]


def _numbers(entries: Sequence[Entry]) -> list[int]:
    """What the entries hold; -1 for an event that begins a thread."""
    return [int(entry.event.call_id or 0) if isinstance(entry.event, ToolStarted) else -1 for entry in entries]


def _same(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


async def _raised(what: str, kind: type[Exception], doing: Awaitable[Any]) -> Any:
    """The error that it must raise."""
    try:
        found = await doing
    except kind as error:
        return error
    raise AssertionError(f"{what}: expected {kind.__name__}, found {found!r}")


async def events_come_back(journal: Journal, clock: Clock) -> None:
    """What is appended is read in order, with `seq` from 0 and the time of its append; values come back as JSON holds them."""
    call = {"name": "f", "args": {"x": [1, None, 0.5]}, "id": "c", "type": "tool_call"}
    first: list[Event] = [ThreadCreated(), RunStarted(run="r", input={"text": "你好 🙂"})]
    second: list[Event] = [
        MessageAdded(message=HumanMessage("hi", id="h")),
        MessageAdded(message=AIMessage("", id="a", tool_calls=[call]), node="model"),
        Interrupted(key="c", value={"ask": True}),
        Answered(key="c", value="yes"),
        MessageAdded(message=ToolMessage("1", id="t", tool_call_id="c", artifact={"n": 2**80})),
        NodeEnded(node="tools", task="1.0", writes={"pair": (1, 2)}),
        RunEnded(run="r"),
    ]
    _same("the next seq", await journal.append("t", 0, first), 2)
    clock.now += 5
    _same("the next seq", await journal.append("t", 2, second), 9)
    entries = await journal.read("t")
    expected = [*first, *second]
    expected[7] = NodeEnded(node="tools", task="1.0", writes={"pair": [1, 2]})
    _same("the events", [entry.event for entry in entries], expected)
    _same("their seq", [entry.seq for entry in entries], list(range(9)))
    _same("their times", [entry.ts for entry in entries], [clock.now - 5] * 2 + [clock.now] * 7)


async def no_value_is_shared(journal: Journal, _: Clock) -> None:
    """Changing a value that went in, or one that came out, changes nothing in the journal."""
    value: dict[str, Any] = {"rows": [1]}
    await journal.append("t", 0, [NodeEnded(node="n", task="0.0", writes=value)])
    value["rows"].append(2)
    [entry] = await journal.read("t")
    assert isinstance(entry.event, NodeEnded)
    entry.event.writes["rows"].append(3)
    [again] = await journal.read("t")
    _same("the event", again.event, NodeEnded(node="n", task="0.0", writes={"rows": [1]}))


async def parts_are_read(journal: Journal, _: Clock) -> None:
    """Any range can be read; what lies beyond the end is not there."""
    await journal.append("t", 0, _events(0, 1, 2))
    await journal.append("t", 3, _events(3, 4))
    for start, end in ((0, None), (0, 2), (1, 4), (3, None), (2, 2), (4, 9), (5, None), (9, None), (3, 1)):
        entries = await journal.read("t", start, end)
        expected = list(range(5))[start:end]
        _same(f"read({start}, {end})", [entry.seq for entry in entries], expected)
        _same(f"read({start}, {end})", _numbers(entries), expected)
    _same("length", await journal.length("t"), 5)


async def an_unknown_thread_is_empty(journal: Journal, _: Clock) -> None:
    """It has no events and is not listed; a fork of it is refused; an append of nothing does not begin it."""
    _same("read", await journal.read("t"), [])
    _same("length", await journal.length("t"), 0)
    _same("append of nothing", await journal.append("t", 0, []), 0)
    _same("threads", await journal.threads(), [])
    _same("lease", await journal.leased("t"), None)
    await journal.release("t", "nobody")
    await journal.delete("t")
    error = await _raised("fork", UnknownThread, journal.fork("t", 0, "u"))
    _same("its thread", error.thread, "t")
    _same("the fork", await journal.length("u"), 0)


async def an_outdated_append_is_refused(journal: Journal, _: Clock) -> None:
    """Whoever expects another length gets a conflict that says so, and nothing is appended."""
    await journal.append("t", 0, _events(0, 1))
    for expected in (0, 1, 3):
        error = await _raised(f"append at {expected}", JournalConflict, journal.append("t", expected, _events(9)))
        _same("the conflict", (error.thread, error.expected, error.found), ("t", expected, 2))
    await _raised("append to a thread that is not there", JournalConflict, journal.append("u", 1, _events(9)))
    _same("the events", _numbers(await journal.read("t")), [0, 1])
    _same("threads", [info.id for info in await journal.threads()], ["t"])


async def an_append_is_atomic(journal: Journal, _: Clock) -> None:
    """When one of the events cannot be stored, none is appended; the same when it would begin the thread."""
    bad = NodeEnded(node="n", task="0.0", writes={"x": object()})
    await _raised("append", NotStorable, journal.append("t", 0, [_event(0), bad]))
    _same("length", await journal.length("t"), 0)
    _same("threads", await journal.threads(), [])
    await journal.append("t", 0, _events(0))
    await _raised("append", NotStorable, journal.append("t", 1, [_event(1), bad, _event(2)]))
    _same("the events", _numbers(await journal.read("t")), [0])


async def a_value_that_json_cannot_hold_is_named(journal: Journal, _: Clock) -> None:
    """The error says which node wrote it, under which key, and where in the value it stands."""
    cases: list[tuple[Any, str, str]] = [
        ({"rows": [0, {"total": float("nan")}]}, "rows[1].total", "nan"),
        ([float("-inf")], "[0]", "-inf"),
        ({"text": ["ok", "\ud83d"]}, "text[1]", "half a character (a lone surrogate), at character 0"),
        ({"frame": object()}, "frame", "an object"),
        ({"map": {(1, 2): 3}}, "map", "an object with a key that is no text ((1, 2))"),
    ]
    for value, path, problem in cases:
        event = NodeEnded(node="plan", task="0.0", writes={"fine": [None], "key": value})
        error = await _raised(repr(value), NotStorable, journal.append("t", 0, [event]))
        _same(repr(value), (error.kind, error.node, error.key, error.path, error.problem), ("node", "plan", "key", path, problem))
    error = await _raised("a question", NotStorable, journal.append("t", 0, [Interrupted(key="k", value=[1, object()])]))
    _same("a question", (error.kind, error.node, error.key, error.path), ("interrupt", None, None, "value[1]"))
    loop: list[Any] = []
    loop.append(loop)
    await _raised("a value that is part of itself", NotStorable, journal.append("t", 0, [Interrupted(key="k", value=loop)]))


async def one_of_two_writers_wins(journal: Journal, _: Clock) -> None:
    """Writers in several threads and loops append to one thread: each append is refused or stands whole, and none is lost."""
    writers, appends = 4, 10

    async def write(writer: int) -> int:
        conflicts, seq = 0, 0
        for number in range(appends):
            while True:
                try:
                    seq = await journal.append("t", seq, _events(writer * 1000 + number, writer * 1000 + number))
                    break
                except JournalConflict as error:
                    conflicts, seq = conflicts + 1, error.found
        return conflicts

    async with asyncio.timeout(_PATIENCE_S * 6):
        await asyncio.gather(*(asyncio.to_thread(asyncio.run, write(writer)) for writer in range(writers)))
    numbers = _numbers(await journal.read("t"))
    _same("both events of an append stand together", numbers[::2], numbers[1::2])
    for writer in range(writers):
        own = [number - writer * 1000 for number in numbers[::2] if number // 1000 == writer]
        _same(f"the appends of writer {writer}", own, list(range(appends)))


async def one_of_two_beginnings_wins(journal: Journal, _: Clock) -> None:
    """Of several that begin the same thread one is right, the others are told."""
    found = await asyncio.gather(*(journal.append("t", 0, _events(number)) for number in range(5)), return_exceptions=True)
    _same("winners", sum(outcome == 1 for outcome in found), 1)
    _same("conflicts", sum(isinstance(outcome, JournalConflict) for outcome in found), 4)
    _same("length", await journal.length("t"), 1)


async def threads_are_listed_newest_first(journal: Journal, clock: Clock) -> None:
    """The thread that was appended to last stands first; limit and offset page through; a row says what stands in the thread."""
    for number, thread in enumerate(["a", "b", "c"]):
        clock.now = 100.0 + number
        await journal.append(thread, 0, [RunStarted(run="r")])
    clock.now = 200.0
    await journal.append("a", 1, [*_events(1), RunEnded(run="r", status="interrupted")])
    _same("all", [info.id for info in await journal.threads()], ["a", "c", "b"])
    _same("the first two", [info.id for info in await journal.threads(limit=2)], ["a", "c"])
    _same("the rest", [info.id for info in await journal.threads(limit=2, offset=2)], ["b"])
    first, second, *_ = await journal.threads()
    _same("a", (first.length, first.created, first.updated, first.status), (3, 100.0, 200.0, "interrupted"))
    _same("c", (second.length, second.status, second.forked_from, second.at), (1, "running", None, None))


async def a_fork_shares_its_beginning(journal: Journal, clock: Clock) -> None:
    """It reads what the other has up to its position, then its own; appending to either leaves the other alone."""
    await journal.append("t", 0, [RunStarted(run="r"), *_events(1, 2, 3)])
    clock.now += 1
    _same("the next seq", await journal.fork("t", 2, "u"), 3)
    await journal.append("u", 3, _events(10))
    await journal.append("t", 4, _events(4))
    _same("the fork", _numbers(await journal.read("u")), [-1, 1, -1, 10])
    _same("its seqs", [entry.seq for entry in await journal.read("u")], [0, 1, 2, 3])
    _same("its first own event", (await journal.read("u", 2, 3))[0].event, ThreadCreated(forked_from="t", at=2))
    _same("the times of what it shares", (await journal.read("u", 0, 2)), await journal.read("t", 0, 2))
    _same("the other", _numbers(await journal.read("t")), [-1, 1, 2, 3, 4])
    [info] = [info for info in await journal.threads() if info.id == "u"]
    _same("its row", (info.length, info.forked_from, info.at, info.status), (4, "t", 2, "new"))


async def a_fork_is_refused(journal: Journal, _: Clock) -> None:
    """Beyond the end, before the beginning, and under a name that is taken."""
    await journal.append("t", 0, _events(0, 1))
    await journal.append("u", 0, _events(5))
    await _raised("beyond the end", ValueError, journal.fork("t", 3, "v"))
    await _raised("before the beginning", ValueError, journal.fork("t", -1, "v"))
    await _raised("a name that is taken", JournalConflict, journal.fork("t", 1, "u"))
    await _raised("itself", JournalConflict, journal.fork("t", 1, "t"))
    _same("threads", sorted(info.id for info in await journal.threads()), ["t", "u"])
    _same("the whole of it", await journal.fork("t", 2, "v"), 3)
    _same("nothing of it", await journal.fork("t", 0, "w"), 1)
    _same("nothing of it", _numbers(await journal.read("w")), [-1])


async def a_fork_is_forked(journal: Journal, _: Clock) -> None:
    """Forks of forks read through all that they share, also from a position that the fork shares itself."""
    await journal.append("a", 0, _events(0, 1, 2, 3))
    await journal.append("b", await journal.fork("a", 3, "b"), [])
    await journal.append("b", 4, _events(10, 11))
    await journal.append("c", await journal.fork("b", 5, "c"), _events(20))
    await journal.append("d", await journal.fork("c", 2, "d"), _events(30))
    _same("b", _numbers(await journal.read("b")), [0, 1, 2, -1, 10, 11])
    _same("c", _numbers(await journal.read("c")), [0, 1, 2, -1, 10, -1, 20])
    _same("d", _numbers(await journal.read("d")), [0, 1, -1, 30])
    _same("a part of c", _numbers(await journal.read("c", 2, 6)), [2, -1, 10, -1])
    _same("another part of c", _numbers(await journal.read("c", 1, 2)), [1])
    _same("where d points", (await journal.read("d", 2, 3))[0].event, ThreadCreated(forked_from="c", at=2))


async def a_deleted_thread_is_gone(journal: Journal, _: Clock) -> None:
    """It is empty and not listed; its name can be used again, from 0; its lease is gone."""
    await journal.append("t", 0, _events(0, 1))
    await journal.lease("t", "r", 60)
    await journal.delete("t")
    _same("length", await journal.length("t"), 0)
    _same("read", await journal.read("t"), [])
    _same("threads", await journal.threads(), [])
    _same("lease", await journal.leased("t"), None)
    error = await _raised("append by one who does not know", JournalConflict, journal.append("t", 2, _events(2)))
    _same("found", error.found, 0)
    _same("append anew", await journal.append("t", 0, _events(7)), 1)
    _same("the new one", _numbers(await journal.read("t")), [7])


async def a_fork_outlives_what_it_was_forked_from(journal: Journal, _: Clock) -> None:
    """Deleting a thread leaves its forks whole, also when the name is used again, and when the fork's own fork is what is left."""
    await journal.append("a", 0, _events(0, 1, 2))
    await journal.append("b", await journal.fork("a", 2, "b"), _events(10))
    await journal.fork("b", 4, "c")
    await journal.delete("a")
    await journal.append("a", 0, _events(7, 8, 9))
    _same("b", _numbers(await journal.read("b")), [0, 1, -1, 10])
    await journal.delete("b")
    _same("c", _numbers(await journal.read("c")), [0, 1, -1, 10, -1])
    _same("append to c", await journal.append("c", 5, _events(20)), 6)
    await journal.delete("c")
    _same("what is left", [info.id for info in await journal.threads()], ["a"])
    _same("a", _numbers(await journal.read("a")), [7, 8, 9])


async def a_lease_keeps_others_out(journal: Journal, clock: Clock) -> None:
    """Until it ends by time, is released, or is taken over on purpose; its holder renews it."""
    lease = await journal.lease("t", "r1", 10)
    _same("the lease", (lease.thread, lease.holder, lease.until), ("t", "r1", clock.now + 10))
    error = await _raised("another holder", LeaseHeld, journal.lease("t", "r2", 10))
    _same("the error", (error.thread, error.holder, error.until), ("t", "r1", clock.now + 10))
    _same("another thread", (await journal.lease("u", "r2", 10)).holder, "r2")
    clock.now += 9
    _same("renewed", (await journal.lease("t", "r1", 10)).until, clock.now + 10)
    clock.now += 9
    _same("still live", await journal.leased("t"), await journal.lease("t", "r1", 1))
    clock.now += 1
    _same("over", await journal.leased("t"), None)
    _same("taken when it is over", (await journal.lease("t", "r2", 10)).holder, "r2")
    await journal.release("t", "r1")
    _same("released by one who has it not", (await journal.leased("t") or lease).holder, "r2")
    _same("taken over", (await journal.lease("t", "r3", 10, takeover=True)).holder, "r3")
    await _raised("renewed after that", LeaseHeld, journal.lease("t", "r2", 10))
    await journal.release("t", "r3")
    _same("released", await journal.leased("t"), None)
    _same("no event of it", await journal.length("t"), 0)


async def one_of_two_drivers_gets_the_lease(journal: Journal, _: Clock) -> None:
    """Of several that ask at once, one gets it."""
    found = await asyncio.gather(*(journal.lease("t", f"r{number}", 10) for number in range(5)), return_exceptions=True)
    _same("refused", sum(isinstance(outcome, LeaseHeld) for outcome in found), 4)


async def followers_see_every_event_once(journal: Journal, _: Clock) -> None:
    """Several followers, from the beginning and from the middle, while events come, also from other threads and their loops."""
    await journal.append("t", 0, _events(0, 1))

    async def seen(start: int, until: int) -> list[int]:
        found: list[int] = []
        async for entry in follow(journal, "t", start):
            found += _numbers([entry])
            if entry.seq == until:
                break
        return found

    async with asyncio.timeout(_PATIENCE_S), asyncio.TaskGroup() as group:
        followers = [group.create_task(seen(start, 11)) for start in (0, 0, 1, 2, 7)]
        await asyncio.sleep(0)
        for number in range(2, 12, 2):
            await asyncio.to_thread(asyncio.run, _appended(journal, number))
            await asyncio.sleep(0)
    for follower, start in zip(followers, (0, 0, 1, 2, 7), strict=True):
        _same(f"followed from {start}", follower.result(), list(range(start, 12)))


async def _appended(journal: Journal, number: int) -> None:
    await journal.append("t", number, _events(number, number + 1))


async def a_change_is_heard(journal: Journal, _: Clock) -> None:
    """Waiting ends with an append, at once when it was there before, with the beginning of a thread, and with its deletion."""
    async with asyncio.timeout(_PATIENCE_S):
        waiting = asyncio.create_task(journal.changed("t", 0))
        await asyncio.sleep(0)
        await journal.append("t", 0, _events(0, 1))
        _same("after the beginning", await waiting, 2)
        _same("at once", await journal.changed("t", 1), 2)
        waiting = asyncio.create_task(journal.changed("u", 0))
        await asyncio.sleep(0)
        await journal.fork("t", 2, "u")
        _same("after a fork", await waiting, 3)
        waiting = asyncio.create_task(journal.changed("t", 2))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        followed = asyncio.create_task(_all(journal, "t"))
        await asyncio.sleep(0.01)
        await journal.delete("t")
        _same("a follower of what is deleted ends", await followed, [0, 1])


async def _all(journal: Journal, thread: str) -> list[int]:
    return _numbers([entry async for entry in follow(journal, thread)])


CHECKS: tuple[Check, ...] = (
    events_come_back,
    no_value_is_shared,
    parts_are_read,
    an_unknown_thread_is_empty,
    an_outdated_append_is_refused,
    an_append_is_atomic,
    a_value_that_json_cannot_hold_is_named,
    one_of_two_writers_wins,
    one_of_two_beginnings_wins,
    threads_are_listed_newest_first,
    a_fork_shares_its_beginning,
    a_fork_is_refused,
    a_fork_is_forked,
    a_deleted_thread_is_gone,
    a_fork_outlives_what_it_was_forked_from,
    a_lease_keeps_others_out,
    one_of_two_drivers_gets_the_lease,
    followers_see_every_event_once,
    a_change_is_heard,
)
"""Every check."""
