"""A run while it runs, as a person sees it: what is written reads as `holter show` sets the same thread, but for what comes in deltas.

It is told what happens and gives back what is to be written; writing is up to the caller. Nothing that was written is changed later.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
from rich.text import Text

from holter.journal.entry import Entry
from holter.journal.event import Answered, Interrupted, LimitReached, MessageAdded, ModelFailed, ModelStarted, NodeEnded, RunEnded
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, Message, ToolMessage
from holter.render import gutter
from holter.render.control import one_line
from holter.render.cut import MATERIAL, WHOLE
from holter.render.head import account_lines, head_lines, title_lines
from holter.render.live_calls import Calls
from holter.render.live_note import node_lines, note_lines, plain_value, redact_event, removed_ids
from holter.render.live_page import Family, Page
from holter.render.live_status import Status
from holter.render.live_voice import Voice, parts
from holter.render.message import answer_lines, message_lines
from holter.render.paragraph import indented, paragraph
from holter.render.quantity import plural
from holter.render.redact import Level, redact_value
from holter.render.span import span
from holter.render.thread import Thread
from holter.render.value import compact
from holter.render.view import View

_FAINT = "dim italic"


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants to see of a run."""

    streams: bool = False
    """Whether answers are written while they come; with `redact` they are not, since a secret may come in two pieces."""
    redact: Level | None = None
    names_nodes: bool = False
    """Whether several nodes speak, so that it is said which one does."""
    shows_input: bool = True
    """Whether what the person said is shown, too."""


def base_of(key: str) -> str:
    """The call or task that a question is asked by: `id` of `id/1`, `id::3.0` and `id#1::3.0` (`holter.journal.question`)."""
    return re.split(r"/\d+$|#\d+::|::", key, maxsplit=1)[0]


