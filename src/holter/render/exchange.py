"""A call and its result, the one under the other or, where there is room, beside it."""

from rich.text import Text

from holter.messages import CallRef, ToolMessage
from holter.render import gutter
from holter.render.block import block_lines, blocks
from holter.render.call import call_lines
from holter.render.control import one_line
from holter.render.cut import MATERIAL
from holter.render.paragraph import beside, indented, with_time
from holter.render.span import span
from holter.render.thread import Thread
from holter.render.view import View

_BACK = "← "
_ERROR = "error: "
_CALL_SHARE = 0.42
"""Of a wide terminal's width: calls are mostly shorter than results."""


def exchange_lines(thread: Thread, ref: CallRef, view: View) -> list[Text]:
    """The call, and its result where that stands right after it; otherwise where it is or that there is none."""
    if not view.beside:
        return [*asking_lines(ref, view), *result_lines(thread, ref, view.width, view)]
    left_width = round(view.width * _CALL_SHARE)
    left = gutter.blank(call_lines(ref.call, left_width - gutter.WIDTH - 1, view))
    return beside(left, result_lines(thread, ref, view.width - left_width, view), left_width)


def asking_lines(ref: CallRef, view: View) -> list[Text]:
    """The call without a word of its result."""
    return gutter.blank(call_lines(ref.call, view.width - gutter.WIDTH, view))


def pointer_lines(ref: CallRef, view: View) -> list[Text]:
    """The call without its result, but with the position of that."""
    where = "no result" if ref.result is None else f"result at {ref.result}"
    return gutter.blank([*call_lines(ref.call, view.width - gutter.WIDTH, view), span(_BACK + where, "dim")])


def result_body(message: ToolMessage, width: int, view: View) -> list[Text]:
    """What the tool returned; red when it failed. At least one line."""
    style = "red" if message.status == "error" else ""
    lines = [line for block in blocks(message.content) for line in block_lines(block, width, view, MATERIAL, style)]
    return lines or [span("(empty)", "dim")]


def result_lines(thread: Thread, ref: CallRef, width: int, view: View) -> list[Text]:
    """The result of a call where that stands right after it; otherwise where it is or that there is none."""
    at = ref.result
    if at is None:
        return gutter.blank([span(_BACK, "dim") + span(_unanswered(thread, ref), "red")])
    if at not in thread.beside:
        return gutter.blank([span(f"{_BACK}result at {at}", "dim")])
    message = thread.messages[at]
    assert isinstance(message, ToolMessage)
    time = thread.times[at]
    mark = _ERROR if message.status == "error" else ""
    body = result_body(message, width - gutter.WIDTH - len(_BACK) - len(mark) - (len(time) + 1 if time else 0), view)
    if mark:
        body = indented(body, span(mark, "bold red"), "  ")
    return with_time(indented(body, gutter.numbered(at) + span(_BACK, "dim"), " " * (gutter.WIDTH + len(_BACK))), time, width)


def _unanswered(thread: Thread, ref: CallRef) -> str:
    if thread.is_pending(ref):
        return "no result yet"
    call_id = ref.call.get("id")
    return f"no result (id {one_line(str(call_id))})" if call_id else "no result"
