"""The last look at a request before it leaves: the linter's rules about what providers refuse, and its repairs.

What is repaired is the copy that is sent; the thread stays as it is. A step costs the messages that are new: they are looked at with the
group of calls and results in front of them, and a plain step, for a provider that asks nothing special, is passed by one cheap look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from holter.analysis.lint import facts
from holter.errors import UnfitHistory
from holter.formats.target import Target, names, target_named, target_of_model
from holter.journal.event import Event, Noticed, Repaired
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, SystemMessage

if TYPE_CHECKING:
    from holter.analysis.lint.run import Linter

Lint: TypeAlias = Literal["error", "warn", "off"]

SENT = (
    *("PAIR01", "PAIR02", "PAIR03", "PAIR04", "PAIR05", "PAIR06", "PAIR07", "PAIR10", "PAIR11", "PAIR13", "PAIR14"),
    *("ID01", "ID02", "ID03", "ARG01", "ARG02", "ARG03", "ARG04", "ARG05", "ARG06", "ARG07", "ARG08", "ARG12", "ARG13"),
    *("NAME06", "ROLE01", "ROLE02", "ROLE03", "ROLE04", "ROLE06", "RSN01", "RSN02", "RSN04", "RSN06"),
    *("CONT01", "CONT02", "CONT03", "CONT05", "RUN10"),
)
"""The rules that are asked: those about what a provider refuses. The others tell what went wrong in a log, and nobody refuses that. Names
of tools are not looked at: models alias them on their wire, and turn them back."""
_OPENING = frozenset({"ROLE06", "PAIR10", "RUN10"})
"""Those that are about how a history begins, which only a look at all of it can say."""
_ODD = facts.INVALID | facts.PAIRS | facts.IDS_AGAIN | facts.ODD_ARGS | facts.SURROGATE | facts.BLOCKS | facts.UNNAMED
"""What has to be there for one of them to find something where no target is known."""
_NOTHING: list[Event] = []
_UNCHANGED: Mapping[str, Any] = {}
_SAID: Message = HumanMessage("…")
"""Stands for what was said before a piece of a history."""


class Proofreader:
    """Looks at an agent's requests; made once for the agent. `target` is the name of whose rules hold, None where nobody knows."""

    def __init__(self, lint: Lint, target: Target | None, *, offers_tools: bool) -> None:
        self.is_on = lint != "off"
        self.raises = lint == "error"
        self.target = target
        self.target_name = None if target is None else target.name
        self.offers_tools = offers_tools
        self._linter: Linter | None = None

    @property
    def linter(self) -> Linter:
        """The rules. Loaded when a request first needs them."""
        if self._linter is None:
            from holter.analysis.lint.run import Linter

            self._linter = Linter(self.target_name, select=SENT)
        return self._linter


