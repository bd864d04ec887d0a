"""`holter graph`: an agent or a graph as a drawing."""

from __future__ import annotations

import os
import sys
from typing import Literal, TypeAlias, assert_never

import click

from holter.cli.choice import choose
from holter.cli.command import Command
from holter.cli.destination import destination
from holter.cli.output import text_console, width, writing
from holter.cli.say import say
from holter.graph.check import Graph
from holter.graph.diagram import inner_graphs
from holter.graph.draw import draw_mermaid, draw_svg, draw_text

_Form: TypeAlias = Literal["text", "svg", "mermaid"]
_FORMS: dict[str, _Form] = {".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".txt": "text"}
"""What a file's name says of what is to be written."""


@click.command(
    cls=Command,
    examples=[
        "holter graph examples/travel_assistant.py",
        "holter graph examples/travel_assistant.py -o travel.svg",
        "holter graph examples/travel_assistant.py --mermaid",
    ],
)
@click.argument("program", metavar="PROGRAM[:name]")
@click.option("--svg", metavar="[FILE]", is_flag=False, flag_value="-", help="As an SVG, on standard output or in a file.")
@click.option("--mermaid", is_flag=True, help="As Mermaid text.")
@click.option("-o", "out", metavar="OUT", help="Write to this file; .svg, .mmd and .txt say what.")
@click.option("--nested", is_flag=True, help="With the nodes of the graphs inside.")
@click.option("--ascii", "is_ascii", is_flag=True, help="In ASCII only.")
def command(program: str, svg: str | None, mermaid: bool, out: str | None, nested: bool, is_ascii: bool) -> int:
    """PROGRAM, an agent or a graph in a Python file or a module, as a drawing: text, an SVG, or Mermaid text.

    The name may be left out where there is only one, or one that is called `agent` or `graph`. PROGRAM is run, as an import does; the graph
    is not.
    """
    if svg is not None and mermaid:
        raise click.UsageError("--svg and --mermaid are two forms; say one of them")
    file = out or (svg if svg != "-" else None)
    form = "mermaid" if mermaid else "svg" if svg is not None else _form(file)
    graph = choose(program).graph
    if form == "text" and file is None:
        _print(graph, nested=nested, is_ascii=is_ascii or not _speaks_unicode())
    else:
        _write(graph, form, file, nested=nested, is_ascii=is_ascii)
    return 0


def _form(file: str | None) -> _Form:
    if file is None or file == "-":
        return "text"
    ending = os.path.splitext(file)[1].lower()
    if ending not in _FORMS:
        raise click.UsageError(f"{file!r} does not say what to write; its name ends in {', '.join(_FORMS)}, or say --svg or --mermaid")
    return _FORMS[ending]


def _write(graph: Graph, form: _Form, file: str | None, *, nested: bool, is_ascii: bool) -> None:
    match form:
        case "svg":
            drawing = draw_svg(graph, nested=nested)
        case "mermaid":
            drawing = draw_mermaid(graph, nested=nested)
        case "text":
            drawing = draw_text(graph, width=width(), is_ascii=is_ascii, nested=nested)
        case _:
            assert_never(form)
    with destination(file) as write, writing(file or "standard output"):
        write((drawing.rstrip("\n") + "\n").encode())


def _print(graph: Graph, *, nested: bool, is_ascii: bool) -> None:
    """The drawing, and below it what its nodes have inside."""
    from rich.text import Text

    from holter.render.paragraph import paragraph
    from holter.render.wrap import cells

    drawing = draw_text(graph, width=width(), is_ascii=is_ascii, nested=nested)
    console = text_console()
    with writing():
        console.print(Text(drawing))
        for name, inner in {} if nested else inner_graphs(graph).items():
            console.print()
            for line in paragraph(f"{name} is a graph: {', '.join(inner.nodes)} (--nested draws it)", width(), "dim"):
                console.print(line)
    widest = max(map(cells, drawing.split("\n")))
    if widest > width():
        say(f"the drawing needs {widest} columns and has {width()}; -o graph.svg draws it in a file")


def _speaks_unicode() -> bool:
    """Whether standard output can say what boxes are drawn with."""
    try:
        "┌╎▼".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
