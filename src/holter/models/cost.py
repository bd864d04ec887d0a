"""What answers cost, by the public list of prices in the package genai-prices (extra `tokens`; seen 0.2.3, 2026-11)."""

from __future__ import annotations

import functools
import importlib
from typing import Any

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
