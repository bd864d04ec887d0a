"""Entering a node: where its function runs, and what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, assert_never

from holter.graph.ending import NeedsLoop
from holter.graph.feed import Custom
from holter.graph.node import Node
from holter.graph.runtime import filled
from holter.graph.task import TaskRun
from holter.models.listener import Surroundings, surroundings
from holter.tools.drive import Ended, block_on, caught
from holter.tools.inject import StreamWriter
from holter.tools.worker import submit

if TYPE_CHECKING:
    from holter.graph.feed import Feed, Namespace


def enter(node: Node, task: TaskRun, *, takes_config: bool) -> Coroutine[Any, Any, Any]:
    """What gives what the node's action returns; raises what it raises. The run is told of a function that does not stop when it is
    cancelled."""
    match node.form:
        case "function":
            wishes = filled(node.wishes, task.runtime) if node.wishes else {}
            return _entered(node, task, node.action, (task.input,), wishes)
        case "invoke":
            function = node.action.ainvoke if node.is_async else node.action.invoke
            given = (task.input, task.runtime.config) if takes_config else (task.input,)
            return _entered(node, task, function, given, {})
        case "task" | "graph":
            raise AssertionError("the engine runs these itself")
        case _:
            assert_never(node.form)


async def _entered(node: Node, task: TaskRun, function: Any, given: tuple[Any, ...], wishes: dict[str, Any]) -> Any:
    token = surroundings.set(Surroundings(task.teller(), task.fold.settled.history))
    try:
        if node.is_async:
            if task.is_inline:
                raise NeedsLoop
            return await function(*given, **wishes)
        if task.is_sync:
            value = function(*given, **wishes)
            return block_on(_awaited(value)) if isawaitable(value) else value
        value = await _beside(task, partial(function, *given, **wishes))
        return await value if isawaitable(value) else value
    finally:
        surroundings.reset(token)


async def _awaited(value: Any) -> Any:
    return await value


async def _beside(task: TaskRun, function: Any) -> Any:
    """What a synchronous function returns, run in a worker thread, so that the loop goes on."""
    future: Future[Ended[Any]] = submit(lambda: caught(function))
    try:
        return (await asyncio.wrap_future(future)).unpacked()
    except asyncio.CancelledError:
        if not future.done():
            task.leave_running()
        raise


def writer_of(feed: Feed | None, namespace: Namespace, node: str, task: str) -> StreamWriter:
    """Sends values to whoever listens."""
    return _ignore if feed is None else _writer(feed, namespace, node, task)


def _writer(feed: Feed, namespace: Namespace, node: str, task: str) -> StreamWriter:
    def write(value: Any) -> None:
        feed.put(Custom(value, node, task), namespace)

    return write


def _ignore(_: Any) -> None:
    """Takes what nobody listens to."""
