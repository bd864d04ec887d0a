"""Transcripts as LangChain's `pretty_print` writes them, with whatever stands between and around them.

Source: `BaseMessage.pretty_repr` of langchain-core 1.8.3, seen 2026-11.

Shape:  a line of `=` with the title in its middle, `Name: …`, the content, `Tool Calls:` with `name (id)`, `Call ID:` and `Args:`.
Lost:   the types of arguments, the ids of messages, the `tool_call_id` of results, and all metadata: they are not printed.
"""

from collections.abc import Callable, Iterator

import msgspec

from holter.formats.finding import end_uncertain, input_cut, recovered
from holter.formats.langchain_piece import Piece, pieces
from holter.formats.langchain_section import is_cut, read_piece
from holter.messages import AIMessage, Conversation, Finding, Message, Pairing, Place, ToolMessage

NAME = "langchain.pretty"

_UNTIL = {"log": "a log line", "text": "the end of the text"}


class Transcript(msgspec.Struct, frozen=True):
    """A transcript, and the part of the text it was read from."""

    conversation: Conversation
    start: int
    end: int
    """In characters; the text between belongs to the transcript."""


def transcripts(text: str, locate: Callable[[int], Place]) -> Iterator[Transcript]:
    """The transcripts of a text, in order; `locate` gives the place of a character."""
    found, prose = pieces(text)
    for group in _groups(found):
        yield _transcript(group, locate, prose=prose)


def _groups(found: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces of each transcript: another begins behind a mark, with a system message, or where its first two come again."""
    group: list[Piece] = []
    for number, piece in enumerate(found):
        if group and (_begins_behind_mark(piece, group[-1]) or _begins_again(group, found[number : number + 2])):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _begins_behind_mark(piece: Piece, last: Piece) -> bool:
    if piece.kind == "System" and last.kind != "System":
        return True
    return piece.marked and (piece.kind in ("Human", "Chat") or last.end in ("heading", "fence"))


def _begins_again(group: list[Piece], following: list[Piece]) -> bool:
    both = [(piece.kind, piece.lines) for piece in following]
    return len(both) == 2 and len(group) > 1 and both == [(piece.kind, piece.lines) for piece in group[:2]]


def _transcript(group: list[Piece], locate: Callable[[int], Place], *, prose: bool) -> Transcript:
    messages = [read_piece(piece) for piece in group]
    places = [msgspec.structs.replace(locate(piece.start), index=i) for i, piece in enumerate(group)]
    messages, made = _with_ids(messages)
    findings = [recovered(_not_printed(messages, made), places[0])]
    last = group[-1]
    if last.end == "cut" or (last.end == "text" and is_cut(last)):
        what = "a title line" if last.end == "cut" else "this message"
        findings.append(input_cut(f"the text ends inside {what}", places[-1], len(messages) - 1))
    elif _is_uncertain(last, prose=prose):
        findings.append(_uncertain(last, places[-1], len(messages) - 1))
    conversation = Conversation(format=NAME, messages=messages, places=places, findings=findings, place=places[0])
    return Transcript(conversation, group[0].start, last.stop)


def _is_uncertain(last: Piece, *, prose: bool) -> bool:
    """Whether prose may stand at the end of the last message: it ends in no mark of the program's own output."""
    if last.end == "log":
        return last.blank_before_end
    return last.end == "text" and prose


def _uncertain(last: Piece, place: Place, position: int) -> Finding:
    text = f"nothing marks where this message ends; everything up to {_UNTIL[last.end]} was kept in it, prose included"
    return end_uncertain(text, place, position)


def _not_printed(messages: list[Message], made: int) -> str:
    parts = ["message ids and metadata"]
    if any(isinstance(m, AIMessage) and m.tool_calls for m in messages):
        parts.append("the types of arguments (numbers, booleans, lists and objects were told by their look)")
    text = f"pretty_print does not show {' and '.join(parts)}"
    return f"{text}; {made} tool_call_id(s) were given by the order of the results" if made else text


def _with_ids(messages: list[Message]) -> tuple[list[Message], int]:
    """The messages with the `tool_call_id` that each result must have had, and how many were filled in."""
    pairing = Pairing(messages)
    filled = list(messages)
    for position, ref in pairing.answered.items():
        result = filled[position]
        if isinstance(result, ToolMessage) and result.tool_call_id is None and ref.call.get("id"):
            filled[position] = result.replace(tool_call_id=ref.call["id"])
    return filled, sum(a is not b for a, b in zip(filled, messages, strict=True))
