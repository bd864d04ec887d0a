"""When a request is made again, and how long is waited before."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how fast a request is made again after a failure that may pass: no connection, too much load, an error of the server's.

    A request whose answer has begun is never made again.
    """

    tries: int = 3
    """How often at most, the first time included."""
    first_s: float = 0.5
    """The wait before the second try, in seconds; each further one is twice as long."""
    most_s: float = 8.0
    """The longest wait that is chosen here, in seconds."""
    patience_s: float = 60.0
    """The longest wait that a provider may ask for, in seconds; a longer one is the caller's to decide, so the error is raised at once."""
    jitter: float = 0.25
    """Each chosen wait is shortened by up to this part of it, at random, so that clients that failed together do not come back together."""

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise ValueError(f"tries is at least 1, found {self.tries!r}")
        if min(self.first_s, self.most_s, self.patience_s) < 0 or not 0 <= self.jitter <= 1:
            raise ValueError("waits are seconds from 0, and jitter lies between 0 and 1")

    def wait_s(self, tried: int, asked_s: float | None) -> float | None:
        """The wait after `tried` tries, in seconds; `asked_s` is what the provider asks for. None where no further try is made."""
        if tried >= self.tries or (asked_s is not None and asked_s > self.patience_s):
            return None
        if asked_s is not None:
            return asked_s + random.uniform(0, min(self.jitter * asked_s, 1.0))
        chosen: float = min(self.first_s * 2 ** min(tried - 1, 1_000), self.most_s)
        return chosen * (1 - random.uniform(0, self.jitter))


class Retrying(msgspec.Struct, frozen=True):
    """That a request is about to be made again."""

    model: str
    tried: int
    """How often it was made until now."""
    wait_s: float
    error: Exception
    """Why: what would have been raised without a further try."""


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """The wait that a response asks for, in seconds: `retry-after-ms`, or `retry-after` as a number or a date (RFC 9110, 10.2.3).

    None where it asks for none that can be understood; a date that has passed is 0.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    given = headers.get("retry-after")
    seconds = _number(given)
    if seconds is not None or given is None:
        return seconds
    try:
        moment = parsedate_to_datetime(given)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
