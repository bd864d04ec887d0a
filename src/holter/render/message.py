"""One message of a timeline as lines: its position, who speaks, what is said, the calls and their results."""

from collections.abc import Callable, Iterator
from typing import assert_never

from rich.text import Text

from holter.messages import AIMessage, CallRef, HumanMessage, SystemMessage, ToolMessage
from holter.messages.content import Block
from holter.render import gutter
from holter.render.block import block_lines, blocks, failure_lines, reasoning_lines, refusal_lines
from holter.render.cut import MATERIAL, PROSE, Limit
from holter.render.exchange import exchange_lines, pointer_lines, result_body
from holter.render.head import head_lines
from holter.render.span import span
from holter.render.thread import Thread
from holter.render.view import View


def message_lines(thread: Thread, at: int, view: View, *, alone: bool = False) -> list[Text]:
    """The message at this position with the results of its calls; `alone`: only with the positions of those."""
    body = list(_body(thread, at, view, alone))
    return head_lines(thread, at, view) + (body or gutter.blank([span("(empty)", "dim")]))


def _body(thread: Thread, at: int, view: View, alone: bool) -> Iterator[Text]:
    message = thread.messages[at]
    match message:
        case SystemMessage():
            yield from gutter.blank(_said(blocks(message.content), view, MATERIAL))
        case HumanMessage():
            yield from gutter.blank(_said(blocks(message.content), view, PROSE))
        case ToolMessage():
            yield from gutter.blank(result_body(message, view.width - gutter.WIDTH, view))
        case AIMessage():
            yield from _answer(thread, at, message, view, alone)
        case _:
            assert_never(message)


def _said(content: list[Block], view: View, limit: Limit) -> list[Text]:
    return [line for block in content for line in block_lines(block, view.measure - gutter.WIDTH, view, limit)]


def _answer(thread: Thread, at: int, message: AIMessage, view: View, alone: bool) -> Iterator[Text]:
    calls = list(thread.pairing.of(at))
    return answer_lines(message, calls, view, lambda ref: pointer_lines(ref, view) if alone else exchange_lines(thread, ref, view))


def answer_lines(
    message: AIMessage, calls: list[CallRef], view: View, shown: Callable[[CallRef], list[Text]], limit: Limit = PROSE
) -> Iterator[Text]:
    """Reasoning, then text and calls in the order of the content; calls that it does not place come last. `shown` gives a call's lines."""
    left = list(calls)
    width = view.measure - gutter.WIDTH
    if message.reasoning:
        yield from gutter.blank(reasoning_lines(message.reasoning, width, view))
    for block in blocks(message.content):
        placed = next((ref for ref in left if block.get("type") == "tool_call" and ref.call.get("id") == block.get("id")), None)
        if placed is None:
            yield from gutter.blank(block_lines(block, width, view, limit))
        else:
            left.remove(placed)
            yield from shown(placed)
    if refusal := message.additional_kwargs.get("refusal"):
        yield from gutter.blank(refusal_lines(refusal, width))
    if error := message.response_metadata.get("error"):
        yield from gutter.blank(failure_lines(error, width))
    for ref in left:
        yield from shown(ref)
