"""An explained log, and entries of the dictionary of fields, as styled text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from holter.analysis.explain.account import Sentence
from holter.analysis.explain.dictionary import Meaning
from holter.analysis.explain.entry import Entry, Language
from holter.analysis.explain.explanation import Explained, Line
from holter.analysis.explain.knowledge import sources
from holter.analysis.explain.phrase import say
from holter.messages import Conversation
from holter.render.control import one_line
from holter.render.paragraph import indented, paragraph
from holter.render.quantity import plural
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View
from holter.render.wrap import cells, flow, shorten

_ROLE = {"system": "bold magenta", "human": "bold green", "ai": "bold cyan", "tool": "bold yellow"}
_STEP = 2


def explanation(explained: Explained, view: View, message: int | None = None) -> Iterator[Text]:
    """The account, then message by message each field; only one message where `message` says which. What a field means is said once; of a
    stream, whose events repeat their fields, nothing else is shown."""
    conversation, language = explained.document.conversation, explained.language
    yield from _title(conversation, view)
    if message is None:
        yield Text()
        yield from _heading("account", language)
        yield from _account(explained.account, language, view)
    lines = [line for line in explained.lines if not _is_repeated(line, conversation.format) or line.is_first or line.field.known is None]
    of_message: dict[int | None, list[Line]] = {}
    for line in lines:
        of_message.setdefault(line.field.message, []).append(line)
    for position in [None, *range(len(conversation.messages))] if message is None else [message]:
        some = of_message.get(position, [])
        if not some:
            continue
        yield Text()
        yield _banner(conversation, position, language, view)
        for line in some:
            yield from _field(line, language, view, is_whole=message is not None)
    if message is None:
        yield from unknown(explained)


def _is_repeated(line: Line, format_: str) -> bool:
    """Whether the field is one of an event, as a stream or a journal has many of."""
    return format_.endswith(".stream") or (format_ == "holter.journal" and line.field.message is None)


def one_field(explained: Explained, view: View) -> Iterator[Text]:
    """All that is known of the field that was chosen, with each of its values in the log."""
    language = explained.language
    yield from _title(explained.document.conversation, view)
    told: set[int] = set()
    for line in explained.lines:
        known = line.field.known
        if known is not None and id(known.entry) not in told:
            told.add(id(known.entry))
            yield Text()
            yield from _entry(line.field.name, known.entry, language, view)
            yield Text()
        yield from _value(line, view)
        for note in _said(line, language):
            yield from _indented(note, 4, view, "→ ")
        if known is None:
            yield from _indented(say("label", "unknown", language), 4, view)


def meanings(found: list[Meaning], language: Language, view: View) -> Iterator[Text]:
    """Entries of the dictionary, one format after another."""
    for number, meaning in enumerate(found):
        if number:
            yield Text()
        yield from _entry(f"{meaning.path}", meaning.known.entry, language, view, title=meaning.title)


def unknown(explained: Explained) -> Iterator[Text]:
    """The fields that nothing is known of, each once; nothing where there are none."""
    if explained.unknown:
        yield Text()
        yield span(say("label", "unknown", explained.language), "bold")
        for path, count in explained.unknown.items():
            yield span(f"  {one_line(path)}") + span(f" × {count}" if count > 1 else "", "dim")


def _title(conversation: Conversation, view: View) -> Iterator[Text]:
    facts = [f"conversation {conversation.position}", conversation.format, plural(len(conversation.messages), "message")]
    source = one_line(conversation.source or "standard input")
    for number, line in enumerate(flow([source, *facts], view.width)):
        text = span(line, "dim")
        if number == 0:
            text.stylize("not dim bold", 0, len(source))
        yield text


def _heading(label: str, language: Language) -> Iterator[Text]:
    yield span(say("label", label, language), "bold")


def _account(paragraphs: list[list[Sentence]], language: Language, view: View) -> Iterator[Text]:
    join = " " if language == "en" else ""
    for number, sentences in enumerate(paragraphs):
        if number:
            yield Text()
        yield from indented(paragraph(join.join(sentence.text for sentence in sentences), view.measure - _STEP), span("  "))


def _banner(conversation: Conversation, position: int | None, language: Language, view: View) -> Text:
    if position is None:
        title = f"─── {say('label', 'around', language)} "
        return span(title + "─" * (view.measure - cells(title)), "dim")
    kind = conversation.messages[position].type
    line = span(f"─── {position} {kind} ".ljust(view.measure, "─"), "dim")
    start = len(f"─── {position} ")
    line.stylize(f"not dim {_ROLE[kind]}", start, start + len(kind))
    return line


def _field(line: Line, language: Language, view: View, *, is_whole: bool) -> Iterator[Text]:
    """The field's name and value; what it means where that is new, else only what its value says."""
    indent = _STEP * (line.field.depth + 1)
    yield from _value(line, view, indent)
    known = line.field.known
    if known is not None and (line.is_first or is_whole):
        yield from _indented(known.entry.words(language).means, indent + _STEP, view)
    if not line.is_first and line.notes == [say("note", "null", language)]:
        return
    for note in _said(line, language):
        yield from _indented(note, indent + _STEP, view, "→ ")


