"""What an argument such as `log.json`, `log.json@12` or `log.jsonl#3` names: conversations of a file, or their first messages."""

from __future__ import annotations

import os
import re

import msgspec

from holter.cli.journal import opened
from holter.cli.source import STANDARD_INPUT, Absent, conversations
from holter.journal.here import here
from holter.messages import Conversation
from holter.render.quantity import plural

_NAME = re.compile(r"(?P<name>.+?)(?:#(?P<conversation>\d+))?(?:@(?P<count>\d+))?")


class Named(msgspec.Struct, frozen=True):
    """An argument, taken apart."""

    argument: str
    name: str
    """The file or the thread."""
    conversation: int | None
    """Which conversation of it; all for None."""
    count: int | None
    """How many of its first messages; all for None."""


def named(argument: str, journal: str | None = None) -> Named:
    """What the argument names. A file or a thread of exactly this name comes first: a fork may be called `trip@4`."""
    match = _NAME.fullmatch(argument)
    is_whole = match is None or match["name"] == argument or argument == STANDARD_INPUT
    if match is None or is_whole or os.path.exists(argument) or _is_thread(argument, journal):
        return Named(argument, argument, None, None)
    conversation, count = match["conversation"], match["count"]
    return Named(argument, match["name"], int(conversation) if conversation else None, int(count) if count else None)


def _is_thread(name: str, journal: str | None) -> bool:
    with opened(journal) as found:
        return found is not None and here(found, lambda found: found.length(name)) > 0


def snapshots(wanted: Named, journal: str | None = None) -> list[Conversation]:
    """The conversations that were named, cut: of a file, or, where there is none, of a thread in the journal. Raises ReadError,
    JournalError, OSError, and Absent where there are fewer conversations or messages."""
    all_ = list(conversations(wanted.name, journal=journal))
    if wanted.conversation is not None:
        if wanted.conversation >= len(all_):
            raise Absent(f"{wanted.name}: there is no conversation at {wanted.conversation}; it holds {plural(len(all_), 'conversation')}")
        all_ = [all_[wanted.conversation]]
    if wanted.count is None:
        return all_
    if all(len(each.messages) < wanted.count for each in all_):
        longest = max((len(each.messages) for each in all_), default=0)
        raise Absent(f"{wanted.argument}: there are only {plural(longest, 'message')}")
    return [each.head(wanted.count) for each in all_]
