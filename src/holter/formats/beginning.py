"""Which earlier conversation of a source a later one begins like: snapshots of a growing history, retries, forks."""

from itertools import takewhile
from operator import eq

from holter.messages import Conversation, Message, Shared, SystemMessage

_MOST_KEPT = 4
"""Threads that may alternate in a source; each costs the memory of a conversation."""
_KEY_LENGTH = 100


class Beginnings:
    """Remembers the latest conversations, by the text that opens them."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[int, list[Message]]] = {}
        """(position, messages), the one that was met last at the end."""

    def shared_by(self, conversation: Conversation, position: int) -> Shared | None:
        """What the conversation at this position shares with an earlier one, when that is more than system messages. It is remembered."""
        messages = conversation.messages
        for opening in messages:
            if opening.__class__ is not SystemMessage:
                break
        else:
            return None
        key = opening.text[:_KEY_LENGTH]
        earlier = self._latest.pop(key, None)
        self._latest[key] = position, messages
        if len(self._latest) > _MOST_KEPT:
            del self._latest[next(iter(self._latest))]
        if earlier is None:
            return None
        count = _count_equal(earlier[1], messages)
        return Shared(earlier[0], count) if any(message.__class__ is not SystemMessage for message in messages[:count]) else None


def _count_equal(earlier: list[Message], later: list[Message]) -> int:
    """How many messages both begin with. Values that are nested too deeply to compare count as different."""
    count = 0
    try:
        for _ in takewhile(bool, map(eq, earlier, later)):
            count += 1
    except RecursionError:
        pass
    return count
