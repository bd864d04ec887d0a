"""`holter graph`: drawings of programs."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import Run, run_apart
from tests.cli.programs import AGENT, BROKEN, PLAIN, TEAM, program

pytestmark = pytest.mark.usefixtures("forgotten")


def test_an_agent(run: Run) -> None:
    """On the terminal; what the program prints goes to standard error, and nothing is run but the import."""
    ended = run("graph", program(AGENT))
    assert (ended.code, ended.err) == (0, "loading\n")
    assert ended.out == snapshot("""\
╭───────╮
│ START │
╰───┬───╯
    ▼
┌───────┐
│ model │◄╌╌╌╌┐
└───┬───┘     ╎
┌╌╌╌┴╌╌┐      ╎
╎      ▼      ╎
╎  ┌───────┐  ╎
╎  │ tools ├╌╌┘
╎  └───┬───┘
└╌╌╌┬╌╌┘
    ▼
 ╭─────╮
 │ END │
 ╰─────╯
""")


def test_graphs_inside(run: Run) -> None:
    """They are named; --nested draws them. A graph that is a node of another is not what is meant."""
    name = program(TEAM)
    assert run("graph", name).out.splitlines()[-1] == "research is a graph: look (--nested draws it)"
    assert "│ research:look │" in run("graph", name, "--nested").out


def test_svg(run: Run) -> None:
    """On standard output, or in a file."""
    name = program(PLAIN)
    printed = run("graph", name, "--svg").out
    assert ElementTree.fromstring(printed).tag == "{http://www.w3.org/2000/svg}svg"
    for args in (["--svg", "a.svg"], ["-o", "a.svg"], ["--svg", "-o", "a.svg"]):
        assert run("graph", name, *args) == (0, "", "")
        assert Path("a.svg").read_text("utf-8") == printed
        Path("a.svg").unlink()


def test_mermaid(run: Run) -> None:
    """The same."""
    name = program(PLAIN)
    printed = run("graph", name, "--mermaid").out
    assert "plan --> left;" in printed
    for args in (["-o", "a.mmd"], ["--mermaid", "-o", "a.md"]):
        assert run("graph", name, *args) == (0, "", "")
        assert Path(args[-1]).read_text("utf-8") == printed


def test_text_in_a_file_and_in_ascii(run: Run) -> None:
    """As it is printed; in ASCII where standard output can say no more."""
    name = program(PLAIN)
    assert run("graph", name, "-o", "a.txt").code == 0
    assert Path("a.txt").read_text("utf-8") == run("graph", name).out
    ascii_ = run("graph", name, "--ascii").out
    assert ascii_.isascii()
    assert run_apart("graph", name, PYTHONIOENCODING="ascii", COLUMNS="80").out == ascii_


def test_a_drawing_that_is_too_wide(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said what draws it instead."""
    monkeypatch.setenv("COLUMNS", "40")
    text = """
from holter import END, START, MessagesState, StateGraph
graph = StateGraph(MessagesState)
names = [f"node_{n}" for n in range(4)]
for name in names:
    graph.add_node(name, lambda state: {})
    graph.add_conditional_edges(name, lambda state: 1, {f"from {name} to {other}": other for other in names})
graph.add_edge(START, names[0])
"""
    ended = run("graph", program(text))
    assert ended.code == 0
    assert "columns and has 40; -o graph.svg draws it in a file" in ended.err


def test_unfinished_graphs(run: Run) -> None:
    """What cannot run yet can be looked at."""
    assert "│ fine │" in run("graph", f"{program(BROKEN)}:unfinished").out


CHOICES = """
from holter import END, START, Agent, MessagesState, ScriptedModel, StateGraph

def node(state: MessagesState):
    return {}

def build(name="a"):
    return StateGraph(MessagesState).add_node(name, node).add_edge(START, name)

def make(size):
    return build()

def broken():
    raise ValueError("no key")

def other():
    return 5

one = build("one").compile()
two = build("two")
number = 5
"""


@pytest.mark.parametrize(
    ("more", "name", "drawn"),
    [
        ("", ":one", "one"),
        ("", ":two", "two"),
        ("", ":build", "a"),
        ("graph = build('three')", "", "three"),
        ("graph = build('three')\nagent = build('four').compile()", "", "four"),
        ("graph = build('three')\napp = graph.compile()\ndel one, two", "", "three"),
        ("agent = Agent(ScriptedModel([]))", "", "model"),
    ],
)
def test_which_one_is_meant(run: Run, more: str, name: str, drawn: str) -> None:
    """The one of that name, or that the function of that name makes; the only one; `agent` or `graph`."""
    ended = run("graph", program(CHOICES + more) + name)
    assert (ended.code, f"│ {drawn} │" in ended.out) == (0, True)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (CHOICES, "", "my_program.py has 2 agents and graphs: one, two; say which one, my_program.py:one"),
        (CHOICES, ":three", "there is no 'three'; the agents and graphs there are: one, two"),
        (CHOICES, ":number", "number is no agent and no graph, but 'int'"),
        (CHOICES, ":other", "other() gives no agent and no graph, but 'int'"),
        (CHOICES, ":make", "make is a function that needs size; name an agent, a graph, or a function without parameters"),
        (CHOICES + "async def later(): ...\n", ":later", "later is asynchronous; write it with `def`, or make the agent or graph at"),
        (CHOICES, ":broken", "my_program.py:14: ValueError: no key"),
        ("x = 1\n", "", "my_program.py: there is no agent and no graph at its top level; make one there"),
        ("x = 1\n", ":y", "there is no 'y'; the agents and graphs there are: none"),
        ("import nowhere_to_be_found\n", "", "needs the module 'nowhere_to_be_found', which is not installed here"),
    ],
)
def test_what_cannot_be_chosen(run: Run, text: str, name: str, said: str) -> None:
    """One sentence that says what there is; exit code 2."""
    ended = run("graph", program(text) + name)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert "bug" not in ended.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-o", "a.png"], "'a.png' does not say what to write; its name ends in .svg, .mmd, .mermaid, .txt, or say --svg or --mermaid"),
        (["--svg", "--mermaid"], "--svg and --mermaid are two forms; say one of them"),
        (["-o", "missing/a.svg"], "missing/a.svg cannot be written"),
    ],
)
def test_wrong_usage(run: Run, args: list[str], said: str) -> None:
    """A sentence and exit code 2."""
    ended = run("graph", program(PLAIN), *args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
