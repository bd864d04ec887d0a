"""Drawings of graphs: text, SVG, Mermaid."""

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from inline_snapshot import snapshot

from holter.graph.draw import draw_mermaid, draw_svg, draw_text, mimebundle
from holter.graph.edge import END, START
from holter.graph.state_graph import StateGraph
from holter.render.wrap import cells
from tests.graph import graphs
from tests.graph.graphs import State, work

ALL = [
    graphs.line,
    graphs.loop,
    graphs.diamond,
    graphs.fan_out,
    graphs.condition,
    graphs.again,
    graphs.unreachable,
    graphs.long_names,
    graphs.chinese,
]


def drawn(graph: StateGraph, **options: bool) -> str:
    """The drawing, on a line of its own."""
    return "\n" + draw_text(graph, **options) + "\n"


def test_line() -> None:
    """Nodes one below another."""
    assert drawn(graphs.line()) == snapshot("""\

╭───────╮
│ START │
╰───┬───╯
    ▼
┌───────┐
│ fetch │
└───┬───┘
    ▼
┌───────┐
│ parse │
└───┬───┘
    ▼
┌──────┐
│ save │
└───┬──┘
    ▼
 ╭─────╮
 │ END │
 ╰─────╯
""")


def test_loop() -> None:
    """An arrow that leads up runs at the side; arrows of a path are dotted."""
    assert drawn(graphs.loop()) == snapshot("""\

     ╭───────╮
     │ START │
     ╰───┬───╯
         ▼
     ┌───────┐
     │ model │◄──────┐
     └───┬───┘       │
   ┌╌╌╌╌╌┴╌╌╌╌┐      │
   ▼          ▼      │
╭─────╮   ┌───────┐  │
│ END │   │ tools ├──┘
╰─────╯   └───────┘
""")


def test_diamond() -> None:
    """A node that waits for two."""
    assert drawn(graphs.diamond()) == snapshot("""\

      ╭───────╮
      │ START │
      ╰───┬───╯
          ▼
      ┌──────┐
      │ plan │
      └───┬──┘
    ┌─────┴────┐
    ▼          ▼
┌──────┐   ┌───────┐
│ left │   │ right │
└───┬──┘   └───┬───┘
    └─────┬────┘
          ▼
      ┌──────┐
      │ both │
      └───┬──┘
          ▼
       ╭─────╮
       │ END │
       ╰─────╯
""")


def test_fan_out() -> None:
    """A row that is too wide for the terminal becomes two."""
    assert drawn(graphs.fan_out()) == snapshot("""\

                               ╭───────╮
                               │ START │
                               ╰───┬───╯
                                   ▼
                               ┌──────┐
                               │ plan │
                               └───┬──┘
      ┌──────────────┬─────────────┼───────────────┬───────┐
      ▼              ▼             ▼               ▼       │
┌──────────┐   ┌──────────┐   ┌──────────┐   ┌──────────┐  │
│ worker_0 │   │ worker_1 │   │ worker_2 │   │ worker_3 │  │
└─────┬────┘   └─────┬────┘   └─────┬────┘   └─────┬────┘  │
      └─┬────────────┴──────────────┴──────────────┘       │
        │        ┌──────────────┬──────────────┬───────────┴──┐
        │        ▼              ▼              ▼              ▼
        │  ┌──────────┐   ┌──────────┐   ┌──────────┐   ┌──────────┐
        │  │ worker_4 │   │ worker_5 │   │ worker_6 │   │ worker_7 │
        │  └─────┬────┘   └─────┬────┘   └─────┬────┘   └─────┬────┘
        └────────┴──────────────┴┬─────────────┴──────────────┘
                                 ▼
                            ┌────────┐
                            │ gather │
                            └────┬───┘
                                 ▼
                              ╭─────╮
                              │ END │
                              ╰─────╯
""")


def test_condition() -> None:
    """What a path returns stands on its arrow."""
    assert drawn(graphs.condition()) == snapshot("""\

          ╭───────╮
          │ START │
          ╰───┬───╯
              ▼
          ┌───────┐
          │ route │
          └───┬───┘
    ┌╌╌╌╌╌╌╌╌╌┴┬╌╌╌╌╌╌╌╌┐
    ╎          ╎        ╎
   sum     question  nothing
    ╎          ╎        ╎
    ╎          ╎       ┌┘
    ▼          ▼       ╎
┌──────┐   ┌────────┐  ╎
│ math │   │ search │  ╎
└───┬──┘   └────┬───┘  ╎
    └─────┬─────┘      ╎
          ▼            ╎
     ┌────────┐        ╎
     │ answer │        ╎
     └────┬───┘        ╎
          └───┐   ┌╌╌╌╌┘
              ▼   ▼
             ╭─────╮
             │ END │
             ╰─────╯
""")


