"""What in a log speaks for a line of the checklist without breaking a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from holter.analysis.diagnose.checklist import Said
from holter.analysis.lint.index import Index
from holter.analysis.lint.trace import canonical
from holter.messages import SystemMessage

_MANY = 3
_GROWN = 4


def signs(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    """(key of the line, message, what is seen) of each sign, in the checklist's order."""
    yield from _never_called(index)
    yield from _repeats(index)
    yield from _failures(index)
    yield from _system(index)
    yield from _cut(index)
    yield from _growth(index)


def _never_called(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    if index.offered and not index.calls and index.answers:
        count = len(index.offered)
        yield (
            "never-called",
            index.answers[-1][0],
            Said(f"{count} tools were offered, and none is called", f"提供了 {count} 个工具，但一个也没有被调用"),
        )


def _repeats(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    seen: Counter[tuple[str | None, str]] = Counter()
    for call in index.calls:
        key = call.name, canonical(call.call.get("args"))
        seen[key] += 1
        if seen[key] == _MANY:
            yield (
                "repeats",
                call.message,
                Said(f"{call.name} is called with equal arguments for the third time", f"{call.name} 第三次以相同参数被调用"),
            )


def _failures(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    for at, result in index.results:
        if result.status == "error":
            said = result.text.strip().split("\n")[0][:120] or "(empty)"
            yield "after-failure", at, Said(f"a tool failed: {said}", f"工具失败：{said}")


def _system(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    system = _system_at(index)
    if system and system[0] != 0:
        yield "drift", system[0], Said("the system message does not come first", "系统消息不是第一条")


def _system_at(index: Index) -> list[int]:
    return [at for at, message in enumerate(index.messages) if isinstance(message, SystemMessage)]


def hints(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    """What speaks for a line only where something else does, too: many logs have it that are well."""
    if len(index.messages) > _MANY and not _system_at(index) and index.conversation.format.startswith("openai.chat"):
        yield "drift", 0, Said("there is no system message", "没有系统消息")


def _cut(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    for at, message in index.answers:
        if index.was_cut(message) and not message.calls:
            yield "cut-empty-costly", at, Said(f"the answer ended with {message.finish_reason}", f"回答以 {message.finish_reason} 结束")


def _growth(index: Index) -> Iterator[tuple[str, int | None, Said]]:
    given = [(at, m.usage_metadata.get("input_tokens") or 0) for at, m in index.answers if m.usage_metadata]
    sizes = [(at, size) for at, size in given if size]
    if len(sizes) >= _MANY and sizes[-1][1] >= _GROWN * sizes[0][1]:
        first, last = sizes[0][1], sizes[-1][1]
        yield (
            "cut-empty-costly",
            sizes[-1][0],
            Said(f"the prompt grew from {first:,} to {last:,} tokens", f"提示从 {first:,} 增长到 {last:,} 个 token"),
        )
