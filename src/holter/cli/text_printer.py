"""Conversations on standard output for a person."""

from collections.abc import Iterable

from rich.text import Text

from holter.cli.output import text_console, width
from holter.messages import Conversation
from holter.render.control import one_line
from holter.render.decision import decision_lines
from holter.render.listing import list_head, list_line
from holter.render.text import single, timeline
from holter.render.view import View


class Timelines:
    """Prints whole conversations, with an empty line between two."""

    def __init__(self, *, whole: bool) -> None:
        self._console = text_console()
        self._view = View(width=width(), whole=whole)
        self._begun = False

    def __call__(self, conversation: Conversation) -> None:
        """Prints the next conversation."""
        self._print(timeline(conversation, self._view))

    def _print(self, pieces: Iterable[Text]) -> None:
        if self._begun:
            self._console.print()
        self._begun = True
        for piece in pieces:
            self._console.print(piece)


class Messages(Timelines):
    """Prints one message of each conversation."""

    def __init__(self, position: int) -> None:
        super().__init__(whole=True)
        self._position = position

    def __call__(self, conversation: Conversation) -> None:
        """Prints the next conversation's message."""
        self._print(single(conversation, self._position, self._view))


class Decisions(Timelines):
    """Prints the decision points of each conversation."""

    def __call__(self, conversation: Conversation) -> None:
        """Prints the next conversation's points."""
        self._print(decision_lines(conversation, self._view))


class List:
    """Prints a line for each conversation, under the name of its source where there are several."""

    def __init__(self, *, named: bool) -> None:
        self._console = text_console()
        self._view = View(width=width())
        self._named = named
        self._source: tuple[str | None] | None = None

    def __call__(self, conversation: Conversation) -> None:
        """Prints the next conversation's line."""
        if self._source != (conversation.source,):
            if self._named:
                gap = "\n" if self._source else ""
                self._console.print(Text(f"{gap}{one_line(conversation.source or 'standard input')}", "bold"))
            self._source = (conversation.source,)
            self._console.print(list_head())
        self._console.print(list_line(conversation, self._view))
