"""Results of a test's own."""

from typing import Any

import pytest

from holter.graph import ToolNode
from holter.messages import ToolMessage
from holter.tools import tool
from holter.tools.wrap import mock, retry
from tests.tools.wrap.calls import WAYS, Recorded, Way


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def note(text: str) -> str:
    """Note."""
    return text


def failing_answer(**_: Any) -> str:
    """Raises."""
    raise ConnectionError("mocked")


@pytest.mark.parametrize("way", WAYS)
def test_mocked_results(way: Way) -> None:
    """Values, exceptions, functions and one for each call stand for what the tool does; its function is not entered."""
    mocked = mock({"pay": ["a", ConnectionError("down"), lambda amount: amount * 2], "gone": {"x": 1}})

    @tool("pay", idempotent=True)
    async def real(amount: int) -> str:
        """Pay."""
        raise AssertionError("entered")

    run = Recorded(ToolNode([real, note], wrap_tool_call=mocked), way)
    assert run("pay", amount=1) == ToolMessage("a", tool_call_id="c1", name="pay")
    assert "ConnectionError: down" in str(run("pay", amount=1).content)
    assert [run("pay", amount=number).content for number in (3, 4)] == ["6", "8"]
    assert run("pay", amount="much").status == "error"
    assert run("gone", y=1) == ToolMessage('{"x": 1}', tool_call_id="c1", name="gone")
    assert run("note", text="real").content == "real"
    assert [made["name"] for made in mocked.calls] == ["pay"] * 5 + ["gone"]
    run = Recorded(ToolNode([real], wrap_tool_call=[retry(wait=0), mock({"pay": [ConnectionError(), "later"]})]), way)
    assert run("pay", amount=1).content == "later"
