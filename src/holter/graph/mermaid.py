"""A diagram as Mermaid text, as LangGraph draws it (langchain-core 1.8.3, seen 2026-11)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holter.graph.diagram import Arrow, Diagram
from holter.graph.edge import END, START

_HEADER = "---\nconfig:\n  flowchart:\n    curve: linear\n---\n"
_STYLES = (
    "\tclassDef default fill:#f2f0ff,line-height:1.2",
    "\tclassDef first fill-opacity:0",
    "\tclassDef last fill:#bfb6fc",
)
_KEYWORDS = frozenset("call class classdef click default end flowchart graph href linkstyle style subgraph".split())
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def mermaid_of(diagram: Diagram, *, with_styles: bool = True) -> str:
    """The Mermaid text: an arrow of a path or a command is dotted."""
    ids = {name: _id(name, number) for number, name in enumerate(diagram.nodes)}
    lines = [
        "graph TD;",
        *(_node(name, ids[name], with_styles) for name in diagram.nodes),
        *(_arrow(arrow, ids) for arrow in diagram.arrows),
        *(_STYLES if with_styles else ()),
    ]
    return (_HEADER if with_styles else "") + "\n".join(lines) + "\n"


def _id(name: str, number: int) -> str:
    """The name, where Mermaid reads it as one; else one by the node's position."""
    return name if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS else f"n{number}__"


def _node(name: str, node: str, with_styles: bool) -> str:
    if name in (START, END):
        style = (":::first" if name == START else ":::last") if with_styles else ""
        return f"\t{node}([<p>{name}</p>]){style}"
    return f"\t{node}({name})" if node == name else f'\t{node}("{_escaped(name)}")'


def _arrow(arrow: Arrow, ids: Mapping[str, str]) -> str:
    source, target, label = ids[arrow.source], ids[arrow.target], _escaped(arrow.label)
    if arrow.is_dotted:
        way = f"-. &nbsp;{label}&nbsp; .->" if label else "-.->"
    else:
        way = f"-- &nbsp;{label}&nbsp; -->" if label else "-->"
    return f"\t{source} {way} {target};"


def _escaped(text: str) -> str:
    """Text without what Mermaid or HTML would read as something else."""
    return re.sub(r'[^\w\s.,!?()+/=\'-]|["`]', lambda found: f"#{ord(found[0])};", text.replace("\n", " ")) if text else ""
