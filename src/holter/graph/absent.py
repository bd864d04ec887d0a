"""What LangGraph's methods take and Holter's do not, and what does its work here (langgraph 1.2.24, seen 2026-11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PAUSE = "a node stops the run with `interrupt(…)`, and a tool with `needs_approval=True` asks before it runs"
_RETRY = (
    "calls of tools are tried again by `wrap_tool_call=[retry()]` (holter.tools.wrap), models by themselves; another node tries again in "
    "a loop of its own"
)
_CACHE = "results of tools are kept by `wrap_tool_call=[cached()]` (holter.tools.wrap)"
_RUN = {
    "interrupt_before": _PAUSE,
    "interrupt_after": _PAUSE,
    "durability": "the journal says when it flushes: `SQLiteJournal(path, sync=…)`",
    "debug": '`stream(…, stream_mode="debug")` tells the same',
    "print_mode": 'print what `stream(…, stream_mode="updates")` gives',
    "output_keys": "the graph says which fields a caller gets: `StateGraph(…, output_schema=…)`",
}
_ABSENT: dict[str, dict[str, str]] = {
    "StateGraph": {
        "config_schema": "its name is `context_schema`",
        "input": "its name is `input_schema`",
        "output": "its name is `output_schema`",
    },
    "add_node": {
        "input": "its name is `input_schema`",
        "retry": _RETRY,
        "retry_policy": _RETRY,
        "cache_policy": _CACHE,
        "defer": '`add_edge(["a", "b"], "c")` runs a node when several others are done, however long each takes',
        "error_handler": "catch the error in the node; errors of tools are results (`ToolNode(handle_tool_errors=…)`)",
        "timeout": 'use `asyncio.timeout` in the node, `@tool(timeout_s=…)`, or `Agent(limits={"seconds": …})`',
    },
    "compile": {**_RUN, "cache": _CACHE},
    "invoke": {**_RUN, "stream_mode": "`stream` gives the other forms"},
    "Agent": {
        "system_prompt": "its name is `system`",
        "prompt": "its name is `system`",
        "checkpointer": "its name is `journal`",
        "middleware": "what goes around calls is `wrap_tool_call=[…]` (holter.tools.wrap); `system` may be a function of the state",
        "interrupt_before": _PAUSE,
        "interrupt_after": _PAUSE,
        "debug": "`run.show()` and `agent.stream(…)` tell what happened",
    },
    "Agent.stream": {**_RUN, "stream_mode": "`agent.compiled.stream(…, stream_mode=…)` gives these forms"},
    "stream": {
        **_RUN,
        "version": "chunks are those of version v1: with several modes pairs (mode, chunk), with `subgraphs` (namespace, …)",
    },
}


def refuse(method: str, options: Mapping[str, Any]) -> None:
    """Nothing where no option asks for something: those of LangGraph's that are None, False or empty ask for nothing. TypeError says what
    to use in the place of the others."""
    known = _ABSENT[method]
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")
        if not (value is None or value is False or value in ([], ())):
            raise TypeError(f"{method}() takes no `{name}`: {known[name]}")
