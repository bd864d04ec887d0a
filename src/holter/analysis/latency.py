"""How long a message took, by the times that messages say themselves."""

from collections.abc import Sequence

from holter.messages import Message, ToolMessage

_LARGEST_BATCH = 256
"""Results in a row that are looked at."""


def took_s(messages: Sequence[Message], at: int) -> float | None:
    """Seconds from what a message waited for: a result for the message that asked, all others for the latest of the results before them,
    which stand in the order of their calls and not of their times. None where one of the two does not say its time."""
    now = messages[at].ts
    if now is None:
        return None
    is_result = isinstance(messages[at], ToolMessage)
    times = []
    for position in range(at - 1, max(at - _LARGEST_BATCH, 0) - 1, -1):
        message = messages[position]
        is_asking = not isinstance(message, ToolMessage)
        if message.ts is not None and (is_asking or not is_result):
            times.append(message.ts)
        if is_asking:
            break
    return max((now - max(times)).total_seconds(), 0.0) if times else None
