"""What a graph looks like, in every form that somebody may want to see: `graph.get_graph()`.

The names are LangGraph's (`langchain_core.runnables.graph.Graph`, 1.8.3, seen 2026-11), so a line that draws a graph there draws it here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NoReturn

from holter.errors import GraphError
from holter.graph.check import Graph

if TYPE_CHECKING:
    from types import ModuleType

    from holter.graph.diagram import Arrow, Diagram


class Picture:
    """A graph to look at. In a notebook it shows itself."""

    def __init__(self, builder: Graph, *, xray: bool | int = False) -> None:
        """`xray` draws the nodes of the graphs inside, too."""
        self._builder = builder
        self._nested = bool(xray)

    @property
    def nodes(self) -> dict[str, Any]:
        """What the nodes run, by name; None for START and END, and for the nodes of graphs inside."""
        return {name: node.action if (node := self._builder.nodes.get(name)) else None for name in self._diagram().nodes}

    @property
    def edges(self) -> tuple[Arrow, ...]:
        """The ways between the nodes, with `source`, `target`, `label` and `is_dotted`."""
        return self._diagram().arrows

    def draw_text(self, *, width: int = 80) -> str:
        """The graph for a terminal, at most `width` columns wide if that can be."""
        return str(_drawing().draw_text(self._builder, width=width, nested=self._nested))

    def draw_ascii(self, *, width: int = 80) -> str:
        """The same in ASCII."""
        return str(_drawing().draw_text(self._builder, width=width, is_ascii=True, nested=self._nested))

    def print_ascii(self) -> None:
        """Prints the graph in ASCII."""
        sys.stdout.write(self.draw_ascii() + "\n")

    def draw_svg(self) -> str:
        """The graph as an SVG, all in one file."""
        return str(_drawing().draw_svg(self._builder, nested=self._nested))

    def draw_mermaid(self, *, with_styles: bool = True, **_: Any) -> str:
        """The graph as Mermaid text. LangGraph's other options are accepted and change nothing."""
        return str(_drawing().draw_mermaid(self._builder, with_styles=with_styles, nested=self._nested))

    def draw_mermaid_png(self, *_: Any, **__: Any) -> NoReturn:
        """Raises GraphError, which says what draws the graph: a PNG would take a browser or a web service."""
        raise GraphError(_NO_PNG)

    draw_png = draw_mermaid_png

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None, **_: Any) -> dict[str, str]:
        """The forms in which a notebook may show the graph."""
        return dict(_drawing().mimebundle(self._builder, include, exclude, nested=self._nested))

    def _diagram(self) -> Diagram:
        from holter.graph.diagram import diagram_of  # see `_drawing`

        return diagram_of(self._builder, nested=self._nested)

    def __str__(self) -> str:
        return self.draw_text()

    def __repr__(self) -> str:
        return f"<Picture of {', '.join(self._builder.nodes)}>"


def _drawing() -> ModuleType:
    """What draws. A program that only runs its graphs does not load it."""
    import holter.graph.draw

    return holter.graph.draw


_NO_PNG = (
    "a graph is not drawn as a PNG, which would take a browser or a web service; in a notebook the graph shows itself (display(graph)), "
    "get_graph().draw_svg() gives it as an SVG, and `holter graph program.py -o graph.svg` writes one to a file"
)