def _said(line: Line, language: Language) -> list[str]:
    """What its value says in its place, and of a call's arguments where each comes from."""
    return [*line.notes, *line.origins(language)]


def _value(line: Line, view: View, indent: int | None = None) -> Iterator[Text]:
    """`name  value` on one line, with as much of the value as fits; the whole path where no indent is given."""
    path = one_line(line.field.path)
    name = path if indent is None else one_line(line.field.key)
    indent = 0 if indent is None else indent
    value = line.field.value
    is_shown = not isinstance(value, dict | list) or not value or (line.field.known is not None and line.field.known.entry.opaque)
    room = max(view.width - indent - cells(name) - 2, 10)
    shown = span("  " + shorten(compact(value), room), "green") if is_shown else Text()
    yield span(" " * indent) + span(name, "bold" if line.field.known is not None else "bold red") + shown


def _indented(text: str, indent: int, view: View, mark: str = "") -> Iterator[Text]:
    width = min(view.measure, view.width) - indent - len(mark)
    yield from indented(
        paragraph(text, max(width, 20), "" if mark else "dim"), span(" " * indent) + span(mark, "cyan"), " " * (indent + len(mark))
    )


def _entry(path: str, entry: Entry, language: Language, view: View, title: str = "") -> Iterator[Text]:
    """All that is known of a field, line by line."""
    yield span(one_line(path), "bold") + (span(f"  {title}", "dim") if title else Text())
    words = entry.words(language)
    yield from indented(paragraph(words.means, view.measure - 2), span("  "))
    for label, text in _facts(entry, language):
        head = span(f"  {say('label', label, language)}{say('label', 'colon', language)}", "dim")
        yield from indented(paragraph(text, max(view.measure - cells(head.plain), 20)), head)
    for value, said in entry.values.items():
        head = span(f"  {value}", "green") + span(say("label", "colon", language), "dim")
        yield from indented(paragraph(said.zh if language == "zh" else said.en, max(view.measure - cells(head.plain), 20)), head, "    ")


def _facts(entry: Entry, language: Language) -> Iterator[tuple[str, str]]:
    words = entry.words(language)
    yield "by", say("by", entry.by, language)
    if entry.unit:
        yield "unit", say("unit", entry.unit, language)
    yield "typical", words.typical
    if entry.pairs:
        yield "pairs", say("account", "comma", language).join(f"`{name}`" for name in entry.pairs)
    yield "check", words.check
    source = sources()[entry.source]
    yield "source", " ".join(part for part in (source.named(language), source.url, f"({source.seen})") if part)
