"""What one run has used so far, and where its limits end it."""

from __future__ import annotations

from time import monotonic

from holter.agent.limit import Limits
from holter.agent.total import tokens_of
from holter.graph.ending import LimitHit
from holter.messages import AIMessage
from holter.messages.usage import UsageMetadata
from holter.models.cost import cost_usd


class Meter:
    """Counts the requests and answers of one run."""

    __slots__ = ("_began", "cost_usd", "limits", "steps", "tokens", "unpriced", "usages")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps = 0
        """Requests to the model so far, those that came to nothing included."""
        self.usages: list[UsageMetadata] = []
        """Of the answers, those that the thread does not keep included."""
        self.tokens = 0
        self.cost_usd = 0.0
        self.unpriced: str | None = None
        """A model that answered and whose price is not known."""
        self._began = monotonic()

    def asked(self) -> None:
        """Takes in that the model is being asked."""
        self.steps += 1

    def answered(self, answer: AIMessage, model: str) -> None:
        """Takes in an answer."""
        usage = answer.usage_metadata
        if usage is not None:
            self.usages.append(usage)
            self.tokens += tokens_of(usage)
        if self.limits.cost_usd is not None:
            self._pay(answer, model)

    def _pay(self, answer: AIMessage, model: str) -> None:
        price = cost_usd(answer.model, answer.usage_metadata)
        price = price if price is not None else cost_usd(model, answer.usage_metadata)
        if price is None:
            self.unpriced = answer.model or model
        else:
            self.cost_usd += price

    def check(self, messages: int) -> None:
        """Raises LimitHit where the model may not be asked again. `messages` is how many the thread has: where the run stops."""
        limits = self.limits
        if limits.steps is not None and self.steps >= limits.steps:
            raise _hit("steps", limits.steps, f"the model was asked {limits.steps} times, which is the limit", messages)
        if limits.tokens is not None and self.tokens >= limits.tokens:
            raise _hit("tokens", limits.tokens, f"the run used {self.tokens:,} tokens; the limit is {limits.tokens:,}", messages)
        if limits.seconds is not None and (seconds := monotonic() - self._began) >= limits.seconds:
            raise _hit("seconds", limits.seconds, f"the run took {seconds:.1f} seconds; the limit is {limits.seconds:g}", messages)
        if limits.cost_usd is not None:
            self._check_cost(limits.cost_usd, messages)

    def _check_cost(self, limit: float, messages: int) -> None:
        if self.unpriced is not None:
            text = f"no price is known for the answers of {self.unpriced!r}, so the limit of {limit:g} US dollars cannot be kept"
            raise _hit("cost_usd", limit, text, messages)
        if self.cost_usd >= limit:
            raise _hit("cost_usd", limit, f"the run cost {self.cost_usd:.4f} US dollars; the limit is {limit:g}", messages)


def _hit(limit: str, value: float, text: str, messages: int) -> LimitHit:
    return LimitHit(limit, value, f"The run was stopped before message {messages}: {text}.")
