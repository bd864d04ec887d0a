"""Times and spans of time on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import click

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")


class When(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A time: `30d` (so long ago; s, m, h, d, w), or a date or time in ISO 8601, in UTC where it names no zone. Seconds since the epoch."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time; a usage error for anything else."""
        if isinstance(value, float):
            return value
        if (span := _SPAN.fullmatch(value)) is not None:
            try:
                return (datetime.now(UTC) - timedelta(**{_UNITS[span[2]]: float(span[1])})).timestamp()
            except OverflowError:
                return 0.0
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no time; write how long ago (30d, 12h, 2w) or a date (2026-01-31, 2026-01-31T08:00)", param, ctx)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


WHEN = When()
