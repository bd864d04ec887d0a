"""Sums over conversations as JSON values."""

from __future__ import annotations

from typing import Any

from holter.analysis.stats import Tally, ToolTally
from holter.analysis.stats.step import Step
from holter.analysis.stats.tally import Spread


def tally_json(tally: Tally) -> dict[str, Any]:
    """A tally as a JSON value. Numbers that the log does not say are null."""
    return {
        "conversations": tally.conversations,
        "conversations_with_errors": tally.failed_conversations,
        "messages": dict(tally.messages),
        "repeated_messages": tally.repeated_messages,
        "steps": tally.steps,
        "steps_with_usage": tally.with_usage,
        "models": dict(tally.models),
        "tokens": {
            "input": tally.input_tokens,
            "cached": tally.cached_tokens,
            "output": tally.output_tokens,
            "reasoning": tally.reasoning_tokens,
            "total": tally.total_tokens,
            "per_step": tally.total_tokens / tally.with_usage if tally.with_usage else None,
        },
        "cost_usd": tally.cost_usd if tally.priced else None,
        "answers_without_price": dict(tally.unpriced),
        "calls": tally.calls,
        "failed": tally.failed,
        "error_rate": tally.failed / tally.calls if tally.calls else None,
        "repeated_calls": tally.repeated,
        "retries": {"tools": tally.tool_retries, "models": tally.model_retries},
        "cache_hits": tally.cache_hits,
        "repairs": tally.repairs,
        "answer_s": spread_json(tally.model_spread),
        "tools": {name: tool_json(tool) for name, tool in tally.tools.items()},
        "context_growth": [round(total / count) for total, count in tally.growth if count],
        "slowest_steps": [step_json(step) for _, _, step in sorted(tally.slowest, reverse=True)],
        "biggest_steps": [step_json(step) for _, _, step in sorted(tally.biggest, reverse=True)],
        "step_list": [step_json(step) for step in tally.first] if tally.conversations == 1 else [],
    }


def tool_json(tool: ToolTally) -> dict[str, Any]:
    """The sums over a tool's calls as a JSON value."""
    return {
        "calls": tool.calls,
        "answered": tool.answered,
        "failed": tool.failed,
        "repeated": tool.repeated,
        "characters": tool.characters,
        "took_s": spread_json(tool.spread),
    }


def spread_json(spread: Spread) -> dict[str, Any] | None:
    """Durations as a JSON value; null without any."""
    if not spread.count:
        return None
    mean = spread.sum_s / spread.count
    return {"count": spread.count, "mean": mean, "median": spread.quantile(0.5), "p95": spread.quantile(0.95), "most": spread.most_s}


def step_json(step: Step) -> dict[str, Any]:
    """A step as a JSON value."""
    counts = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "total_tokens")
    return {
        "source": step.source,
        "conversation": step.conversation,
        "message": step.message,
        "step": step.number,
        "model": step.model,
        **{name: getattr(step, name) if step.has_usage else None for name in counts},
        "cost_usd": step.cost_usd,
        "took_s": step.took_s,
        "calls": [call.tool for call in step.calls],
        "failed": sum(call.failed for call in step.calls),
    }
