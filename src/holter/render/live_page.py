"""Where a run that is watched is written: lines behind its margin, one below the other, and at most one answer that grows.

A run and the runs inside it write on one screen, so they have one answer among them that is being written. When another line comes, that
answer's line is ended, and the answer is shown again when it is whole.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.text import Text

from holter.messages import AIMessage, AIMessageChunk
from holter.render import gutter
from holter.render.live_voice import Voice
from holter.render.span import span


class Family(msgspec.Struct):
    """What a run and the runs inside it have in common."""

    shown: set[str] = msgspec.field(default_factory=set)
    """Ids of messages that were written."""
    answers: list[AIMessage] = msgspec.field(default_factory=list)
    """What models answered, oldest first."""
    speaking: Page | None = None
    """Where an answer is being written."""
    broken: list[Text] = msgspec.field(default_factory=list)
    """Ends of lines that were being written; they come before all else that is to be written."""


class Page:
    """What is to be written of one run."""

    def __init__(self, margin: Text, family: Family) -> None:
        self.margin = margin
        self.family = family
        self.voice: Voice | None = None
        """The answer that is being written."""
        self.muted: tuple[str, str] | None = None
        """Node and task whose answer is shown when it is whole."""
        self.speaker: str | None = None
        """The run inside that wrote last, and nothing was written since."""
        self.silent: str | None = None
        """The node that was named last because it ended, and nothing was written since."""
        self.is_begun = False
        """Whether a message was written."""
        self.is_fresh = False
        """Whether this run's name will stand right above what is written next."""
        self._out: list[Text] = []
        self._echoes: list[int] = []

    def say(self, lines: Iterable[Text]) -> None:
        """Writes lines, below an answer that is being written."""
        said = list(lines)
        if said:
            self.put(said)
            self._make_way()

    def put(self, lines: Iterable[Text]) -> None:
        """Writes lines, where none is being written or this run's own begins."""
        for line in [*self._echoed(), *lines]:
            whole = self.margin + line
            whole.rstrip()
            self._out.append(whole + span("\n"))
        self.speaker = self.silent = None
        self.is_fresh = False

    def begin_message(self) -> None:
        """Writes an empty line between two messages."""
        if self.is_begun and not self.is_fresh:
            self.say([Text()])
        self.is_begun = True

    def echo(self, at: int) -> None:
        """Says, before the next line, that the message at this position stands above."""
        self._echoes.append(at)

    def speak(self, voice: Voice) -> None:
        """Begins an answer that grows."""
        self.voice, self.family.speaking = voice, self

    def add(self, chunk: AIMessageChunk) -> None:
        """Writes more of it."""
        if self.voice is not None:
            self._out.append(self.voice.add(chunk))

    def write(self, text: Text) -> None:
        """Writes text as it is."""
        self._out.append(text)

    def break_off(self) -> None:
        """Ends the line of this run's answer."""
        if self.voice is not None:
            self._out.append(self.voice.end())
            self.voice = self.family.speaking = None

    def close(self) -> None:
        """Writes what was kept back, when nothing more comes."""
        self.break_off()
        if self._echoes:
            self.put([])

    def taken(self) -> Text:
        """What is to be written now."""
        broken: list[Text] = []
        if not self.margin.plain:
            broken, self.family.broken = self.family.broken, []
        out, self._out = self._out, []
        return Text().join([*broken, *out])

    def _make_way(self) -> None:
        other = self.family.speaking
        if other is not None and other.voice is not None:
            other.muted = other.voice.task
            self.family.broken.append(other.voice.end())
            other.voice = self.family.speaking = None

    def _echoed(self) -> list[Text]:
        if not self._echoes:
            return []
        first, last, self._echoes = self._echoes[0], self._echoes[-1], []
        return [span(f"{first:>{gutter.WIDTH - 1}}{'' if first == last else f' to {last}'} as above", "dim")]
