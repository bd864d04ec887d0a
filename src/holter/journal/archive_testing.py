"""What every journal that lasts does beside the protocol, as checks: see `holter.journal.testing`, whose `run` runs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from holter.errors import JournalConflict, NotStorable, UnknownThread
from holter.journal.archive import Archive
from holter.journal.blank import blanked
from holter.journal.entry import Entry
from holter.journal.event import (
    Event,
    Interrupted,
    MessageAdded,
    NodeEnded,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolStarted,
)
from holter.journal.search import Wanted
from holter.journal.testing import Clock
from holter.messages.message import AIMessage, HumanMessage, ToolMessage

ArchiveCheck: TypeAlias = Callable[[Archive, Clock], Awaitable[None]]


def _same(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


async def _raised(what: str, kind: type[Exception], doing: Awaitable[Any]) -> None:
    try:
        found = await doing
    except kind:
        return
    raise AssertionError(f"{what}: expected {kind.__name__}, found {found!r}")


def _call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": "c", "type": "tool_call"}


async def _three(journal: Archive, clock: Clock) -> None:
    """Three threads: one that went well, one that failed, one that is a fork of the first one's beginning."""
    clock.now = 100.0
    good: list[Event] = [
        RunStarted(run="r", input={"messages": [{"type": "human", "content": "Wie wird das Wetter in MÜNCHEN?"}]}),
        MessageAdded(message=AIMessage("", id="a", tool_calls=[_call("get_weather", city="München", days=17)])),
        ToolStarted(call_id="c", name="get_weather"),
        MessageAdded(message=ToolMessage('sunny, 100% "clear"\nand_dry', id="t", tool_call_id="c")),
        RunEnded(run="r"),
    ]
    await journal.append("good", 0, good)
    clock.now = 200.0
    bad: list[Event] = [
        RunStarted(run="r"),
        MessageAdded(message=HumanMessage("明天北京的天气怎么样？", id="h")),
        ToolFailed(call_id="d", name="book", error="ValueError: no such City"),
        Interrupted(key="q", value={"ask": ["Really cancel?"]}),
        RunEnded(run="r", status="failed", error="gave up"),
    ]
    await journal.append("bad", 0, bad)
    clock.now = 300.0
    await journal.append("fork", await journal.fork("good", 2, "fork"), [MessageAdded(message=HumanMessage("only in the fork", id="f"))])


async def threads_are_found_by_what_they_say(journal: Archive, clock: Clock) -> None:
    """Every word must be there, whatever its case and script, in values and not in names of fields; also in what a fork shares."""
    await _three(journal, clock)
    cases = {
        "wetter münchen": ["fork", "good"],
        "MÜNCHEN": ["fork", "good"],
        "sunny": ["good"],
        '100% "clear': ["good"],
        "100_": [],
        "and_dry": ["good"],
        '"only in the"': ["fork"],
        '"in only"': [],
        "北京": ["bad"],
        "really": ["bad"],
        "17": ["fork", "good"],
        "content": [],
        "tool_call": [],
        "wetter 北京": [],
        "": ["fork", "bad", "good"],
        "GAVE up": ["bad"],
    }
    for text, expected in cases.items():
        _same(f"what says {text!r}", [info.id for info in await journal.find(Wanted(text=text))], expected)


async def threads_are_found_by_what_happened(journal: Archive, clock: Clock) -> None:
    """By status, tool, error and time, and by all of them together; limit and offset page through."""
    await _three(journal, clock)
    cases: list[tuple[Wanted, list[str]]] = [
        (Wanted(status="failed"), ["bad"]),
        (Wanted(status="new"), ["fork"]),
        (Wanted(tool="get_weather"), ["fork", "good"]),
        (Wanted(tool="book"), ["bad"]),
        (Wanted(tool="get"), []),
        (Wanted(tool='"'), []),
        (Wanted(error="city"), ["bad"]),
        (Wanted(error="*"), ["bad"]),
        (Wanted(error="sunny"), []),
        (Wanted(since=200.0), ["fork", "bad"]),
        (Wanted(until=200.0), ["good"]),
        (Wanted(since=150.0, until=250.0, tool="book", error="*", status="failed", text="北京"), ["bad"]),
        (Wanted(since=250.0, tool="book"), []),
    ]
    for wanted, expected in cases:
        _same(f"{wanted}", [info.id for info in await journal.find(wanted)], expected)
    _same("a page", [info.id for info in await journal.find(Wanted(tool="get_weather"), limit=1, offset=1)], ["good"])
    _same("a row", await journal.find(Wanted(status="failed")), [info for info in await journal.threads() if info.id == "bad"])