class Proof:
    """What was looked at of the requests of one run."""

    __slots__ = ("_count", "_key", "_reader", "_system", "_tells_all", "_thinking", "_wire", "changes", "looked")

    def __init__(self, reader: Proofreader, thinking: Any, *, is_first: bool) -> None:
        """`thinking` is the request's setting of that name; `is_first` says that the thread has no run before this one, so that nobody
        was told of its history."""
        self._reader = reader
        self._thinking = thinking
        self._tells_all = is_first
        self._key: object = None
        self._count = 0
        """How many messages of the history were looked at."""
        self.looked = 0
        """How many messages were looked at in all, some of them more than once."""
        self._wire: list[Message] | None = None
        """The history as it is sent; None while it is the history itself."""
        self._system: tuple[Message | None, Message | None] = (None, None)
        """The agent's own system message, and the one that is sent for it where that is another one."""
        self.changes: Mapping[str, Any] = _UNCHANGED
        """What else the request has to say: `thinking`, `tools`."""

    def read(self, system: SystemMessage | None, history: list[Message], key: object) -> tuple[list[Message], list[Event]]:
        """The messages to send, and what was put right or noticed in those that were not looked at before. While `key` is the same, the
        history has only grown. Raises UnfitHistory where a rule stays broken and the agent wants that."""
        if not self._reader.is_on:
            return _joined(system, history), []
        if key == self._key and self._wire is None and self._reader.target is None and self._is_plain_on(history):
            return _joined(system, history), _NOTHING
        own, sent = self._system
        has_grown = key == self._key and self._count and (sent is None or own == system)
        found = self._read_on(system, history) if has_grown else self._read_all(system, history)
        self._key, self._count = key, len(history)
        _, sent = self._system
        return _joined(system if sent is None else sent, self._wire if self._wire is not None else history), list(dict.fromkeys(found))

    def _is_plain_on(self, history: list[Message]) -> bool:
        """Whether nothing can be wrong with what came since the last look; then it has been looked at."""
        for message in history[self._count :]:
            if not _is_plain(message):
                return False
        self.looked += len(history) - self._count
        self._count = len(history)
        return True

    # All of it

    def _read_all(self, system: SystemMessage | None, history: list[Message]) -> list[Event]:
        self._wire, self._system, self.changes = None, (system, None), _UNCHANGED
        whole = self._conversation(_joined(system, history))
        self.looked += len(whole.messages)
        if self._reader.target is None and not facts.facts_of(whole.messages, [], []) & _ODD:
            self._tells_all = True
            return []
        found = self._reader.linter.check(whole)
        events: list[Event] = []
        if any(finding.fixable for finding in found):
            whole, done = self._repaired(whole)
            events += map(_repaired, self._told(done, whole))
            found = self._reader.linter.check(whole)
            self._take(system, whole)
        events += self._noticed(self._told(found, whole))
        self._tells_all = True
        return events

    def _take(self, system: SystemMessage | None, whole: Conversation) -> None:
        messages = whole.messages
        if system is not None and messages[0] != system:
            self._system = (system, messages[0])
        self._wire = list(messages if system is None else messages[1:])
        self._change(whole)

    def _change(self, repaired: Conversation) -> None:
        """Takes in what a repair changed beside the messages."""
        thinking = repaired.extra.get("thinking")
        if thinking != self._thinking:
            self.changes = {**self.changes, "thinking": thinking}
        if repaired.tools:
            self.changes = {**self.changes, "tools": repaired.tools}

    def _told(self, found: list[Finding], whole: Conversation) -> list[Finding]:
        """The findings that are news: in a thread that had runs before, those behind its last answer."""
        if self._tells_all:
            return found
        last = max((at for at, message in enumerate(whole.messages) if isinstance(message, AIMessage)), default=0)
        return [finding for finding in found if finding.message is not None and finding.message >= last]

    # What is new

    def _read_on(self, system: SystemMessage | None, history: list[Message]) -> list[Event]:
        new = history[self._count :]
        self.looked += len(new)
        if self._reader.target is None and all(map(_is_plain, new)):  # while a repaired history is sent
            self._send(new)
            return []
        before = self._context(history)
        piece = self._conversation([*before, *new])
        found = [f for f in self._reader.linter.check(piece) if f.code not in _OPENING and (f.message or 0) >= len(before)]
        if not any(finding.fixable for finding in found):
            self._send(new)
            return list(self._noticed(found))
        made, done = self._repaired(piece, {f.code for f in found if f.fixable})
        if made.messages[: len(before)] != before:
            return self._read_all(system, history)
        if self._wire is None:
            self._wire = history[: self._count]
        self._wire += made.messages[len(before) :]
        self._change(made)
        left = [f for f in self._reader.linter.check(made) if f.code not in _OPENING and (f.message or 0) >= len(before)]
        return [*map(_repaired, done), *self._noticed(left)]

    def _send(self, new: Sequence[Message]) -> None:
        if self._wire is not None:
            self._wire += new

    def _context(self, history: list[Message]) -> list[Message]:
        """What stands in front of the new messages, from the last answer on: its results stay results, and neighbours are seen."""
        sent, end = (history, self._count) if self._wire is None else (self._wire, len(self._wire))
        start = end - 1
        while start > 0 and not isinstance(sent[start], AIMessage | HumanMessage):
            start -= 1
        return [_SAID, *sent[start:end]] if isinstance(sent[start], AIMessage) else sent[start:end]

    # Both

    def _conversation(self, messages: list[Message]) -> Conversation:
        thinking = self.changes.get("thinking", self._thinking)
        extra = {} if thinking is None else {"thinking": thinking}
        return Conversation(format="holter.messages", messages=messages, tools_known=not self._reader.offers_tools, extra=extra)

    def _repaired(self, conversation: Conversation, codes: set[str] | None = None) -> tuple[Conversation, list[Finding]]:
        from holter.analysis.repair import repair

        made = repair(conversation, self._reader.target_name, select=SENT if codes is None else codes)
        return made.conversation, made.done

    def _noticed(self, found: list[Finding]) -> Iterator[Event]:
        bad = [finding for finding in found if finding.severity == "error"]
        if bad and self._reader.raises:
            raise UnfitHistory(tuple(f"{f.code} {f.name}: {f.text}" for f in bad), self._reader.target_name)
        for finding in found:
            if finding.severity != "info":
                yield Noticed(code=finding.code, severity=finding.severity, text=finding.text)


def target_of(given: str | None, told: str | None, model: str) -> Target | None:
    """Whose rules hold: those that the caller names, else those that the model tells, else those that its name tells. ValueError for a
    name that is no target's."""
    named = given or told
    if named is None:
        return target_of_model(model)
    target = target_named(named)
    if target is None:
        raise ValueError(f"{named!r} is no target; there are {', '.join(names())}")
    return target


def checked(lint: str) -> Lint:
    """The mode. ValueError for what is none."""
    if lint not in get_args(Lint):
        raise ValueError(f'lint is "error", "warn" or "off", found {lint!r}')
    return lint  # type: ignore[return-value]


def _joined(system: Message | None, history: list[Message]) -> list[Message]:
    return [*history] if system is None else [system, *history]


def _is_plain(message: Message) -> bool:
    """Whether nothing can be wrong with a message that a step has just added, whoever it is sent to. Its ids and its pairs are known to be
    right (`Outgoing`), and its text to be text: it stands in a journal."""
    if message.content.__class__ is not str:
        return False
    if message.__class__ is not AIMessage:
        return True
    for call in message.tool_calls:
        if not call["name"]:
            return False
    return not message.invalid_tool_calls


def _repaired(finding: Finding) -> Repaired:
    return Repaired(code=finding.code, text=f"Put right in what is sent: {finding.text}.")
