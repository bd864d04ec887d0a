"""Times that go back, or say no zone.

What:   times carry an offset, and do not go back against the order of the events.
Why:    sorted by time, the steps are out of order; mixed naive and aware times cannot be compared.
Seen:   local time written with a Z; a part of a log written by another process.
Bad:    {"events": [{"type": "user", "ts": "2026-03-01T12:00:00Z"}, {"type": "model", "ts": "2026-03-01T10:00:01Z"}]}
Good:   {"events": [{"type": "user", "ts": "2026-03-01T12:00:00Z"}, {"type": "model", "ts": "2026-03-01T12:00:01Z"}]}
Source: https://github.com/use-agent-os/agent-os/pull/2201 (2026-09-15), https://github.com/rjmurillo/ai-agents/issues/4675 (2026-08-06).
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace, moment

_JITTER = timedelta(seconds=1)
"""Clocks of one machine may differ by as much between processes."""


def check(trace: Trace) -> Iterator[Found]:
    """Each such event, in order."""
    newest: datetime | None = None
    for step in trace.steps:
        at = moment(step.ts)
        if at is None:
            continue
        path = f"[{step.position}].ts"
        if at.tzinfo is None:
            yield Found(text=f"{step.ts} has no offset", index=step.position, path=path, hint="read it in the log's own zone")
            continue
        if newest is not None and at < newest - _JITTER:
            text = f"the time goes back by {newest - at} against the order of the events"
            yield Found(text=text, index=step.position, path=path, hint="order by sequence number; durations across this place are unknown")
            continue
        newest = at if newest is None else max(newest, at)


RULE = Rule(
    code="RUN11",
    name="timestamp-order",
    severity="warning",
    check=check,
    fix="order by sequence number; read naive times in the log's zone",
    about="trace",
)
