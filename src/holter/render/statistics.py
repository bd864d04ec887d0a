"""Sums over conversations as styled text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from holter.analysis.stats import Tally, ToolTally
from holter.analysis.stats.step import Step
from holter.analysis.stats.tally import Spread
from holter.render.control import one_line
from holter.render.paragraph import indented, paragraph
from holter.render.quantity import amount, dollars, plural, seconds
from holter.render.span import span
from holter.render.spark import bar, sparkline
from holter.render.view import View
from holter.render.wrap import pad, shorten, shorten_start

_LABEL = 10
_BAR = 12
_MOST_ROWS = 30
_MOST_STEPS = 40


def statistics(tally: Tally, view: View) -> Iterator[Text]:
    """What a tally came to: sums, tools, steps."""
    yield from _sums(tally, view)
    if tally.tools:
        yield Text()
        yield from _tool_rows(tally.tools, view)
    if tally.conversations == 1 and tally.first:
        yield Text()
        yield from _steps(tally.first)
    elif tally.conversations > 1:
        yield from _largest("biggest steps", [(amount(size), step) for size, _, step in _sorted(tally.biggest)], view)
        yield from _largest("slowest steps", [(seconds(took), step) for took, _, step in _sorted(tally.slowest)], view)


def grouped(groups: dict[str, Tally], by: str, view: View) -> Iterator[Text]:
    """A row for each group, those with the most calls or tokens first."""
    if by == "tool":
        tools = {name: found for tally in groups.values() for name, found in tally.tools.items()}
        yield from _tool_rows(tools, view)
        return
    rows = sorted(groups.items(), key=lambda item: item[0]) if by == "day" else _by_tokens(groups)
    most = max((tally.total_tokens for _, tally in rows), default=0)
    room = _name_room(view, 62)
    short = shorten_start if by == "thread" else shorten
    yield span(f"{pad(by, room)}  {'':{_BAR}}  {'tokens':>9}  {'steps':>6}  {'calls':>6}  {'failed':>6}  {'cost':>9}", "dim")
    for name, tally in rows[:_MOST_ROWS]:
        cost = dollars(tally.cost_usd) if tally.priced else "-"
        line = f"{amount(tally.total_tokens) if tally.total_tokens else '-':>9}"
        yield (
            span(pad(short(one_line(name), room), room) + "  ")
            + span(bar(tally.total_tokens, most, _BAR), "cyan")
            + span(f"  {line}  {amount(tally.steps):>6}  {amount(tally.calls):>6}  {amount(tally.failed):>6}  {cost:>9}")
        )
    if len(rows) > _MOST_ROWS:
        yield span(f"… {plural(len(rows) - _MOST_ROWS, 'more row')} (--json has all)", "dim italic")


def _by_tokens(groups: dict[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(groups.items(), key=lambda item: (-item[1].total_tokens, -item[1].calls, item[0]))


def _sums(tally: Tally, view: View) -> Iterator[Text]:
    kinds = ", ".join(f"{amount(count)} {kind}" for kind, count in tally.messages.items())
    total = sum(tally.messages.values())
    yield from _row("messages", f"{amount(total)} in {plural(tally.conversations, 'conversation')}" + (f": {kinds}" if kinds else ""), view)
    if tally.repeated_messages:
        yield from _row("", f"{plural(tally.repeated_messages, 'message')} of later snapshots counted once", view)
    yield from _row("steps", f"{amount(tally.steps)}" + (f", {_models(tally)}" if tally.models else ""), view)
    if tally.total_tokens:
        yield from _row("tokens", _tokens(tally), view)
    if tally.steps > tally.with_usage and tally.with_usage:
        yield from _row("", f"{plural(tally.steps - tally.with_usage, 'answer')} without token counts", view)
    if tally.priced or tally.unpriced:
        yield from _row("cost", _cost(tally), view)
    if tally.calls:
        rate = f"{100 * tally.failed / tally.calls:.1f}".rstrip("0").rstrip(".")
        yield from _row(
            "calls", f"{amount(tally.calls)}, {amount(tally.failed)} failed ({rate} %), {amount(tally.repeated)} repeated", view
        )
    if tally.model_retries or tally.tool_retries or tally.cache_hits or tally.repairs:
        yield from _row("retries", f"{amount(tally.tool_retries)} of tools, {amount(tally.model_retries)} of models", view)
        yield from _row("cache", f"{plural(tally.cache_hits, 'hit')}; {plural(tally.repairs, 'repair')}", view)
    yield from _latency(tally, view)
    growth = [total / count for total, count in tally.growth if count]
    if len(growth) > 1:
        text = f"{sparkline(growth, min(60, view.measure - 40))}  {amount(round(growth[0]))} → {amount(round(growth[-1]))} tokens in"
        yield from _row("context", text, view)


def _models(tally: Tally) -> str:
    shown = [
        f"{one_line(model)} × {amount(count)}" if len(tally.models) > 1 else one_line(model) for model, count in tally.models.most_common(4)
    ]
    more = [f"{len(tally.models) - 4} more models"] if len(tally.models) > 4 else []
    return ", ".join([*shown, *more])


def _tokens(tally: Tally) -> str:
    cached = f" ({amount(tally.cached_tokens)} cached)" if tally.cached_tokens else ""
    reasoning = f" ({amount(tally.reasoning_tokens)} reasoning)" if tally.reasoning_tokens else ""
    per = f"; {amount(round(tally.total_tokens / tally.with_usage))} per step" if tally.with_usage > 1 else ""
    return f"{amount(tally.total_tokens)}: {amount(tally.input_tokens)} in{cached}, {amount(tally.output_tokens)} out{reasoning}{per}"


def _cost(tally: Tally) -> str:
    if not tally.priced:
        return f"no price is known for {', '.join(map(one_line, list(tally.unpriced)[:4]))}"
    left = sum(tally.unpriced.values())
    return dollars(tally.cost_usd) + (f", without {plural(left, 'answer')} of models whose price is not known" if left else "")


def _latency(tally: Tally, view: View) -> Iterator[Text]:
    spread = tally.model_spread
    if spread.count:
        yield from _row("answers", _spread(spread), view)
    tools = [tool.spread for tool in tally.tools.values() if tool.spread.count]
    if tools:
        count, whole = sum(one.count for one in tools), sum(one.sum_s for one in tools)
        yield from _row("tools", f"{seconds(whole / count)} on average, {seconds(max(one.most_s for one in tools))} at most", view)


def _spread(spread: Spread) -> str:
    middle, most = spread.quantile(0.5) or 0.0, spread.quantile(0.95) or 0.0
    return f"half within {seconds(middle)}, 95 % within {seconds(most)}, {seconds(spread.most_s)} at most"


def _row(label: str, text: str, view: View) -> Iterator[Text]:
    yield from indented(paragraph(text, view.measure - _LABEL), span(f"{label:<{_LABEL}}", "bold"))


def _name_room(view: View, taken: int) -> int:
    return min(max(view.width - taken, 12), 40)


def _tool_rows(tools: dict[str, ToolTally], view: View) -> Iterator[Text]:
    rows = sorted(tools.items(), key=lambda item: (-item[1].calls, item[0]))
    most = max((tool.calls for _, tool in rows), default=0)
    has_times = any(tool.spread.count for _, tool in rows)
    room = _name_room(view, 66 if has_times else 56)
    times = f"  {'average':>8}" if has_times else ""
    yield span(f"{pad('tool', room)}  {'':{_BAR}}  {'calls':>7}  {'failed':>7}  {'repeated':>8}  {'chars each':>10}{times}", "dim")
    for name, tool in rows[:_MOST_ROWS]:
        each = amount(round(tool.characters / tool.answered)) if tool.answered else "-"
        took = f"  {seconds(tool.spread.sum_s / tool.spread.count) if tool.spread.count else '-':>8}" if has_times else ""
        yield (
            span(pad(shorten(one_line(name), room), room) + "  ")
            + span(bar(tool.calls, most, _BAR), "yellow")
            + span(f"  {amount(tool.calls):>7}  ")
            + span(f"{amount(tool.failed):>7}", "red" if tool.failed else "")
            + span(f"  {amount(tool.repeated):>8}  {each:>10}{took}")
        )
    if len(rows) > _MOST_ROWS:
        yield span(f"… {plural(len(rows) - _MOST_ROWS, 'more row')} (--json has all)", "dim italic")


def _steps(steps: list[Step]) -> Iterator[Text]:
    has_times = any(step.took_s is not None for step in steps)
    most = max(step.total_tokens for step in steps)
    times = f"  {'took':>8}" if has_times else ""
    yield span(
        f"{'step':>4}  {'message':>7}  {'':{_BAR}}  {'in':>8}  {'cached':>7}  {'out':>7}  {'reasoning':>9}  {'calls':>5}{times}", "dim"
    )
    for step in steps[:_MOST_STEPS]:
        counts = [step.input_tokens, step.cached_tokens, step.output_tokens, step.reasoning_tokens]
        shown = [amount(count) if step.has_usage else "-" for count in counts]
        took = f"  {seconds(step.took_s) if step.took_s is not None else '-':>8}" if has_times else ""
        yield (
            span(f"{step.number:>4}  {step.message:>7}  ")
            + span(bar(step.total_tokens, most, _BAR), "cyan")
            + span(f"  {shown[0]:>8}  {shown[1]:>7}  {shown[2]:>7}  {shown[3]:>9}  {len(step.calls):>5}{took}")
        )
    if len(steps) > _MOST_STEPS:
        yield span(f"… {plural(len(steps) - _MOST_STEPS, 'more step')} (--json has all)", "dim italic")


def _largest(title: str, rows: list[tuple[str, Step]], view: View) -> Iterator[Text]:
    if not rows:
        return
    yield Text()
    yield span(title, "bold")
    for size, step in rows:
        where = f" · conversation {step.conversation}, message {step.message}"
        source = shorten_start(one_line(step.source or step.thread), max(view.width - 13 - len(where), 12))
        yield span(f"  {size:>9}  ") + span(source + where, "dim")


def _sorted(largest: list[tuple[Any, int, Step]]) -> list[tuple[Any, int, Step]]:
    return sorted(largest, reverse=True)
