"""A person and a thread at the terminal: turns, what the runs ask on the way, and how each ends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

import msgspec
from rich.text import Text

from holter.cli.asking import answers
from holter.cli.choice import Chosen
from holter.cli.driving import Outcome
from holter.cli.ending import state_text, total_text
from holter.cli.live_printer import LivePrinter
from holter.cli.session import Session
from holter.cli.verdict import verdict
from holter.graph.diagram import inner_graphs
from holter.journal.entry import Entry
from holter.journal.here import here
from holter.journal.redaction import NOTHING, Redaction
from holter.messages import Conversation, HumanMessage
from holter.render.live import Wish
from holter.render.redact import Level
from holter.render.redact import redact as redacted
from holter.render.text import timeline
from holter.tools.command import Command

Answers = Callable[[Mapping[str, Any]], "dict[str, Any] | None"]
"""From open questions to answers, by key; None where nobody answers."""


class Talk:
    """Turns on one thread."""

    def __init__(
        self,
        chosen: Chosen,
        context: Any,
        *,
        redact: Level | None,
        whole: bool,
        with_traceback: bool,
        shows_input: bool = True,
        ends: Collection[str] = (),
        thread: str | None = None,
        takeover: bool = False,
    ) -> None:
        """`ends` are the lines that end the talk, also in the place of an answer; `thread` and `takeover` are those of a `Session`."""
        wish = Wish(streams=True, redact=redact, names_nodes=_has_several_speakers(chosen), shows_input=shows_input)
        self._printer = LivePrinter(wish, whole=whole)
        self._session = Session(chosen, self._printer, context=context, thread=thread, takeover=takeover)
        self.thread = self._session.thread
        if thread is not None:
            journal = chosen.compiled.journal or chosen.compiled.own_journal()
            self._printer.know(_shown(here(journal, lambda journal: journal.read(thread))))
        self._ends = ends
        self._redaction = NOTHING
        self.has_ended = False
        """Whether one of the lines that end the talk was said in the place of an answer."""
        self._redact = redact
        self._with_traceback = with_traceback

    def __enter__(self) -> Self:
        self._session.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._session.__exit__(*raised)

    def once(self, given: Any, *, is_asked: bool) -> int:
        """The exit code of one turn, after which the whole state is shown. `is_asked`: whether somebody answers questions."""
        outcome = self._turn(given, self.ask if is_asked else None)
        if outcome.status == "done":
            self.write(state_text(self._state(outcome), self._printer.view, self._redact))
        return self._closed(outcome)

    def resume(self, given: Command[Any] | None, questions: Mapping[str, Any], *, is_asked: bool) -> int:
        """As `once`, of a thread that was stopped; `questions` are asked first where no answer is given and somebody can answer."""
        if given is None and questions and is_asked:
            found = self.ask(questions)
            given = None if found is None else Command(resume=found)
        return self.once(given, is_asked=is_asked)

    def say(self, text: str) -> int:
        """The exit code of one of several turns, which begins with what the person says."""
        return self._closed(self._turn({self._session.graph.program.messages_key: [HumanMessage(text)]}, self.ask))

    def show(self, source: str) -> None:
        """Shows the thread so far, as `holter show` does."""
        graph = self._session.graph
        values = graph.get_state(thread=self._session.thread).values
        messages = self._redaction.value(values.get(graph.program.messages_key, []))
        conversation = Conversation(format="holter.journal", messages=messages, source=source)
        for piece in timeline(redacted(conversation, self._redact) if self._redact else conversation, self._printer.view):
            self.write(piece + Text("\n"))

    def ask(self, questions: Mapping[str, Any]) -> dict[str, Any] | None:
        """What a person answers."""
        return answers(questions, self._printer.screen, self._printer.view, self._redact, self._leaves)

    def _leaves(self, text: str) -> bool:
        self.has_ended = text in self._ends
        return self.has_ended

    def write(self, text: Text) -> None:
        """Writes below what stands there."""
        self._printer.screen.write(text)

    def _turn(self, given: Any, ask: Answers | None) -> Outcome:
        """How the drives of a turn ended, one for its input and one after each round of answers."""
        first = len(self._printer.live.answers)
        outcome = self._session.drive(given)
        while outcome.status == "interrupted" and ask is not None and (found := ask(outcome.questions)) is not None:
            outcome = outcome.then(self._session.drive(Command(resume=found)))
        outcome.answers = self._printer.live.answers[first:]
        self._redaction = outcome.redaction
        return outcome

    def _closed(self, outcome: Outcome) -> int:
        if outcome.status is not None:
            self.write(total_text(outcome, self._printer.view))
        return verdict(outcome, with_traceback=self._with_traceback, redact=self._redact)

    def _state(self, outcome: Outcome) -> dict[str, Any]:
        """What a caller would get, without the messages, which are shown already."""
        program = self._session.graph.program
        return {key: value for key, value in outcome.values.items() if key in program.output_fields and key != program.messages_key}


def _shown(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of a thread without what is not to be shown of it."""
    redaction = Redaction.of(entry.event for entry in entries)
    return [msgspec.structs.replace(entry, event=redaction.struct(entry.event)) for entry in entries]


def _has_several_speakers(chosen: Chosen) -> bool:
    """Whether more than one node may say something."""
    graph = chosen.graph
    return len([name for name, node in graph.nodes.items() if not _runs_tools(node)]) - len(inner_graphs(graph)) > 1


def _runs_tools(node: Any) -> bool:
    return hasattr(node.action, "tools_by_name")
