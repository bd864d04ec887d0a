"""What `graph.get_graph()` gives: drawings under LangGraph's names."""

import pytest
from inline_snapshot import snapshot

from holter.errors import GraphError
from holter.graph.edge import END, START
from holter.graph.picture import Picture
from holter.graph.state_graph import StateGraph
from tests.graph import graphs
from tests.graph.graphs import State, work


def team() -> StateGraph:
    """A graph in which a graph is a node."""
    graph = StateGraph(State).add_node("plan", work).add_node("research", graphs.loop().compile()).add_node("write", work)
    return graph.add_edge(START, "plan").add_edge("plan", "research").add_edge("research", "write").add_edge("write", END)


def test_every_form() -> None:
    """Text, ASCII, SVG, Mermaid, and all that a notebook may choose from."""
    picture = Picture(graphs.line())
    assert str(picture) == picture.draw_text()
    assert picture.draw_ascii().isascii()
    assert picture.draw_svg().startswith("<svg ")
    assert picture.draw_mermaid(curve_style="linear", with_styles=False).startswith("graph TD;")
    assert list(picture._repr_mimebundle_()) == ["text/plain", "image/svg+xml", "text/vnd.mermaid"]
    assert list(picture._repr_mimebundle_(include=["image/svg+xml"])) == ["image/svg+xml"]
    assert repr(picture) == "<Picture of fetch, parse, save>"


def test_print_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    """As LangGraph prints a graph."""
    Picture(graphs.line()).print_ascii()
    assert "| fetch |" in capsys.readouterr().out


def test_nodes_and_edges() -> None:
    """What runs, and how it goes on."""
    picture = Picture(graphs.loop())
    assert picture.nodes == {"__start__": None, "model": work, "tools": work, "__end__": None}
    assert [(arrow.source, arrow.target, arrow.is_dotted) for arrow in picture.edges] == snapshot(
        [("__start__", "model", False), ("model", "tools", True), ("model", "__end__", True), ("tools", "model", False)]
    )


@pytest.mark.parametrize("name", ["draw_mermaid_png", "draw_png"])
def test_no_png(name: str) -> None:
    """A PNG is refused with what to use instead; nothing is downloaded."""
    with pytest.raises(GraphError, match=r"draw_svg\(\) gives it as an SVG"):
        getattr(Picture(graphs.line()), name)(output_file_path="graph.png")


def test_graphs_inside() -> None:
    """A graph that is a node is one box; with `xray` its own nodes stand there."""
    assert list(Picture(team()).nodes) == ["__start__", "plan", "research", "write", "__end__"]
    assert "\n" + Picture(team(), xray=True).draw_text() + "\n" == snapshot("""\

         ╭───────╮
         │ START │
         ╰───┬───╯
             ▼
         ┌──────┐
         │ plan │
         └───┬──┘
             ▼
    ┌────────────────┐
    │ research:model │◄─────────┐
    └────────┬───────┘          │
    ┌╌╌╌╌╌╌╌╌┴╌╌╌╌╌╌╌┐          │
    ▼                ▼          │
┌───────┐   ┌────────────────┐  │
│ write │   │ research:tools ├──┘
└───┬───┘   └────────────────┘
    ▼
 ╭─────╮
 │ END │
 ╰─────╯
""")


def test_inside_a_graph_inside() -> None:
    """Every level is drawn, in Mermaid, too."""
    outer = StateGraph(State).add_node("team", team().compile()).add_edge(START, "team").add_edge("team", END)
    picture = Picture(outer, xray=True)
    assert list(picture.nodes) == ["__start__", "team:plan", "team:research:model", "team:research:tools", "team:write", "__end__"]
    assert picture.draw_mermaid(with_styles=False) == snapshot("""\
graph TD;
	__start__([<p>__start__</p>])
	n1__("team#58;plan")
	n2__("team#58;research#58;model")
	n3__("team#58;research#58;tools")
	n4__("team#58;write")
	__end__([<p>__end__</p>])
	__start__ --> n1__;
	n1__ --> n2__;
	n2__ -.-> n3__;
	n2__ -.-> n4__;
	n3__ --> n2__;
	n4__ --> __end__;
""")
