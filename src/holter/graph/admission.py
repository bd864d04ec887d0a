"""What comes into a thread: answers and calls have ids that nothing else in it has."""

from __future__ import annotations

from holter.graph.thread_ids import ThreadIds
from holter.graph.update import Update
from holter.graph.written import Written
from holter.journal.fold import Fold
from holter.messages.history import History
from holter.messages.message import AIMessage
from holter.messages.reducer import identified


class Admission:
    """Lets what the tasks of one run write into its thread."""

    __slots__ = ("_fold", "_key", "_made")

    def __init__(self, fold: Fold, messages_key: str) -> None:
        self._fold = fold
        self._key = messages_key
        self._made: ThreadIds | None = None

    @property
    def _ids(self) -> ThreadIds:
        """The ids of the thread. Made when they are first needed."""
        if self._made is None:
            self._made = ThreadIds(self._fold.settled.history)
        return self._made

    def only_answer(self, update: Update) -> AIMessage | None:
        """The answer with an id of its own, where an update is one new answer and nothing is to be said of it: the usual step."""
        writes = update.writes
        if len(writes) != 1 or writes[0].key != self._key:
            return None
        value = writes[0].value
        if value.__class__ is not list or len(value) != 1 or value[0].__class__ is not AIMessage:
            return None
        message = identified(value[0])
        assert isinstance(message, AIMessage)
        if not update.is_new and self._fold.settled.history.has(message.id):
            return None
        return message if self._ids.take_new(message) else None

    def admit(self, written: Written, *, are_new: bool) -> None:
        """Gives answers and calls that come into the thread ids of their own. `are_new`: a model answered, whatever the ids say."""
        history = self._fold.settled.history
        written.leave_out(history)
        for at, message in enumerate(written.messages):
            if isinstance(message, AIMessage) and (are_new or not _is_new_form(message, history)):
                if not message.calls and not history.has(message.id):
                    continue
                admitted, repairs = self._ids.admit(message, len(history) + at)
                self._ids.add(admitted)
                written.messages[at] = admitted
                written.repairs += repairs


def _is_new_form(message: AIMessage, history: History) -> bool:
    """Whether the message takes the place of one that it is a new form of: the newest, or one whose calls it has, so that their results
    stay theirs."""
    old = history.of_id(message.id)
    if not isinstance(old, AIMessage):
        return False
    calls = {call.get("id") for call in message.calls}
    return old is history.newest() or all(call.get("id") in calls for call in old.calls)
