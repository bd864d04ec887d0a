"""Which calls of a batch wait for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from holter.tools.declaration import Declaration

Policy: TypeAlias = Literal["parallel", "serial"]


class Plan:
    """What each call of a batch waits for, and which cannot be run at all."""

    def __init__(self, tools: Sequence[Declaration | None], names: Sequence[str], policy: Policy, settled: Mapping[str, bool]) -> None:
        """`tools` and `names` are those of the calls, in their order; `settled` says of tools that ran before whether they went well."""
        self._names = names
        self._settled = settled
        self.refused: dict[int, str] = {}
        """Calls that are not run, with the reason for the model."""
        self.needs: list[set[int]] = [self._needs(position, tool) for position, tool in enumerate(tools)]
        """For each call those that must have gone well before it starts."""
        for position in self._circular():
            self.refused[position] = (
                f"Error: {names[position]} was not run: it and another call of this batch wait for each other. Call it later."
            )
        self.waits: list[set[int]] = [set(needs) for needs in self.needs]
        """For each call those that must have ended before it starts."""
        self._keep_apart([policy == "serial" or (tool is not None and not tool.parallel) for tool in tools])

    def _needs(self, position: int, tool: Declaration | None) -> set[int]:
        needs: set[int] = set()
        for wanted in tool.after if tool is not None else ():
            found = {other for other, name in enumerate(self._names) if name == wanted and other != position}
            needs |= found
            if not found and not self._settled.get(wanted, False):
                said = "which failed" if wanted in self._settled else "which is not among these calls; call both together"
                self.refused[position] = f"Error: {self._names[position]} was not run: it needs the result of {wanted} first, {said}."
        return needs

    def _circular(self) -> set[int]:
        """Calls that wait for themselves through others."""
        left = {position for position, needs in enumerate(self.needs) if needs}
        for step in (self.needs, self._needed()):
            while ready := {position for position in left if not step[position] & left}:
                left -= ready
        return left

    def _needed(self) -> list[set[int]]:
        needed: list[set[int]] = [set() for _ in self.needs]
        for position, needs in enumerate(self.needs):
            for other in needs:
                needed[other].add(position)
        return needed

    def _keep_apart(self, alone: Sequence[bool]) -> None:
        """Lets each call that runs alone wait for all before it, and those behind wait for it. "Before" is the model's order as far as
        what they need allows."""
        last_alone: int | None = None
        beside: list[int] = []
        for position in self._order():
            if last_alone is not None:
                self.waits[position].add(last_alone)
            if alone[position]:
                self.waits[position].update(beside)
                last_alone, beside = position, []
            else:
                beside.append(position)

    def _order(self) -> list[int]:
        """The positions, each behind those that it needs."""
        order: list[int] = []
        placed: set[int] = set(self.refused)
        waiting = [position for position in range(len(self.needs)) if position not in self.refused]
        while waiting:
            ready = next((position for position in waiting if self.needs[position] <= placed), waiting[0])
            waiting.remove(ready)
            placed.add(ready)
            order.append(ready)
        return order
