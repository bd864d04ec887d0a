"""Finds every conversation inside a text: an article, a chat paste, Markdown, HTML, a program's log output.

What is looked for: JSON and Python literals that hold messages (`finder`), `pretty_print` transcripts, and reprs whose quotes were
stripped. Prose and programs are passed over.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec.structs import asdict, replace

from holter.formats import html, langchain_json, langchain_pretty, langchain_stripped
from holter.formats.assemble import Assembler
from holter.formats.decode import Locator
from holter.formats.elision import filled
from holter.formats.finder import Finder
from holter.formats.finding import input_cut, recovered
from holter.formats.langchain_stripped import Stripped
from holter.formats.literal import plain
from holter.messages import Conversation, Finding, Place

_Locate: TypeAlias = Callable[[int], Place]


def search(text: str, assembler: Assembler) -> Iterator[Conversation]:
    """Hands every conversation of the text to the assembler, in order; yields what it gives. Ends the assembler's source."""
    found = _at_home([*_search(text, assembler), *assembler.end()])
    yield from filled([_plain(conversation) for conversation in [*found[:-1], *map(_with_cut, found[-1:])]])


def _at_home(found: list[Conversation]) -> list[Conversation]:
    """The conversations, each finding about the source moved to the one that it stands in: some are noted before theirs is complete."""
    starts = sorted((_position(conversation.place), number) for number, conversation in enumerate(found))
    homes: list[list[Finding]] = [[] for _ in found]
    for number, conversation in enumerate(found):
        for finding in conversation.findings:
            at = bisect_right(starts, (_position(finding), len(found))) - 1
            moves = finding.message is None and finding.path is None and finding.line is not None
            homes[starts[max(at, 0)][1] if moves else number].append(finding)
    return [
        replace(conversation, findings=[replace(finding, conversation=conversation.position) for finding in findings])
        for conversation, findings in zip(found, homes, strict=True)
    ]


def _position(at: Place | Finding) -> tuple[int, int]:
    return at.line or 0, at.column or 0


def _search(text: str, assembler: Assembler) -> Iterator[Conversation]:
    locate: _Locate = Locator(text)
    if html.is_html(text):
        assembler.note(recovered("tags and entities of HTML were resolved", Place(line=1, column=1)))
        page = html.Page(text)
        text, locate = page.text, _through(page, locate)
    finder = Finder(text, assembler, locate)
    assembler.locate = finder.placed
    assembler.lines_are_messages = True
    at = 0
    for start, end, conversation in _marked(text, locate):
        yield from finder.literals(at, start)
        yield from assembler.keep(conversation)
        at = end
    yield from finder.literals(at, len(text))


def _through(page: html.Page, locate: _Locate) -> _Locate:
    return lambda offset: locate(page.source(offset))


def _marked(text: str, locate: _Locate) -> Iterator[tuple[int, int, Conversation]]:
    """Transcripts and stripped reprs with the stretch of text that each takes, in order and without overlap."""
    marked = [(t.start, t.end, t.conversation) for t in langchain_pretty.transcripts(text, locate)]
    marked += [(run[0].start, run[-1].end, _stripped(run, locate)) for run in langchain_stripped.runs(text)]
    behind = 0
    for start, end, conversation in sorted(marked, key=lambda item: item[0]):
        if start >= behind:
            yield start, end, conversation
            behind = end


def _stripped(run: list[Stripped], locate: _Locate) -> Conversation:
    """The conversation of a run of stripped reprs."""
    (conversation,) = langchain_json.read([message.fields for message in run], Place())
    places = [replace(locate(message.start), index=i) for i, message in enumerate(run)]
    findings = [recovered(langchain_stripped.UNKNOWN, places[0]), *_unsure(run, places)]
    if not run[-1].whole:
        findings.append(input_cut("the text ends inside this message", places[-1], len(run) - 1))
    return replace(conversation, format=langchain_json.REPR, places=places, place=places[0], findings=[*findings, *conversation.findings])


def _unsure(run: list[Stripped], places: list[Place]) -> Iterator[Finding]:
    """A finding for each thing that could not be told, at the first message it is about."""
    said: dict[str, list[int]] = {}
    for position, message in enumerate(run):
        for what in message.unsure:
            said.setdefault(what, []).append(position)
    for what, positions in said.items():
        more = f" ({len(positions)} messages)" if len(positions) > 1 else ""
        yield recovered(what + more, places[positions[0]], positions[0])


def _with_cut(last: Conversation) -> Conversation:
    """The last conversation, its finding about the text's end given to the last message."""
    findings = [
        replace(f, message=len(last.messages) - 1) if f.code == "READ01" and f.message is None and last.messages else f
        for f in last.findings
    ]
    return replace(last, findings=findings)


def _plain(conversation: Conversation) -> Conversation:
    """The conversation in plain values: the literals' own types mean nothing outside the readers."""
    messages = [type(message)(**plain(asdict(message))) for message in conversation.messages]
    return replace(conversation, messages=messages, extra=plain(dict(conversation.extra)))