async def old_threads_are_pruned(journal: Archive, clock: Clock) -> None:
    """What nobody appended to since a time is deleted; what somebody drives, and what a fork shares, stays."""
    await _three(journal, clock)
    await journal.append("driven", 0, [])
    clock.now = 50.0
    await journal.append("driven", 0, [RunStarted(run="r")])
    await journal.append("left", 0, [RunStarted(run="r")])
    shared = await journal.read("fork")
    clock.now = 1_000.0
    await journal.lease("driven", "worker", 60)
    await journal.lease("left", "worker", -1)
    _same("nothing is that old", await journal.prune(50.0), [])
    _same("what is deleted", await journal.prune(250.0), ["bad", "good", "left"])
    _same("what stays", sorted(info.id for info in await journal.threads()), ["driven", "fork"])
    _same("the fork", await journal.read("fork"), shared)
    _same("the deleted", (await journal.length("good"), await journal.read("bad")), (0, []))


async def a_payload_is_redacted_in_place(journal: Archive, clock: Clock) -> None:
    """The event is another one from then on, for every fork that shares it; its place and time stay, and an event says what was done."""
    await _three(journal, clock)
    before = await journal.read("good")
    clock.now = 400.0
    new = blanked(before[1].event)
    _same("the next seq", await journal.redact("fork", 1, new, "asked for"), 5)
    expected = [*before[:1], Entry(1, before[1].ts, new), *before[2:]]
    _same("the thread where it lies", await journal.read("good"), expected)
    fork = await journal.read("fork")
    _same("the fork", (fork[:2], fork[4].ts), (expected[:2], 400.0))
    _same("what says so", fork[4].event, Repaired(code="REDACTED", text="The event at 1 was redacted: asked for."))
    _same("what says it now", [info.id for info in await journal.find(Wanted(text="days 17"))], [])
    for seq in (5, -1, 99):
        await _raised(f"redact at {seq}", ValueError, journal.redact("fork", seq, new))
    await _raised("redact by another kind", ValueError, journal.redact("good", 1, RunEnded(run="r")))
    await _raised("redact by what cannot be stored", NotStorable, journal.redact("bad", 3, Interrupted(key="q", value=object())))
    await _raised("redact in no thread", ValueError, journal.redact("nowhere", 0, new))
    _same("after that", await journal.read("good"), expected)


async def a_thread_is_restored(journal: Archive, _: Clock) -> None:
    """With its times, and as a fork of what is there."""
    entries = [Entry(0, 10.0, RunStarted(run="r")), Entry(1, 20.5, NodeEnded(node="n", task="0.0", writes={"x": [1]}))]
    _same("the next seq", await journal.restore("t", entries), 2)
    _same("its entries", await journal.read("t"), entries)
    [info] = await journal.threads()
    _same("its row", (info.created, info.updated, info.status, info.length), (10.0, 20.5, "running", 2))
    own = [Entry(1, 30.0, ThreadCreated(forked_from="t", at=1)), Entry(2, 31.0, RunEnded(run="r"))]
    _same("the next seq of the fork", await journal.restore("u", own, ("t", 1)), 3)
    _same("the fork", await journal.read("u"), [entries[0], *own])
    fork = (await journal.threads())[0]
    _same("its row", (fork.id, fork.forked_from, fork.at, fork.status), ("u", "t", 1, "done"))
    await journal.delete("t")
    _same("the fork alone", await journal.read("u"), [entries[0], *own])
    _same("it goes on", await journal.append("u", 3, [RunStarted(run="s")]), 4)
    await _raised("a name that is taken", JournalConflict, journal.restore("u", entries))
    await _raised("no origin", UnknownThread, journal.restore("v", own, ("t", 1)))
    await _raised("a short origin", ValueError, journal.restore("v", [Entry(9, 1.0, RunEnded(run="r"))], ("u", 9)))
    await _raised("a gap", ValueError, journal.restore("v", [entries[1]]))
    await _raised("nothing", ValueError, journal.restore("v", []))
    _same("threads", [info.id for info in await journal.threads()], ["u"])


async def the_store_lies_beside_the_threads(journal: Archive, _: Clock) -> None:
    """A value that is put comes back; no thread comes of it, and deleting threads leaves it."""
    journal.store.put(("notes", "ann"), "a", {"text": "喜欢爬山", "n": 2**70, "nul": "\x00"})
    await journal.append("t", 0, [RunStarted(run="r")])
    await journal.delete("t")
    item = journal.store.get(("notes", "ann"), "a")
    _same("the value", item and item.value, {"text": "喜欢爬山", "n": 2**70, "nul": "\x00"})
    _same("threads", await journal.threads(), [])


ARCHIVE_CHECKS: tuple[ArchiveCheck, ...] = (
    threads_are_found_by_what_they_say,
    threads_are_found_by_what_happened,
    old_threads_are_pruned,
    a_payload_is_redacted_in_place,
    a_thread_is_restored,
    the_store_lies_beside_the_threads,
)
"""Every check."""
