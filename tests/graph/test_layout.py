"""Where things stand in a drawing."""

from itertools import combinations, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holter.graph.canvas import text_of
from holter.graph.diagram import Arrow, Diagram
from holter.graph.edge import END, START
from holter.graph.layout import Layout, layout_of
from holter.graph.svg import svg_of
from holter.render.wrap import cells


@st.composite
def diagrams(draw: Any) -> Diagram:
    """Any arrows between up to twelve nodes."""
    names = [f"n{number}" * draw(st.integers(1, 4)) for number in range(draw(st.integers(1, 12)))]
    arrow = st.builds(
        Arrow, st.sampled_from([START, *names]), st.sampled_from([*names, END]), st.sampled_from(["", "", "yes", "需要"]), st.booleans()
    )
    arrows = draw(st.lists(arrow, max_size=30, unique_by=lambda one: (one.source, one.target, one.is_dotted)))
    return Diagram((START, *names, END), tuple(arrows))


def laid_out(diagram: Diagram, width: int = 80) -> Layout:
    """The layout with names as they are."""
    return layout_of(diagram, str, cells, width)


@given(diagrams(), st.integers(1, 120))
def test_every_diagram_can_be_drawn(diagram: Diagram, width: int) -> None:
    """Whatever the arrows: each node has a box, no two boxes touch, and both renderers draw it."""
    layout = laid_out(diagram, width)
    assert [box.node for box in sorted(layout.boxes, key=lambda box: diagram.nodes.index(box.node))] == list(diagram.nodes)
    for one, other in combinations(layout.boxes, 2):
        is_apart = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert is_apart or one.y + one.height <= other.y or other.y + other.height <= one.y
    assert len(text_of(layout).splitlines()) == layout.height
    assert svg_of(layout, "x")


@given(diagrams())
def test_lines_stay_out_of_boxes(diagram: Diagram) -> None:
    """A line meets a box at its border only, and a head stands right before one."""
    layout = laid_out(diagram)
    inside = {
        (x, y) for box in layout.boxes for x in range(box.x + 1, box.x + box.width - 1) for y in range(box.y + 1, box.y + box.height - 1)
    }
    for line in layout.lines:
        for (x0, y0), (x1, y1) in zip(line.points, line.points[1:], strict=False):
            assert (x0 == x1) != (y0 == y1)
            assert not inside & {(x, y) for x in range(min(x0, x1), max(x0, x1) + 1) for y in range(min(y0, y1), max(y0, y1) + 1)}
    tops = {(x, box.y - 1) for box in layout.boxes for x in range(box.x + 1, box.x + box.width - 1)}
    sides = {(box.x + box.width, box.y + 1) for box in layout.boxes}
    for head in layout.heads:
        assert (head.x, head.y) in (tops if head.direction == "down" else sides)


@given(diagrams())
def test_a_drawing_is_always_the_same(diagram: Diagram) -> None:
    """Nothing in it depends on the order of a set."""
    assert text_of(laid_out(diagram)) == text_of(laid_out(diagram))


@given(diagrams())
def test_every_arrow_arrives(diagram: Diagram) -> None:
    """A node has a head at it if an arrow leads to it."""
    layout = laid_out(diagram)
    boxes = {box.node: box for box in layout.boxes}
    reached = {arrow.target for arrow in diagram.arrows}
    for name, box in boxes.items():
        above = {(x, box.y - 1) for x in range(box.x, box.x + box.width)} | {(box.x + box.width, box.y + 1)}
        assert (name in reached) == any((head.x, head.y) in above for head in layout.heads)


@given(diagrams())
def test_lines_do_not_lie_on_one_another(diagram: Diagram) -> None:
    """Between two neighbouring cells there is one line at most: what is drawn can be followed."""
    steps = [step for line in laid_out(diagram).lines for step in _steps(line.points)]
    assert len(steps) == len(set(steps))


def _steps(points: list[tuple[int, int]]) -> list[frozenset[tuple[int, int]]]:
    found = []
    for (x0, y0), (x1, y1) in pairwise(points):
        across = [(x, y0) for x in range(min(x0, x1), max(x0, x1) + 1)]
        down = [(x0, y) for y in range(min(y0, y1), max(y0, y1) + 1)]
        cells_ = across if y0 == y1 else down
        found += [frozenset(pair) for pair in pairwise(cells_)]
    return found
