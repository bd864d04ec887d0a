"""Leaving a tool alone that fails again and again."""

import asyncio
import time

import pytest

from holter.graph import ToolNode
from holter.journal.event import ToolRefused, ToolStarted
from holter.tools import tool
from holter.tools.wrap import circuit_breaker
from tests.tools.wrap.calls import WAYS, Recorded, Way, asking, call


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def note(text: str) -> str:
    """Note."""
    return text


@pytest.mark.parametrize("way", WAYS)
def test_a_circuit_opens_and_closes(way: Way) -> None:
    """After two failures nothing runs; then one call is let through, and its end decides."""
    works = False

    @tool
    def fragile(x: int = 0) -> str:
        """Fragile."""
        if not works:
            raise ConnectionError("down")
        return "up"

    run = Recorded(ToolNode([fragile, note], wrap_tool_call=circuit_breaker(2, 0.2)), way)
    for _ in range(4):
        assert run("fragile").status == "error"
    assert run("fragile", x="no number").status == "error"
    assert len(run.of(ToolStarted)) == 2
    assert run.of(ToolRefused)[0].reason.startswith("it failed 2 times in a row, and it is tried again in 1 s")
    assert run("note", text="others go on").status == "success"
    time.sleep(0.25)
    run("fragile")
    run("fragile")
    assert len(run.of(ToolStarted)) == 4
    time.sleep(0.25)
    works = True
    assert [run("fragile").content for _ in range(3)] == ["up"] * 3


def test_half_open_lets_one_through() -> None:
    """While it is tried, others are refused; a cancelled trial decides nothing."""
    entered: list[int] = []

    @tool
    async def slow() -> str:
        """Slow."""
        entered.append(1)
        if len(entered) == 1:
            raise ConnectionError("down")
        await asyncio.sleep(0.1)
        return "up"

    async def main() -> None:
        node = ToolNode([slow], wrap_tool_call=circuit_breaker(1, 0.1))
        await node.ainvoke(asking(call("slow")))
        await asyncio.sleep(0.12)
        trial = asyncio.create_task(node.ainvoke(asking(call("slow"))))
        await asyncio.sleep(0.01)
        assert "it is being tried now" in (await node.ainvoke(asking(call("slow"))))[0].content
        trial.cancel()
        await asyncio.gather(trial, return_exceptions=True)
        results = await node.ainvoke(asking(*[call("slow", str(number)) for number in range(5)]))
        assert sorted(result.status for result in results) == ["error"] * 4 + ["success"]
        assert (await node.ainvoke(asking(call("slow"))))[0].content == "up"

    asyncio.run(main())