def test_again() -> None:
    """A node that leads to itself."""
    assert drawn(graphs.again()) == snapshot("""\

╭───────╮
│ START │
╰───┬───╯
    ▼
┌───────┐
│ agent │◄╌┐
└───┬──┬┘  ╎ True
    ╎  └╌╌╌┘
    ╎
  False
    ▼
 ╭─────╮
 │ END │
 ╰─────╯
""")


def test_unreachable() -> None:
    """A node that nothing leads to has no arrow above it."""
    assert drawn(graphs.unreachable()) == snapshot("""\

╭───────╮
│ START │
╰───┬───╯
    ▼
  ┌───┐   ┌──────┐
  │ a │   │ lost │
  └─┬─┘   └───┬──┘
    └────┬────┘
         ▼
      ╭─────╮
      │ END │
      ╰─────╯
""")


def test_long_names() -> None:
    """Long names are cut in a terminal, not in a picture."""
    assert drawn(graphs.long_names()) == snapshot("""\

                             ╭───────╮
                             │ START │
                             ╰───┬───╯
                                 ▼
           ┌──────────────────────────────────────────┐
           │ retrieve_documents_from_the_vector_stor… │
           └─────────────────────┬────────────────────┘
                      ┌╌╌╌╌╌╌╌╌╌╌┴╌╌╌╌╌╌╌╌╌╌╌╌┐
                      ▼                       ╎
┌──────────────────────────────────────────┐  ╎
│ grade_the_retrieved_documents_for_their… │  ╎
└─────────────────────┬────────────────────┘  ╎
        ┌─────────────┘          ┌╌╌╌╌╌╌╌╌╌╌╌╌┘
        │                        ▼
        │  ┌──────────────────────────────────────────┐
        │  │ search_the_web_where_nothing_was_releva… │
        │  └─────────────────────┬────────────────────┘
        └───────────┬────────────┘
                    ▼
                  ╭─────╮
                  │ END │
                  ╰─────╯
""")
    assert "retrieve_documents_from_the_vector_store_of_the_company<" in draw_svg(graphs.long_names())


def test_chinese() -> None:
    """Wide characters take two cells."""
    assert drawn(graphs.chinese()) == snapshot("""\

       ╭───────╮
       │ START │
       ╰───┬───╯
           ▼
       ┌──────┐
       │ 规划 │◄─────────┐
       └───┬──┘          │
    ┌╌╌╌╌╌╌┴╌╌╌╌╌┐       │
    ╎            ╎       │
  够了       需要天气    │
    ▼            ▼       │
┌──────┐   ┌──────────┐  │
│ 回答 │   │ 查询天气 ├──┘
└───┬──┘   └──────────┘
    ▼
 ╭─────╮
 │ END │
 ╰─────╯
""")


def test_ascii() -> None:
    """The same with characters that every terminal has."""
    assert drawn(graphs.loop(), is_ascii=True) == snapshot("""\

     .-------.
     | START |
     '---+---'
         v
     +-------+
     | model |<------+
     +---+---+       |
   +.....+....+      |
   v          v      |
.-----.   +-------+  |
| END |   | tools +--+
'-----'   +-------+
""")


def test_a_path_that_says_nothing() -> None:
    """A path without a map is drawn to what nothing else leads to."""
    graph = StateGraph(State).add_node("plan", work).add_node("worker", work).add_node("gather", work).add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda state: []).add_edge("worker", "gather").add_edge("gather", END)
    assert drawn(graph) == snapshot("""\

 ╭───────╮
 │ START │
 ╰───┬───╯
     ▼
 ┌──────┐
 │ plan │
 └───┬──┘
     ╎
     ▼
┌────────┐
│ worker │
└────┬───┘
     ▼
┌────────┐
│ gather │
└────┬───┘
     ▼
  ╭─────╮
  │ END │
  ╰─────╯
""")


