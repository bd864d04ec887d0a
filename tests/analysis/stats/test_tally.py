"""Sums over conversations."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter import formats
from holter.analysis.stats import Groups, Tally
from holter.analysis.stats.tally import Spread
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Shared, ToolMessage
from tests.strategies import broken_histories

FIXTURES = Path(__file__).parents[2] / "fixtures"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def usage(into: int, out: int, cached: int = 0, reasoning: int = 0) -> dict[str, object]:
    """Usage metadata."""
    return {
        "input_tokens": into,
        "output_tokens": out,
        "total_tokens": into + out,
        "input_token_details": {"cache_read": cached},
        "output_token_details": {"reasoning": reasoning},
    }


def call(name: str, id_: str, **args: object) -> dict[str, object]:
    """A tool call."""
    return {"name": name, "args": args, "id": id_, "type": "tool_call"}


RUN: list[Message] = [
    HumanMessage("go", ts=NOON),
    AIMessage(
        "", tool_calls=[call("look", "a", at=1), call("pay", "b")], usage_metadata=usage(100, 10, 20, 5), ts=NOON + timedelta(seconds=2)
    ),
    ToolMessage("nothing", tool_call_id="a", ts=NOON + timedelta(seconds=3)),
    ToolMessage("Error: no", tool_call_id="b", ts=NOON + timedelta(seconds=6)),
    AIMessage("", tool_calls=[call("look", "c", at=1)], usage_metadata=usage(150, 10), ts=NOON + timedelta(seconds=7)),
    ToolMessage("", tool_call_id="c", status="error", ts=NOON + timedelta(seconds=8)),
    AIMessage("done", usage_metadata=usage(200, 20), response_metadata={"model_name": "m"}, ts=NOON + timedelta(seconds=18)),
]


def conversation(messages: list[Message], **fields: object) -> Conversation:
    """A conversation in memory."""
    return Conversation(format="holter.messages", messages=messages, **fields)  # type: ignore[arg-type]


def tally(*conversations: Conversation) -> Tally:
    """What they come to."""
    found = Tally()
    for each in conversations:
        found.add(each)
    return found


def test_the_figures_of_annotated_logs() -> None:
    """Reasoning tokens and totals come out, from both forms."""
    figures = []
    for name in ("calculator.txt", "weather.txt"):
        (found,) = formats.read(FIXTURES / "explained" / name)
        sums = tally(found)
        figures.append((sums.input_tokens, sums.output_tokens, sums.reasoning_tokens, sums.total_tokens, sums.steps))
    assert figures == [(984, 161, 93, 1_145, 2), (642, 221, 0, 863, 2)]


def test_one_run() -> None:
    """Messages, calls per tool, errors, repeated calls, tokens, times, growth."""
    found = tally(conversation(RUN))
    assert dict(found.messages) == {"human": 1, "ai": 3, "tool": 3}
    assert (found.calls, found.failed, found.repeated) == (3, 2, 1)
    look, pay = found.tools["look"], found.tools["pay"]
    assert (look.calls, look.failed, look.repeated, look.characters) == (2, 1, 1, 7)
    assert (pay.calls, pay.failed, pay.spread.sum_s) == (1, 1, 4.0)
    assert (found.input_tokens, found.cached_tokens, found.output_tokens, found.reasoning_tokens) == (450, 20, 40, 5)
    assert [part[0] for part in found.growth] == [100, 150, 200]
    assert [(step.message, step.took_s) for _, _, step in sorted(found.slowest, reverse=True)] == [(6, 10.0), (1, 2.0), (4, 1.0)]
    assert [step.total_tokens for _, _, step in sorted(found.biggest, reverse=True)] == [220, 160, 110]


def test_snapshots_of_one_run_are_counted_once() -> None:
    """A later snapshot counts from where it goes on; its repeated calls are known all the same."""
    found = tally(conversation(RUN[:4]), conversation(RUN, position=1, shared=Shared(0, 4)))
    assert (found.conversations, found.repeated_messages, sum(found.messages.values())) == (2, 4, 7)
    assert (found.calls, found.repeated, found.total_tokens) == (3, 1, 490)


def test_common_instructions_are_no_snapshot() -> None:
    """Conversations that begin with the same question are counted whole."""
    found = tally(conversation(RUN), conversation(RUN, position=1, shared=Shared(0, 1)))
    assert (found.repeated_messages, found.calls) == (0, 6)


@pytest.mark.parametrize(
    ("by", "names"),
    [("tool", ["look", "pay"]), ("model", ["?", "m"]), ("day", ["2026-03-01"]), ("thread", ["-#0"])],
)
def test_groups(by: str, names: list[str]) -> None:
    """The same sums apart."""
    groups = Groups(by)  # type: ignore[arg-type]
    groups.add(conversation(RUN))
    assert list(groups.groups) == names
    assert sum(each.calls for each in groups.groups.values()) == 3
    if by != "tool":
        assert sum(each.total_tokens for each in groups.groups.values()) == 490


def test_cost() -> None:
    """By the price list; models without a price are named."""
    pytest.importorskip("genai_prices")
    found = Tally(priced=True)
    answer = AIMessage("x", usage_metadata=usage(1_000_000, 0), response_metadata={"model_name": "gpt-4o"})
    found.add(conversation([answer, AIMessage("y", usage_metadata=usage(1, 1), response_metadata={"model_name": "nobody-1"})]))
    assert found.cost_usd > 0
    assert (found.priced, dict(found.unpriced)) == (1, {"nobody-1": 1})


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=50))
def test_quantiles(durations: list[float]) -> None:
    """Within a tenth of what a sorted list says."""
    spread = Spread()
    for duration in durations:
        spread.add(duration)
    exact = sorted(durations)[(len(durations) + 1) // 2 - 1]
    found = spread.quantile(0.5)
    assert found is not None
    assert abs(found - exact) <= 0.11 * exact + 1e-5
    assert spread.quantile(1.0) == pytest.approx(max(durations), rel=0.11, abs=1e-5)


@given(broken_histories())
def test_any_history_can_be_counted(messages: list[Message]) -> None:
    """No message is lost."""
    found = tally(conversation(messages))
    assert sum(found.messages.values()) == len(messages)
    assert found.calls == sum(len(message.calls) for message in messages if isinstance(message, AIMessage))
