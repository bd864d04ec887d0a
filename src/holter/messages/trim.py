"""Cuts a history to a budget without ever cutting a call from its results."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, dropwhile, takewhile
from typing import Literal, TypeAlias

from holter.errors import NothingFits
from holter.messages.message import Message, SystemMessage
from holter.messages.pairs import Pairing
from holter.messages.tokens import approximate_tokens

_Group: TypeAlias = list[Message]


def trim(
    messages: Sequence[Message],
    *,
    max_tokens: int | None = None,
    max_messages: int | None = None,
    keep: Literal["first", "last"] = "last",
    start_on: Literal["human", "ai"] | None = None,
    count_tokens: Callable[[Message], int] = approximate_tokens,
) -> list[Message]:
    """The first or last messages that fit both budgets, in their order, with the leading system messages always among them.

    A call and its results are kept or dropped together, with whatever stood between them; a result whose call is not in `messages` is
    dropped. So a history that was valid stays valid; one that was not goes through `sendable`. `start_on` lets the kept part, after the
    system messages, open only on that kind of message (Anthropic and Gemini want "human" first). A budget left out is no limit, and system
    messages count in both. `count_tokens` gives the cost of one message, 0 or more.

    Raises `NothingFits` when the smallest history that may be sent is over a budget (the system messages with the one group that must
    stay), or when there are messages and none of them is one to start on.

    Unlike LangChain's `trim_messages`: the system messages always stay, all that lead and not only the first; no call is parted from its
    results, whatever the budget; nothing is cut inside a message (`allow_partial`) or from the end (`end_on`); `start_on` works with
    `keep="first"` too; both budgets may be given; and where LangChain returns too little to send, or an empty list, this raises.
    """
    system, groups = _groups(messages)
    if start_on is not None and groups:
        groups = _starting(groups, start_on, anywhere=keep == "last")
        if not groups:
            raise NothingFits(start_on=start_on)
    nearest = groups if keep == "first" else groups[::-1]
    kept = len(groups)
    for unit, budget, cost in (("tokens", max_tokens, count_tokens), ("messages", max_messages, _one)):
        if budget is None:
            continue
        left = budget - sum(map(cost, system))
        needed = sum(map(cost, nearest[0])) if nearest else 0
        if left < needed:
            raise NothingFits(unit, budget, budget - left + needed)
        kept = min(kept, _fitting(nearest, cost, left))
    groups = groups[:kept] if keep == "first" else groups[len(groups) - kept :]
    return [*system, *(message for group in groups for message in group)]


def _one(_: Message) -> int:
    return 1


def _fitting(groups: Iterable[_Group], cost: Callable[[Message], int], budget: int) -> int:
    """How many of the groups, from the first on, fit in the budget together; those after the first that does not are never counted."""
    totals = accumulate(sum(map(cost, group)) for group in groups)
    return sum(1 for _ in takewhile(lambda total: total <= budget, totals))


def _starting(groups: list[_Group], kind: str, *, anywhere: bool) -> list[_Group]:
    """The groups from the first one that opens on this kind of message; `anywhere`: joined, so that each of them opens on it."""
    rest = list(dropwhile(lambda group: group[0].type != kind, groups))
    if not anywhere:
        return rest
    joined: list[_Group] = []
    for group in rest:
        if group[0].type == kind:
            joined.append([])
        joined[-1] += group
    return joined


def _groups(messages: Sequence[Message]) -> tuple[list[Message], list[_Group]]:
    """The leading system messages, and the rest cut into the smallest pieces that may stand alone, oldest first."""
    head = next((i for i, message in enumerate(messages) if not isinstance(message, SystemMessage)), len(messages))
    pairing = Pairing(messages)
    group_end: dict[int, int] = {}
    for result, ref in pairing.answered.items():
        group_end[ref.message] = max(result, group_end.get(ref.message, -1))
    orphans = set(pairing.orphans)
    groups: list[_Group] = []
    end = -1
    for position in range(head, len(messages)):
        if position in orphans:
            continue
        if position > end:
            groups.append([])
        groups[-1].append(messages[position])
        end = max(end, group_end.get(position, -1))
    return list(messages[:head]), groups
