"""Where a graph goes on behind a node: its edges, what its conditions say of the state, and what its commands name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import Any

from holter.graph.builder import GraphBuilder
from holter.graph.edge import END, START, Branch, destination
from holter.graph.ending import NeedsLoop
from holter.graph.runtime import Runtime, filled
from holter.graph.state import StateSchema
from holter.journal.frontier import Planned
from holter.messages.history import History
from holter.messages.message import Message
from holter.tools.command import Send
from holter.tools.drive import block_on


class Routes:
    """The ways of a graph that does not change any more."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._nodes = builder.nodes
        self._schemas: dict[str, StateSchema] = {name: node.schema for name, node in builder.nodes.items()}
        self._input = builder.schema
        self._edges: dict[str, list[Any]] = {}
        for source, target in builder.edges:
            if target != END:
                self._edges.setdefault(source, []).append(target)
        for join in builder.joins:
            for source in join.sources if join.target != END else ():
                self._edges.setdefault(source, []).append({"node": join.target, "after": list(join.sources)})
        self._branches: dict[str, list[Branch]] = {}
        for branch in builder.branches:
            self._branches.setdefault(branch.source, []).append(branch)
        self.quick = {name: way for name in (START, *builder.nodes) if (way := self._quick(name)) is not None}
        """Nodes behind which the newest messages alone say where to go -> what says it: a node's name, or END."""
        self.alone = {END: [], **{name: [(0, Planned(name))] for name in builder.nodes}}
        """What runs next where that is one node: its task, alone in its step."""
        self.suspending = frozenset(branch.source for branch in builder.branches if branch.is_async)
        """Nodes behind which an asynchronous path is asked."""
        self.asking = frozenset(branch.source for branch in builder.branches if branch.peek is None)
        """Nodes behind which the user's own paths are asked: once, so that what they said goes into the journal."""

    def _quick(self, node: str) -> Callable[[Sequence[Message]], str] | None:
        edges, branches = self._edges.get(node, []), self._branches.get(node, [])
        if not branches and len(edges) == 1 and isinstance(edges[0], str):
            return lambda _: edges[0]
        if edges or len(branches) != 1 or (peek := branches[0].peek) is None:
            return None
        branch, nodes = branches[0], self._nodes
        targets = branch.targets

        def way(messages: Sequence[Message]) -> str:
            result = peek(messages)
            if targets is not None and result.__class__ is str and result in targets:
                return targets[result]
            (chosen,) = branch.chosen(result, nodes)
            return str(chosen)

        return way

    def named(self, node: str) -> list[str]:
        """The nodes that edges behind the node name, and those that its conditions may name."""
        found = [target for target in self._edges.get(node, ()) if isinstance(target, str)]
        for branch in self._branches.get(node, ()):
            found += [target for target in (branch.targets or {}).values() if target != END]
        return list(dict.fromkeys(found))

    async def behind(
        self,
        node: str,
        goto: Sequence[str | Send],
        values: Callable[[], dict[str, Any]],
        runtime: Callable[[], Runtime[Any]],
        *,
        is_inline: bool,
        history: History | None = None,
    ) -> list[Any]:
        """What comes behind the node, in the form of `NodeEnded.sends`, each once; END is not among it.

        `values` gives the state with what the node wrote, and `history`, where it is given, holds its messages. GraphError for a name
        that is no node's; what a path raises is raised on.
        """
        found: list[Any] = list(self._edges.get(node, ()))
        for branch in self._branches.get(node, ()):
            if branch.peek is not None and history is not None:
                result = branch.peek(history.since_answer())
            else:
                result = await self._asked(branch, values(), runtime, is_inline)
            found += map(sent, branch.chosen(result, self._nodes))
        for target in goto:
            found.append(sent(destination(target, self._nodes, f"node {node!r} goes to")))
        return _once(found)

    async def _asked(self, branch: Branch, values: dict[str, Any], runtime: Callable[[], Runtime[Any]], is_inline: bool) -> Any:
        if branch.is_async and is_inline:
            raise NeedsLoop
        schema = self._schemas.get(branch.source, self._input)
        wishes = filled(branch.wishes, runtime()) if branch.wishes else {}
        result = branch.path(schema.input_of(f"the path {branch.name!r} behind {branch.source!r}", values), **wishes)
        if not isawaitable(result):
            return result
        return block_on(_awaited(result)) if is_inline else await result


async def _awaited(value: Any) -> Any:
    return await value


def sent(target: str | Send) -> Any:
    """A target as it stands in `NodeEnded.sends`."""
    return {"node": target.node, "arg": target.arg} if isinstance(target, Send) else target


def _once(targets: list[Any]) -> list[Any]:
    """The targets without END, and each node once; sends count each."""
    if len(targets) == 1:
        return [] if targets[0] == END else targets
    found: list[Any] = []
    for target in targets:
        if target != END and (isinstance(target, dict) or target not in found):
            found.append(target)
    return found
