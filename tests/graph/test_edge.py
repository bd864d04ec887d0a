"""Where a graph goes on."""

from __future__ import annotations

import functools
from typing import Any, Literal

import pytest
from inline_snapshot import snapshot

from holter.errors import GraphError
from holter.graph.edge import END, Branch, branch_of
from holter.graph.runtime import Runtime
from holter.tools.command import Send

NODES = ["a", "b"]


def test_targets_of_a_path() -> None:
    """A dict, a list, or what the path's return type says."""

    def said(state: Any) -> Literal["a", "__end__"]:

        raise NotImplementedError

    def several(state: Any) -> list[Literal["a", "b"]] | Literal["b"] | Send:
        raise NotImplementedError

    def silent(state: Any) -> str:
        raise NotImplementedError

    def truth(state: Any) -> Literal[True]:
        raise NotImplementedError

    assert branch_of("s", silent, {True: "a", False: END}).targets == {True: "a", False: END}
    assert branch_of("s", silent, ["a", "b"]).targets == {"a": "a", "b": "b"}
    assert branch_of("s", said, None).targets == {"a": "a", END: END}
    assert branch_of("s", several, None).targets == {"a": "a", "b": "b"}
    assert branch_of("s", silent, None).targets is None
    assert branch_of("s", truth, None).targets is None


def test_paths() -> None:
    """Synchronous or not, with what a node may ask for, too."""

    async def later(state: Any, runtime: Runtime, config: dict[str, Any]) -> str:

        raise NotImplementedError

    branch = branch_of("s", later, None)
    assert (branch.is_async, branch.wishes, branch.name) == (True, {"runtime": "runtime", "config": "config"}, "later")
    assert branch_of("s", functools.partial(later), None).is_async


def test_chosen() -> None:
    """One result or several; keys of the map, nodes, sends."""
    free = Branch("s", lambda state: state, None)
    send = Send("a", 1)
    assert free.chosen("a", NODES) == ["a"]
    assert free.chosen(["a", send, END], NODES) == ["a", send, END]
    assert free.chosen([], NODES) == []
    mapped = Branch("s", lambda state: state, {True: "a", None: END, ("x", "y"): "b"})
    assert mapped.chosen(True, NODES) == ["a"]
    assert mapped.chosen(None, NODES) == [END]
    assert mapped.chosen(("x", "y"), NODES) == ["b"]
    assert mapped.chosen([True, send], NODES) == ["a", send]


def test_results_that_lead_nowhere() -> None:
    """The error names the path, the node behind which it stands, the result, and what it knows."""

    def path(state: Any) -> Any:

        raise NotImplementedError

    def refused(branch: Branch, result: Any) -> str:
        with pytest.raises(GraphError) as caught:
            branch.chosen(result, NODES)
        return str(caught.value)

    free, mapped = branch_of("s", path, None), branch_of("s", path, {"yes": "a", "no": "b"})
    assert refused(free, "c") == snapshot("the path 'path' behind 's' returned 'c', and there is no such node; nodes are 'a', 'b', and END")
    assert refused(free, None) == snapshot(
        "the path 'path' behind 's' returned None, and that is no node's name; nodes are 'a', 'b', and END"
    )
    assert refused(free, Send("c", 1)) == snapshot(
        "the path 'path' behind 's' returned a Send to 'c', and there is no such node; nodes are 'a', 'b', and END"
    )
    assert refused(mapped, "maybe") == snapshot(
        "the path 'path' behind 's' returned 'maybe', which is not in its path map; it knows 'yes', 'no'"
    )
    assert refused(mapped, {}) == snapshot("the path 'path' behind 's' returned {}, which is not in its path map; it knows 'yes', 'no'")


def test_what_is_no_path() -> None:
    """The error says what to give."""

    def refused(path: Any, path_map: Any = None) -> str:
        with pytest.raises(GraphError) as caught:
            branch_of("s", path, path_map)
        return str(caught.value)

    assert refused("a") == snapshot("the path behind 's' is a str: 'a'; a path is a function of the state that names the next node")
    assert refused(lambda state: "a", "a") == snapshot(
        "the path behind 's' has the path map 'a'; a path map is a list of nodes, or a dict from results to nodes"
    )
    assert refused(lambda state: "a", {}) == snapshot(
        "the path behind 's' has an empty path map; leave it out where the path may go anywhere"
    )
    assert refused(lambda state: "a", {"yes": 3}) == snapshot("the path behind 's' maps 'yes' to 3, which is no node's name")
    assert refused(lambda: "a") == snapshot(
        "the path behind 's' takes no state; its function needs a first parameter for it: def <lambda>(state)"
    )
