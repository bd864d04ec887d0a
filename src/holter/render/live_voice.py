"""An answer that is written while a model says it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from holter.messages import AIMessageChunk
from holter.render.cut import MATERIAL
from holter.render.live_prose import Prose
from holter.render.span import span
from holter.render.view import View

_REASONING = "dim italic"


class Voice:
    """One answer in the making. What it thinks stands behind a bar, what it says below that."""

    def __init__(self, task: tuple[str, str], margin: Text, view: View) -> None:
        """`margin` stands before every line."""
        self.task = task
        """Node and task that speak."""
        self._margin, self._view = margin, view
        self._width = view.measure - len(margin.plain)
        self._prose: Prose | None = None
        self._thinks = False
        self._heard: list[str] = []

    @property
    def heard(self) -> str:
        """All that was said."""
        return "".join(self._heard)

    def add(self, chunk: AIMessageChunk) -> Text:
        """What is to be written of the next delta."""
        shown = Text()
        for kind, text in parts(chunk):
            shown += self._turn(thinks=kind == "reasoning")
            assert self._prose is not None
            shown += self._prose.add(text)
            if kind == "text":
                self._heard.append(text)
        return shown

    def end(self) -> Text:
        """What is to be written when it is over."""
        return Text() if self._prose is None else self._prose.end()

    def _turn(self, *, thinks: bool) -> Text:
        """Begins with the thinking or with the saying, where it is not at it already."""
        if self._prose is not None and thinks == self._thinks:
            return Text()
        shown = self.end()
        self._thinks = thinks
        if not thinks:
            self._prose = Prose(self._margin, self._width)
            return shown
        bar = self._margin + span("┆ ", _REASONING)
        self._prose = Prose(bar, self._width - 2, _REASONING, self._view.limit(MATERIAL))
        return shown + bar + span("reasoning\n", _REASONING)


def parts(chunk: AIMessageChunk) -> Iterator[tuple[str, str]]:
    """("reasoning" or "text", what is thought or said), in order; nothing of a delta that carries only calls or counts."""
    if chunk.reasoning:
        yield "reasoning", chunk.reasoning
    if isinstance(chunk.content, str):
        if chunk.content:
            yield "text", chunk.content
        return
    for block in chunk.content:
        kind = block.get("type")
        text = block.get(kind) if kind in ("text", "reasoning") else None
        if isinstance(text, str) and text:
            yield str(kind), text
