"""What answers cost, by the public list of prices in the package genai-prices (extra `tokens`; seen 0.2.3, 2026-11)."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import msgspec

from holter.messages.usage import UsageMetadata, count

_DETAILS = {
    "cache_read": ("input_token_details", "cache_read_tokens"),
    "cache_creation": ("input_token_details", "cache_write_tokens"),
    "audio": ("input_token_details", "input_audio_tokens"),
}
"""A detail's name -> where it stands in the usage, and what the price list calls it."""


def check_prices() -> None:
    """ImportError, which names the extra, where the price list is not installed."""
    _prices()


@functools.cache
def _prices() -> Any:
    try:
        return importlib.import_module("genai_prices")
    except ImportError as error:
        raise ImportError(f'a limit on cost needs genai-prices, which is not installed ({error}): pip install "holter[tokens]"') from None


def cost_usd(model: str | None, usage: UsageMetadata | None) -> float | None:
    """What one answer cost, in US dollars; None where its tokens or the model's price are not known."""
    if not model or usage is None:
        return None
    prices = _prices()
    try:
        return float(prices.calc_price(prices.Usage(**_counts(usage)), model).total_price)
    except (LookupError, ValueError):  # a model that is not in the list; counts that do not fit together
        return None


def _counts(usage: UsageMetadata) -> dict[str, int]:
    """The counts by the price list's names. Details beyond the whole, which it refuses, are left out."""
    whole = count(usage.get("input_tokens")) or 0
    made = {"input_tokens": whole, "output_tokens": count(usage.get("output_tokens")) or 0}
    for name, (place, key) in _DETAILS.items():
        details = usage.get(place)
        number = count(details.get(name)) if isinstance(details, dict) else None
        if number and number <= whole:
            made[key] = number
            whole -= number
    return made


class _Rates(msgspec.Struct, frozen=True):
    """US dollars per token of a model, for requests that are small enough."""

    below: float
    """Input tokens from which on other prices hold; infinite where none do."""
    of: dict[str, float]
    """Kind of token, by the price list's names -> its price."""

    def cost(self, counts: dict[str, int]) -> float:
        """What these counts cost. Details of the input are a part of it."""
        plain = counts["input_tokens"] - sum(counts.get(name, 0) for name in _PARTS)
        parts = sum(counts.get(name, 0) * self.of[name] for name in _PARTS)
        return plain * self.of["input_tokens"] + parts + counts["output_tokens"] * self.of["output_tokens"]


_PARTS = ("cache_read_tokens", "cache_write_tokens", "input_audio_tokens")
_PRICES = {
    "input_tokens": "input_mtok",
    "output_tokens": "output_mtok",
    "cache_read_tokens": "cache_read_mtok",
    "cache_write_tokens": "cache_write_mtok",
    "input_audio_tokens": "input_audio_mtok",
}
_TRIED = {"input_tokens": 1_000, "output_tokens": 70, "cache_read_tokens": 300, "cache_write_tokens": 110}


def cost_of_many(model: str | None, usage: UsageMetadata | None) -> float | None:
    """As `cost_usd`, for programs that ask for thousands of answers: prices are looked up once for each model."""
    if not model or usage is None:
        return None
    rates = _rates(model)
    counts = _counts(usage)
    if rates is None or counts["input_tokens"] >= rates.below:
        return cost_usd(model, usage)
    return rates.cost(counts)


@functools.cache
def _rates(model: str) -> _Rates | None:
    """The prices of a model, where they add up to what the price list says itself; else None."""
    prices = _prices()
    try:
        tried = prices.calc_price(prices.Usage(**_TRIED), model)
    except (LookupError, ValueError):
        return None
    below = float("inf")
    of: dict[str, float] = {}
    for name, field in _PRICES.items():
        price = getattr(tried.model_price, field, None)
        for tier in getattr(price, "tiers", ()):
            below = min(below, tier.start)
        base = getattr(price, "base", price)
        of[name] = float(base) / 1e6 if base is not None else of.get("input_tokens", 0.0)
    rates = _Rates(below, of)
    is_right = below > _TRIED["input_tokens"] and abs(rates.cost(_TRIED) - float(tried.total_price)) < 1e-12
    return rates if is_right else None
