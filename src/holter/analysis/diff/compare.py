"""Compares two conversations: which messages belong together, and what is different in those that do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from holter.analysis.diff.align import align
from holter.analysis.diff.aspect import View, told, usage_of, views
from holter.analysis.diff.difference import Aspect, Change, Difference, Pair
from holter.analysis.latency import took_s
from holter.messages import Conversation, Message, ToolMessage

_OPTIONAL: tuple[Aspect, ...] = ("reasoning", "status", "name", "model", "finish", "usage", "timing")
"""What many formats have no place for. It is compared where both logs say it of some message."""
_OWN_WORDS: tuple[Aspect, ...] = ("finish", "model")
"""What each format says in words of its own: compared only within one."""
_SAID: tuple[Aspect, ...] = ("reasoning", "status", "name")
"""What two logs of one format both have a place for: one that leaves it out says something else."""
_SHARE = 0.1
_LEAST_S = 0.05
"""Durations that differ by less are the same."""


def compare(a: Conversation, b: Conversation, *, ids: bool = False) -> Difference:
    """What is different in two conversations, of one format or of two. Generated ids are compared only with `ids`."""
    aspects, missing = _aspects(a, b)
    reasons = "reasoning" in aspects
    of_a, of_b = (views(each, with_reasoning=reasons, with_blocks=a.format == b.format) for each in (a, b))

    def pair(i: int | None, j: int | None) -> Pair:
        if i is None or j is None:
            return Pair("added" if i is None else "removed", i, j)
        changes = [*_said(of_a[i], of_b[j]), *_beside(of_a[i].message, of_b[j].message, aspects)]
        if reasons and of_a[i].reasoning != of_b[j].reasoning:
            changes.append(Change("reasoning", "", of_a[i].reasoning or None, of_b[j].reasoning or None))
        if ids:
            changes += _ids(of_a[i].message, of_b[j].message)
        if "timing" in aspects:
            changes += _timing(took_s(a.messages, i), took_s(b.messages, j))
        return Pair("changed" if any(change.counts for change in changes) else "same", i, j, changes)

    pairs = [pair(i, j) for i, j in _matched(of_a, of_b)]
    return Difference(pairs, list(_around(a, b)), missing)


def _aspects(a: Conversation, b: Conversation) -> tuple[set[Aspect], list[str]]:
    """(what is compared beside what was said, what one of the two does not say)."""
    in_a, in_b = told(a), told(b)
    same_format = a.format == b.format
    found = {aspect for aspect in _OPTIONAL if aspect in in_a and aspect in in_b and (same_format or aspect not in _OWN_WORDS)}
    if same_format:
        found |= {aspect for aspect in _SAID if aspect in in_a or aspect in in_b}
    return found, sorted(aspect for aspect in in_a ^ in_b if aspect not in found)


def _matched(a: list[View], b: list[View]) -> Iterator[tuple[int | None, int | None]]:
    """Every message of both in order, with its partner where it has one: one that says the same, or, between those, one that does the
    same, or at least is of the same kind."""
    at_a = at_b = 0
    for i, j in [*align([view.key for view in a], [view.key for view in b]), (len(a), len(b))]:
        yield from _gap(a, b, (at_a, i), (at_b, j))
        if i < len(a):
            yield i, j
        at_a, at_b = i + 1, j + 1


def _gap(a: list[View], b: list[View], of_a: tuple[int, int], of_b: tuple[int, int]) -> Iterator[tuple[int | None, int | None]]:
    """The messages between two that match, paired by what they do."""
    at_a, at_b = of_a[0], of_b[0]
    shapes_a, shapes_b = [view.shape for view in a[slice(*of_a)]], [view.shape for view in b[slice(*of_b)]]
    for i, j in [*align(shapes_a, shapes_b), (len(shapes_a), len(shapes_b))]:
        yield from _rest(a, b, (at_a, of_a[0] + i), (at_b, of_b[0] + j))
        if i < len(shapes_a):
            yield of_a[0] + i, of_b[0] + j
        at_a, at_b = of_a[0] + i + 1, of_b[0] + j + 1


def _rest(a: list[View], b: list[View], of_a: tuple[int, int], of_b: tuple[int, int]) -> Iterator[tuple[int | None, int | None]]:
    """What is left, one by one as long as the kinds agree; then what only the one has, and what only the other has."""
    (i, end_a), (j, end_b) = of_a, of_b
    while i < end_a and j < end_b and a[i].message.type == b[j].message.type:
        yield i, j
        i, j = i + 1, j + 1
    yield from ((k, None) for k in range(i, end_a))
    yield from ((None, k) for k in range(j, end_b))


# What is different in two messages


def _said(a: View, b: View) -> Iterator[Change]:
    if a.key == b.key:
        return
    if a.message.type != b.message.type:
        yield Change("field", "type", a.message.type, b.message.type)
    if a.text != b.text:
        yield Change("text", "", a.text, b.text)
    yield from _calls(a, b)
    if a.answers != b.answers:
        yield Change("answers", "", a.answers or None, b.answers or None)


def _calls(a: View, b: View) -> Iterator[Change]:
    names_a, names_b = [name for name, _ in a.calls], [name for name, _ in b.calls]
    at_a = at_b = 0
    for i, j in [*align(names_a, names_b), (len(names_a), len(names_b))]:
        for k in range(at_a, i):
            yield Change("call", f"calls[{k}]", a.calls[k][1], None, names_a[k])
        for k in range(at_b, j):
            yield Change("call", f"calls[{k}]", None, b.calls[k][1], names_b[k])
        if i < len(names_a) and a.calls[i][1] != b.calls[j][1]:
            for path, old, new in _values(a.calls[i][1], b.calls[j][1], f"calls[{i}].args"):
                yield Change("argument", path, old, new, names_a[i])
        at_a, at_b = i + 1, j + 1


_ABSENT = msgspec.UNSET


def _values(a: Any, b: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """(path, old, new) of each value that is different inside two values."""
    waiting: list[tuple[str, Any, Any]] = [(path, a, b)]
    while waiting:
        at, old, new = waiting.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            keys = [*old, *(key for key in new if key not in old)]
            waiting += reversed([(f"{at}.{key}", old.get(key, _ABSENT), new.get(key, _ABSENT)) for key in keys])
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            waiting += reversed([(f"{at}[{k}]", one, other) for k, (one, other) in enumerate(zip(old, new, strict=True))])
        elif old != new or type(old) is not type(new):
            yield at, None if old is _ABSENT else old, None if new is _ABSENT else new


def _beside(a: Message, b: Message, aspects: set[Aspect]) -> Iterator[Change]:
    if "status" in aspects and isinstance(a, ToolMessage) and isinstance(b, ToolMessage) and a.status != b.status:
        yield Change("status", "", a.status, b.status)
    if "name" in aspects and not isinstance(a, ToolMessage) and a.name != b.name:
        yield Change("name", "", a.name, b.name)
    named: tuple[tuple[Aspect, str], ...] = (("model", "model"), ("finish", "finish_reason"))
    for aspect, field in named:
        if aspect in aspects and getattr(a, field, None) != getattr(b, field, None):
            yield Change(aspect, "", getattr(a, field, None), getattr(b, field, None))
    if "usage" in aspects:
        counts_a, counts_b = usage_of(a), usage_of(b)
        for name in {**counts_a, **counts_b}:
            if counts_a.get(name) != counts_b.get(name):
                yield Change("usage", name, counts_a.get(name), counts_b.get(name))


def _ids(a: Message, b: Message) -> Iterator[Change]:
    if a.id != b.id:
        yield Change("id", "id", a.id, b.id)
    if isinstance(a, ToolMessage) and isinstance(b, ToolMessage) and a.tool_call_id != b.tool_call_id:
        yield Change("id", "tool_call_id", a.tool_call_id, b.tool_call_id)
    for k, (one, other) in enumerate(zip(getattr(a, "calls", ()), getattr(b, "calls", ()), strict=False)):
        if one.get("id") != other.get("id"):
            yield Change("id", f"calls[{k}].id", one.get("id"), other.get("id"))


def _timing(a: float | None, b: float | None) -> Iterator[Change]:
    if a is not None and b is not None and abs(a - b) > max(_LEAST_S, _SHARE * max(abs(a), abs(b))):
        yield Change("timing", "", a, b)


def _around(a: Conversation, b: Conversation) -> Iterator[Change]:
    """Tools that only one of two logs offers, or that are declared otherwise."""
    if not (a.tools_known and b.tools_known) or a.tools == b.tools:
        return
    tools_a, tools_b = ({tool.name: tool for tool in each.tools} for each in (a, b))
    if a.format != b.format:  # Another format has no place for a tool that a provider runs itself, or declares it as one of the caller's.
        hosted = {name for name, tool in [*tools_a.items(), *tools_b.items()] if not tool.parameters}
        tools_a, tools_b = ({name: tool for name, tool in tools.items() if name not in hosted} for tools in (tools_a, tools_b))
    for name in {**tools_a, **tools_b}:
        one, other = tools_a.get(name), tools_b.get(name)
        if one is None or other is None:
            yield Change("field", f"tools.{name}", "offered" if one else None, "offered" if other else None)
            continue
        for field in ("description", "parameters"):
            if getattr(one, field) != getattr(other, field):
                yield Change("field", f"tools.{name}.{field}", getattr(one, field), getattr(other, field))
