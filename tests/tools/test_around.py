"""Wrappers around one tool, by hand, and such as cannot be."""

import asyncio
from typing import Any

import pytest

from holter.graph import ToolNode
from holter.tools import Tool, ToolRuntime, tool
from holter.tools.wrap import cached, circuit_breaker, limit_calls, mock, redact, retry
from tests.tools.wrap.calls import WAYS, asking, call


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def note(text: str) -> str:
    """Note."""
    return text


def test_around_one_tool() -> None:
    """A wrapped tool has its wrappers wherever it is called, inside those of the node; arguments in, the content out."""
    order: list[str] = []

    def named(name: str) -> Any:
        def wrapper(request: Any, execute: Any) -> Any:
            order.append(name)
            return execute(request)

        return wrapper

    seen: list[int] = []

    @tool(read_only=True)
    def look(x: int) -> dict[str, int]:
        """Look."""
        seen.append(x)
        return {"x": x}

    wrapped: Tool = look.wrapped(named("c"), cached()).wrapped(named("b"))
    assert isinstance(wrapped, Tool)
    node = ToolNode([wrapped], wrap_tool_call=[named("a")])
    assert [node.invoke(asking(call("look", x=1)))[0].content for _ in range(2)] == ['{"x": 1}'] * 2
    assert order == ["a", "b", "c"] * 2
    assert wrapped.invoke({"x": 1}) == '{"x": 1}'
    assert asyncio.run(wrapped.ainvoke({"x": 1})) == '{"x": 1}'
    assert wrapped.invoke(call("look", "c9", x=1)).tool_call_id == "c9"
    assert seen == [1]
    assert look.invoke({"x": 1}) == {"x": 1}
    assert look.wrappers == ()
    with pytest.raises(TypeError, match="a wrapper is a function"):
        look.wrapped("retry")  # type: ignore[arg-type]


def test_by_hand() -> None:
    """Inside a wrapper of the user's own, synchronous or not, one can be called."""
    again = retry(wait=0)

    def plain(request: Any, execute: Any) -> Any:
        return again(request, execute)

    async def waiting(request: Any, execute: Any) -> Any:
        return await again.around(request, execute)

    for wrapper in (plain, waiting):

        @tool(idempotent=True)
        def fetch(runtime: ToolRuntime) -> str:
            """Fetch."""
            if runtime.attempt < 3:
                raise ConnectionError("gone")
            return "there"

        for way in WAYS:
            assert way(ToolNode([fetch], wrap_tool_call=wrapper), asking(call("fetch")))[0].content == "there"


@pytest.mark.parametrize(
    "make",
    [
        lambda: limit_calls(),
        lambda: limit_calls(per_run=-1),
        lambda: circuit_breaker(0),
        lambda: circuit_breaker(open_s=0),
        lambda: redact([]),
        lambda: redact("("),
        lambda: redact("x*"),
        lambda: mock({"pay": []}),
    ],
)
def test_what_cannot_be(make: Any) -> None:
    """Options that cannot be are refused when the wrapper is made."""
    with pytest.raises(ValueError, match=r"\w+"):
        make()
