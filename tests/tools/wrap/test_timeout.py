"""A call that takes too long."""

import asyncio
import time

import pytest

from holter.errors import ToolTimeout
from holter.graph import ToolNode
from holter.journal.event import ToolFailed
from holter.tools import ToolRuntime, tool
from holter.tools.wrap import retry, timeout
from tests.tools.wrap.calls import WAYS, Recorded, Way, in_async, in_sync


@pytest.mark.parametrize("way", WAYS)
def test_each_try_may_have_a_time_limit(way: Way) -> None:
    """Inside the retry a timeout is one of each try, and tried again; outside it is one of all."""

    @tool(idempotent=True)
    async def slow(runtime: ToolRuntime) -> str:
        """Take long at first."""
        await asyncio.sleep(30 if runtime.attempt == 1 else 0)
        return "done"

    run = Recorded(ToolNode([slow], wrap_tool_call=[retry(wait=0), timeout(0.1)]), way)
    assert run("slow").content == "done"
    run = Recorded(ToolNode([slow], wrap_tool_call=[timeout(0.1), retry(wait=60)]), way)
    assert "took longer than 0.1 s" in str(run("slow").content)


@pytest.mark.parametrize("way", [in_sync, in_async])
def test_a_function_that_is_left_running_is_unknown(way: Way) -> None:
    """A timeout cannot end a function: the message and the journal say so."""

    @tool
    def block() -> str:
        """Block."""
        time.sleep(0.5)
        return "late"

    run = Recorded(ToolNode([block], wrap_tool_call=timeout(0.05)), way)
    assert "still take effect" in str(run("block").content)
    assert any(event.unknown for event in run.of(ToolFailed))
    with pytest.raises(ToolTimeout):
        block.wrapped(timeout(0.05)).invoke({})
