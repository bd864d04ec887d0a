"""A request that fits the model's window: what is left out of it when the thread has grown too long.

The thread keeps everything; only the request is shorter. What is left out stays left out until the window is full again, so that a
provider's cache of the beginning holds, and so that a request seldom costs a pass over the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

import msgspec

from holter.agent.total import tokens_of
from holter.errors import NothingFits
from holter.journal.event import Trimmed
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolSpec, approximate_tokens, trim

_SHARE_KEPT = 0.75
"""Of the room for the history, how much is filled when something is left out: else the next step would have to leave out more."""
_ANSWER_SHARE = 8
"""Where no setting says how long an answer may be, this part of the window is left for it, at most `_ANSWER_TOKENS`."""
_ANSWER_TOKENS = 8_192
_SCALES = (0.25, 16.0)
"""By how much guesses are corrected, at most."""
_ANSWER_SETTINGS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


def room_tokens(window_tokens: int, settings: Mapping[str, Any]) -> int:
    """How many tokens a request may have, so that the answer has room behind it."""
    asked = [settings[name] for name in _ANSWER_SETTINGS if isinstance(settings.get(name), int) and settings[name] > 0]
    answer = max(asked) if asked else min(window_tokens // _ANSWER_SHARE, _ANSWER_TOKENS)
    return max(window_tokens - answer, 1)


def overhead_tokens(tools: Sequence[ToolSpec], response_format: Any) -> int:
    """About what a request costs beside its messages."""
    said = [msgspec.json.encode((tools, response_format), enc_hook=str)] if tools or response_format is not None else []
    return sum(len(text) // 4 for text in said)


class Cut(msgspec.Struct, frozen=True):
    """Which messages of a history go into a request: some of its beginning, and all from a position on."""

    head: tuple[Message, ...] = ()
    start: int = 0


class Window:
    """The room of one run's requests, and how full it is."""

    def __init__(self, room: int, overhead: int) -> None:
        self._room = room
        self._overhead = overhead
        self._cut = Cut()
        self._used: int | None = None
        """Tokens of the next request, as far as they are known; None before the first."""

    @property
    def cut(self) -> Cut:
        """What the request that was fitted last left out: the same object while that is the same."""
        return self._cut

    def answered(self, answer: AIMessage) -> None:
        """Takes in the answer to the request that was fitted last. What it says that it cost is better than any guess."""
        known = tokens_of(answer.usage_metadata)
        self._used = known or (self._used or 0) + approximate_tokens(answer)

    def fitted(self, history: Sequence[Message], new: Sequence[Message], system: Message | None) -> tuple[list[Message], list[Trimmed]]:
        """The messages of the next request, without the agent's own system message, and what is left out anew. `new` are those that came
        since the last request, the answer to it in front; all of them where the history was built anew.

        Raises NothingFits when the smallest history that can be sent is too long.
        """
        beside = self._overhead + (approximate_tokens(system) if system is not None else 0)
        if self._used is None or len(new) == len(history):
            self._cut = Cut()
            self._used = max(beside + sum(map(approximate_tokens, history)), _told(history))
        else:
            self._used += sum(map(approximate_tokens, new[1:] if new and isinstance(new[0], AIMessage) else new))
        trimmed: list[Trimmed] = []
        if self._used > self._room:
            trimmed = self._shorten(history, beside)
        cut = self._cut
        return ([*cut.head, *history[cut.start :]] if cut.start else list(history)), trimmed

    def _shorten(self, history: Sequence[Message], beside: int) -> list[Trimmed]:
        """Leaves out more than before. What the provider counted says how far our guesses are off."""
        assert self._used is not None
        guessed = beside + sum(map(approximate_tokens, [*self._cut.head, *history[self._cut.start :]]))
        scale = min(max(self._used / max(guessed, 1), _SCALES[0]), _SCALES[1])
        try:
            self._cut, self._used = self._scaled(history, beside, scale)
        except NothingFits:
            if scale <= 1:
                raise
            self._cut, self._used = self._scaled(history, beside, 1.0)
        return list(_left_out(history, self._cut))

    def _scaled(self, history: Sequence[Message], beside: int, scale: float) -> tuple[Cut, int]:
        """A cut that fits, and the tokens of the request that it makes."""

        def cost(message: Message) -> int:
            return ceil(approximate_tokens(message) * scale)

        room = self._room - int(beside * scale)
        cut = _cut(history, cost, [int(room * _SHARE_KEPT), room])
        return cut, int(beside * scale) + sum(map(cost, [*cut.head, *history[cut.start :]]))


def _told(history: Sequence[Message]) -> int:
    """What the newest answer says that it cost, and about what came behind it; 0 where none says."""
    behind = 0
    for message in reversed(history):
        if isinstance(message, AIMessage) and (told := tokens_of(message.usage_metadata)):
            return told + behind
        behind += approximate_tokens(message)
    return 0


def _cut(history: Sequence[Message], cost: Callable[[Message], int], budgets: Sequence[int]) -> Cut:
    """The cut that fits the first budget that can be kept. NothingFits, of the last one, when none can."""
    failure: NothingFits | None = None
    for budget in budgets:
        for attempt in (_from_a_prompt, _behind_the_prompt):
            try:
                return attempt(history, cost, budget)
            except NothingFits as error:
                failure = error
    assert failure is not None
    raise failure


def _from_a_prompt(history: Sequence[Message], cost: Callable[[Message], int], budget: int) -> Cut:
    """As many of the newest turns as fit, each from the user's message on, behind the leading system messages."""
    kept = trim(history, max_tokens=max(budget, 0), start_on="human", count_tokens=cost)
    systems = _leading(history)
    return Cut(tuple(history[:systems]), len(history) - (len(kept) - systems))


def _behind_the_prompt(history: Sequence[Message], cost: Callable[[Message], int], budget: int) -> Cut:
    """The newest message of the user, and as much of what followed as fits: the task of a long run is never forgotten."""
    systems = _leading(history)
    at = next((at for at in range(len(history) - 1, systems - 1, -1) if isinstance(history[at], HumanMessage)), systems - 1)
    head = (*history[:systems], *history[max(at, systems) : at + 1])
    left = budget - sum(map(cost, head))
    if left < 0:
        raise NothingFits("tokens", budget, budget - left)
    kept = trim(history[at + 1 :], max_tokens=left, count_tokens=cost)
    return Cut(head, len(history) - len(kept))


def _leading(history: Sequence[Message]) -> int:
    """How many system messages stand in front."""
    return next((at for at, message in enumerate(history) if not isinstance(message, SystemMessage)), len(history))


def _left_out(history: Sequence[Message], cut: Cut) -> list[Trimmed]:
    """The ranges between what is sent. A message of the head stands before the start."""
    kept = {id(message) for message in cut.head}
    ranges: list[Trimmed] = []
    first: int | None = None
    for at in range(cut.start + 1):
        is_out = at < cut.start and id(history[at]) not in kept
        if is_out and first is None:
            first = at
        elif not is_out and first is not None:
            ranges.append(Trimmed(first=first, last=at - 1))
            first = None
    return ranges