class Live:
    """A run that is watched, and the runs inside it, which stand behind a bar."""

    def __init__(self, view: View, wish: Wish, margin: Text | None = None, family: Family | None = None) -> None:
        """`margin` and `family` are those of a run inside another."""
        self._page = Page(Text() if margin is None else margin, Family() if family is None else family)
        self._outer = view
        self._view = msgspec.structs.replace(view, width=max(view.width - len(self._page.margin.plain), 30))
        self._wish = wish
        self._thread = Thread()
        self._calls = Calls(self._thread, self._view)
        self._places: dict[str, int] = {}
        """Ids of this run's messages -> their positions."""
        self._inside: dict[str, Live] = {}
        """Runs inside, by the task or call that they belong to."""
        self._model = ""
        """The model that was asked last."""
        self._node: str | None = None
        """The node that spoke last."""
        self._speakers: set[str] = set()
        """Nodes whose messages came in this step."""
        self._is_parallel = False
        self._status = Status()
        self.questions: dict[str, Any] = {}
        """What waits for an answer, by key."""

    @property
    def answers(self) -> list[AIMessage]:
        """What models answered, in runs inside, too; oldest first."""
        return self._page.family.answers

    @property
    def status(self) -> str:
        """What the run is busy with, in a few words; empty when nothing is known."""
        return next((status for live in self._inside.values() if (status := live.status)), str(self._status))

    # What happens. `namespace` names the tasks and calls in which a run inside made it, outermost first.

    def entry(self, entry: Entry, namespace: tuple[str, ...] = ()) -> Text:
        """What is to be written for an event of the journal."""
        if len(namespace) == 1 and entry.seq == 0 and namespace[0] in self._inside:  # another run, in the place of one that is over
            self._page.write(self._inside.pop(namespace[0]).end())
        if namespace:
            return self._told_inside(namespace, lambda live, rest: live.entry(entry, rest))
        event = redact_event(entry.event, self._wish.redact) if self._wish.redact else entry.event
        self._status.hear(event)
        match event:
            case MessageAdded():
                message = event.message if event.message.ts else event.message.replace(ts=entry.time)
                self._take(msgspec.structs.replace(event, message=message))
            case Interrupted():
                self.questions[event.key] = event.value
            case Answered():
                self.questions.pop(event.key, None)
            case ModelStarted():
                self._model = event.model
            case ModelFailed():
                self._page.break_off()
                self._page.say(note_lines(event, self._view))
            case RunEnded():
                self._finish()
            case NodeEnded() if not event.writes and self._is_known(event.node):
                pass
            case NodeEnded() if removed := removed_ids(getattr(entry.event, "writes", {})):
                self._remove(event.node, removed)
            case LimitReached() if not self._page.margin.plain:
                pass  # said as what ended the run
            case _:
                if lines := note_lines(event, self._view):
                    self._page.say([*self._calls.show(), *lines])
                    self._page.silent = event.node if isinstance(event, NodeEnded) else None
        return self._page.taken()

    def delta(self, chunk: AIMessageChunk, node: str, task: str, namespace: tuple[str, ...] = ()) -> Text:
        """What is to be written for a piece of an answer."""
        if namespace:
            return self._told_inside(namespace, lambda live, rest: live.delta(chunk, node, task, rest))
        page, said = self._page, any(parts(chunk))
        if not self._wish.streams or self._wish.redact or self._is_parallel or not said or page.muted == (node, task):
            return Text()
        if page.family.speaking is None:
            self._begin(node, task, chunk.name)
        if page.voice is not None and page.voice.task == (node, task):
            page.add(chunk)
        else:
            page.muted = node, task
        return page.taken()

    def custom(self, value: Any, node: str, namespace: tuple[str, ...] = ()) -> Text:
        """What is to be written for a value that a node or a tool sent on its way."""
        if namespace:
            return self._told_inside(namespace, lambda live, rest: live.custom(value, node, rest))
        plain = plain_value(value)
        plain = redact_value(plain, self._wish.redact) if self._wish.redact else plain
        text = plain if isinstance(plain, str) else compact(plain)
        lines = paragraph(text.strip("\n"), self._view.measure - gutter.WIDTH - 2, _FAINT, self._view.limit(MATERIAL))
        self._page.say([*self._calls.show(), *gutter.blank(indented(lines, span("» ", _FAINT)))])
        return self._page.taken()

    def began(self, node: str, task: str, namespace: tuple[str, ...] = ()) -> None:
        """Takes in that a task begins."""
        if namespace:
            self._child(namespace[0]).began(node, task, namespace[1:])
        else:
            self._status.began(node, task)

    def stepped(self, following: list[str], namespace: tuple[str, ...] = ()) -> None:
        """Takes in that a step is over, and the nodes of the next one. Where several run at once, answers are shown when they are whole."""
        if namespace:
            self._child(namespace[0]).stepped(following, namespace[1:])
            return
        self._status.nodes.clear()
        self._speakers.clear()
        self._is_parallel = len(following) > 1

    def end(self) -> Text:
        """What is to be written when nothing more comes, however the run ended."""
        for live in self._inside.values():
            self._page.write(live.end())
        self._finish()
        return self._page.taken()

    def _is_known(self, node: str) -> bool:
        """Whether it was shown that this node ran: by its messages, or because the same was said last."""
        return node in self._speakers or node in (self._page.silent, "__start__")

    # Messages

    def _take(self, event: MessageAdded) -> None:
        message = event.message
        if event.node is not None:
            self._speakers.add(event.node)
        if message.id is not None and message.id in self._places:
            self._replace(self._places[message.id], message)
        elif message.id is not None and message.id in self._page.family.shown:
            self._echo(message)
        elif isinstance(message, ToolMessage):
            self._answer(message)
        elif isinstance(message, AIMessage):
            self._hear_out(message, event)
        else:
            self._tell(message)

    def _tell(self, message: Message) -> None:
        """A message of which nothing was shown before."""
        self._page.say(self._calls.interrupt())
        at = self._place(message)
        if not isinstance(message, HumanMessage) or self._wish.shows_input:
            self._page.begin_message()
            self._page.say(message_lines(self._thread, at, self._view))

    def _answer(self, message: ToolMessage) -> None:
        lines = self._calls.answer(message)
        if lines is None:
            self._tell(message)
            return
        if message.id is not None:
            self._page.family.shown.add(message.id)
        self._page.say(lines)

    def _hear_out(self, message: AIMessage, event: MessageAdded) -> None:
        """An answer is whole: what was not shown yet of it."""
        self.answers.append(message)
        page = self._page
        voice, page.muted = page.voice, None
        is_heard = voice is not None and event.node == voice.task[0] and voice.heard.strip() == message.text.strip()
        if is_heard:
            self._page.break_off()
        else:
            self._page.say(self._calls.interrupt())
        at = self._place(message, self._maker(event.node))
        if is_heard:
            self._page.say(account_lines(message, self._thread.times[at], self._view))
        else:
            self._page.begin_message()
            body = list(answer_lines(message, self._thread.pairing.of(at), self._view, lambda _: [], WHOLE))
            is_empty = not body and not message.calls
            self._page.say(
                [*head_lines(self._thread, at, self._view), *body, *(gutter.blank([span("(empty)", "dim")]) if is_empty else [])]
            )
        self._node = event.node
        self._page.say(self._calls.ask(self._thread.pairing.of(at)))

    def _replace(self, at: int, message: Message) -> None:
        """A message takes the place of an earlier one; the same one again is no news."""
        if self._thread.messages[at].replace(ts=None) == message.replace(ts=None):
            return
        self._thread.messages[at] = message
        self._page.say([*self._calls.show()])
        self._page.begin_message()
        self._page.say(
            [*message_lines(self._thread, at, self._view, alone=True), *gutter.blank([span("(in the place of what stood there)", _FAINT)])]
        )

    def _remove(self, node: str, ids: set[str]) -> None:
        """Messages go, and those behind them move up."""
        self._page.say(self._calls.interrupt())
        kept = [message for message in self._thread.messages if message.id not in ids]
        gone = len(self._thread.messages) - len(kept)
        self._thread = Thread(kept)
        self._calls = Calls(self._thread, self._view)
        self._places = {message.id: at for at, message in enumerate(kept) if message.id is not None}
        self._page.say(
            gutter.blank([*node_lines(node, {}, self._view.width, self._view), span(f"removed {plural(gone, 'message')}", _FAINT)])
        )

    def _echo(self, message: Message) -> None:
        """A message that a run inside wrote already becomes one of this run."""
        self._page.say(self._calls.interrupt())
        at = self._place(message)
        if self._page.is_begun or not self._page.margin.plain:  # what a run inside is given to begin with is no news
            self._page.echo(at)

    def _place(self, message: Message, maker: str | None = None) -> int:
        at = self._thread.add(message, maker)
        if message.id is not None:
            self._places[message.id] = at
            self._page.family.shown.add(message.id)
        return at

    def _maker(self, node: str | None) -> str | None:
        return node if self._wish.names_nodes and node != self._node else None

    def _begin(self, node: str, task: str, name: str | None) -> None:
        """The line above an answer that is written while it comes."""
        self._page.say(self._calls.interrupt())
        self._page.begin_message()
        maker, model = self._maker(node), self._model if self._model != self._thread.model else ""
        facts = [one_line(fact) for fact in (maker, model) if fact]
        who = f"ai {one_line(name)}" if name else "ai"
        self._page.say(title_lines(len(self._thread.messages), who, facts, "", self._view))
        self._thread.model = self._model or self._thread.model
        self._page.speak(Voice((node, task), self._page.margin + span(" " * gutter.WIDTH), self._view))

    def _finish(self) -> None:
        """Nothing more comes of this run."""
        self._page.break_off()
        self._page.say(self._calls.leave({base_of(key) for key in self.questions}))
        self._page.close()

    # Runs inside

    def _child(self, key: str) -> Live:
        if key not in self._inside:
            margin = self._page.margin + span(" " * gutter.WIDTH + "│ ", "dim")
            wish = msgspec.structs.replace(self._wish, shows_input=True)
            self._inside[key] = Live(self._outer, wish, margin, self._page.family)
        return self._inside[key]

    def _told_inside(self, namespace: tuple[str, ...], tell: Callable[[Live, tuple[str, ...]], Text]) -> Text:
        """What a run inside has to say, under its name where another one spoke before."""
        key, *rest = namespace
        child, page = self._child(key), self._page
        child._page.is_fresh = page.speaker != key
        told = tell(child, tuple(rest))
        if told.plain and page.speaker != key:
            node, _, place = key.partition(":")
            name = one_line(self._calls.name_of(place) or node)
            page.put([*self._calls.show(), *gutter.blank([span("│ ", "dim") + span(name, "bold magenta")])])
            page.speaker = key
        return page.taken() + told
