"""Logs with a few nodes replaced or gone, for the law that a reader never raises."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    "",
    "words",
    "{}",
    [],
    [3],
    ["words"],
    [[]],
    {},
    {"type": 5},
    {"type": "text"},
    {"type": [], "id": {}},
]


def _nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every node inside a JSON value."""
    for key, child in list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
        yield value, key
        yield from _nodes(child)


@st.composite
def damaged(draw: st.DrawFn, value: Any) -> Any:
    """The value with one to four nodes replaced, taken out, or copied beside another."""
    copy = deepcopy(value)
    for _ in range(draw(st.integers(1, 4))):
        nodes = list(_nodes(copy))
        if not nodes:
            break
        container, key = nodes[draw(st.integers(0, len(nodes) - 1))]
        action = draw(st.sampled_from(["replace", "delete", "swap"]))
        if action == "delete":
            del container[key]
        elif action == "replace":
            container[key] = deepcopy(draw(st.sampled_from(ODD)))
        else:
            other, at = nodes[draw(st.integers(0, len(nodes) - 1))]
            container[key] = deepcopy(other[at])
    return copy
