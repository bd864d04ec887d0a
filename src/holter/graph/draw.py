"""A graph as a drawing: for a terminal, as an SVG, as Mermaid text. No browser and no web service is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from holter.graph.canvas import text_of
from holter.graph.check import Graph
from holter.graph.diagram import Diagram, diagram_of
from holter.graph.edge import END, START
from holter.graph.layout import Layout, layout_of
from holter.graph.mermaid import mermaid_of
from holter.graph.svg import svg_of
from holter.render.wrap import cells, shorten

_LONGEST = (40, 24, 16)
"""How many cells a node's name may take; the next one where the drawing would be too wide."""
_SVG_WIDTH, _SVG_LONGEST = 110, 60


def draw_text(graph: Graph, *, width: int = 80, is_ascii: bool = False, nested: bool = False) -> str:
    """The graph for a terminal, at most `width` columns wide if that can be; long names are cut.

    Arrows of paths and commands are dotted. `nested` draws the nodes of graphs inside, here and below.
    """
    diagram = diagram_of(graph, nested=nested)
    layouts = (_layout(diagram, width, longest) for longest in _LONGEST)
    found = next((layout for layout in layouts if layout.width <= width), None)
    return text_of(found or _layout(diagram, width, _LONGEST[-1]), is_ascii=is_ascii)


def draw_svg(graph: Graph, *, nested: bool = False) -> str:
    """The graph as an SVG, all in one file, for light and dark paper."""
    diagram = diagram_of(graph, nested=nested)
    ways = ", ".join(
        f"{_name(arrow.source)} to {_name(arrow.target)}{f' ({arrow.label})' if arrow.label else ''}" for arrow in diagram.arrows
    )
    return svg_of(_layout(diagram, _SVG_WIDTH, _SVG_LONGEST), f"Graph: {ways}")


def draw_mermaid(graph: Graph, *, with_styles: bool = True, nested: bool = False) -> str:
    """The graph as Mermaid text, as LangGraph draws it."""
    return mermaid_of(diagram_of(graph, nested=nested), with_styles=with_styles)


def mimebundle(
    graph: Graph, include: Collection[str] | None = None, exclude: Collection[str] | None = None, *, nested: bool = False
) -> dict[str, str]:
    """The graph in each form that a notebook may show: what `_repr_mimebundle_` returns."""
    makers: dict[str, Callable[..., str]] = {"text/plain": draw_text, "image/svg+xml": draw_svg, "text/vnd.mermaid": draw_mermaid}
    wanted = [kind for kind in makers if (not include or kind in include) and kind not in (exclude or ())]
    return {kind: makers[kind](graph, nested=nested) for kind in wanted}


def _layout(diagram: Diagram, width: int, longest: int) -> Layout:
    return layout_of(diagram, partial(_text, longest=longest), cells, width)


def _name(node: str) -> str:
    return {START: "START", END: "END"}.get(node, node)


def _text(node: str, longest: int) -> str:
    return shorten(_name(node), longest)
