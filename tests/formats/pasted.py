"""Reading what people paste, and what tests compare of it."""

from pathlib import Path
from typing import Any

from holter.formats import read
from holter.messages import AIMessage, Conversation, Finding, Message, ToolMessage

DOCUMENTS = Path(__file__).parents[1] / "fixtures" / "documents"
NAMES = ("annotated.txt", "article.md", "page.html", "reprs.txt", "stream.ts", "stripped.txt", "transcript.log")


def document(name: str) -> str:
    return (DOCUMENTS / name).read_text()


def pasted(text: str) -> list[Conversation]:
    """The conversations of a text that stands between two paragraphs."""
    return read(f"前文 before\n\n{text}\n\n后文 after\n".encode("utf-8", "surrogatepass"))


def one(text: str) -> Conversation:
    (conversation,) = pasted(text)
    return conversation


def calls(message: Message) -> list[tuple[Any, ...]]:
    return [(c["name"], c["args"], c["id"]) for c in message.calls] if isinstance(message, AIMessage) else []


def said(conversation: Conversation) -> list[tuple[Any, ...]]:
    """(kind, content), and of answers their calls, of results the id they answer."""
    return [_said(message) for message in conversation.messages]


def _said(message: Message) -> tuple[Any, ...]:
    match message:
        case AIMessage() if message.calls:
            return ("ai", message.content, calls(message))
        case ToolMessage():
            return ("tool", message.content, message.tool_call_id)
        case _:
            return (message.type, message.content)


def spots(conversation: Conversation) -> list[tuple[int | None, int | None, str]]:
    """(line, column, path) of each message."""
    return [(place.line, place.column, place.path) for place in conversation.places]


def notes(conversation: Conversation) -> list[tuple[Any, ...]]:
    """(code, line, column, message) of each finding."""
    return [_note(finding) for finding in conversation.findings]


def _note(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.line, finding.column, finding.message)