def test_several_loops() -> None:
    """Loops within loops have lines of their own, and lines that cross can be told from lines that meet."""
    graph = StateGraph(State)
    for name in ("retrieve", "grade", "generate", "rewrite"):
        graph.add_node(name, work)
    graph.add_edge(START, "retrieve").add_edge("retrieve", "grade").add_edge("rewrite", "retrieve")
    graph.add_conditional_edges("grade", lambda state: "", {"relevant": "generate", "irrelevant": "rewrite"})
    graph.add_conditional_edges("generate", lambda state: "", {"unsupported": "generate", "useless": "rewrite", "useful": END})
    assert drawn(graph) == snapshot("""\

         ╭───────╮
         │ START │
         ╰───┬───╯
             ▼
       ┌──────────┐
       │ retrieve │◄────────────────────┐
       └─────┬────┘                     │
             ▼                          │
         ┌───────┐                      │
         │ grade │                      │
         └───┬───┘                      │
       ┌╌╌╌╌╌┴╌╌╌╌┐                     │
       ╎          ╎                     │
   relevant  irrelevant                 │
       ▼          ╎                     │
 ┌──────────┐     ╎                     │
 │ generate │◄╌╌╌╌╎╌╌╌╌╌╌┐              │
 └──────┬──┬┘     ╎      ╎ unsupported  │
        ╎  └╌╌╌╌╌╌╎╌╌╌╌╌╌┘              │
   ┌╌╌╌╌┴╌╌╌╌┐    └┐                    │
   ╎         ╎     ╎                    │
useful    useless  ╎                    │
   ╎         ╎     ╎                    │
   ╎         └╌╌┬╌╌┘                    │
   ▼            ▼                       │
╭─────╮   ┌─────────┐                   │
│ END │   │ rewrite ├───────────────────┘
╰─────╯   └─────────┘
""")


def test_mermaid() -> None:
    """As LangGraph draws it."""
    assert draw_mermaid(graphs.condition()) == snapshot("""\
---
config:
  flowchart:
    curve: linear
---
graph TD;
	__start__([<p>__start__</p>]):::first
	route(route)
	math(math)
	search(search)
	answer(answer)
	__end__([<p>__end__</p>]):::last
	__start__ --> route;
	route -. &nbsp;sum&nbsp; .-> math;
	route -. &nbsp;question&nbsp; .-> search;
	route -. &nbsp;nothing&nbsp; .-> __end__;
	math --> answer;
	search --> answer;
	answer --> __end__;
	classDef default fill:#f2f0ff,line-height:1.2
	classDef first fill-opacity:0
	classDef last fill:#bfb6fc
""")
    assert draw_mermaid(graphs.loop(), with_styles=False) == snapshot("""\
graph TD;
	__start__([<p>__start__</p>])
	model(model)
	tools(tools)
	__end__([<p>__end__</p>])
	__start__ --> model;
	model -.-> tools;
	model -.-> __end__;
	tools --> model;
""")


def test_mermaid_names() -> None:
    """Names that Mermaid would read as something else get an id and are escaped."""
    graph = StateGraph(State).add_node("end", work).add_node('say "hi" <b>', work).add_node("查询", work)
    graph.add_edge(START, "end").add_edge("end", 'say "hi" <b>').add_edge('say "hi" <b>', "查询")
    assert draw_mermaid(graph, with_styles=False) == snapshot("""\
graph TD;
	__start__([<p>__start__</p>])
	n1__("end")
	n2__("say #34;hi#34; #60;b#62;")
	n3__("查询")
	__end__([<p>__end__</p>])
	__start__ --> n1__;
	n1__ --> n2__;
	n2__ --> n3__;
	n3__ --> __end__;
""")


@pytest.mark.parametrize("make", ALL)
def test_svg_is_one_file(make: Callable[[], StateGraph]) -> None:
    """The SVG is well-formed, says what it shows, and loads nothing."""
    text = draw_svg(make())
    root = ElementTree.fromstring(text)
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(make().nodes) <= set(names)
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert (title.text or "").startswith("Graph: START to ")
    assert "url(" not in text
    assert text.count("http") == 1


def test_svg_escapes() -> None:
    """Names cannot break out of the picture."""
    graph = StateGraph(State).add_node("<script>", work).add_edge(START, "<script>")
    assert "<script>" not in draw_svg(graph)


def test_mimebundle() -> None:
    """What a notebook asks for, and no more."""
    graph = graphs.line()
    assert mimebundle(graph) == {"text/plain": draw_text(graph), "image/svg+xml": draw_svg(graph), "text/vnd.mermaid": draw_mermaid(graph)}
    assert list(mimebundle(graph, include={"text/plain"})) == ["text/plain"]
    assert list(mimebundle(graph, exclude={"text/plain"})) == ["image/svg+xml", "text/vnd.mermaid"]


@pytest.mark.parametrize("make", ALL)
def test_eighty_columns(make: Callable[[], StateGraph]) -> None:
    """Each fits a terminal."""
    assert max(map(cells, draw_text(make()).splitlines())) <= 80
