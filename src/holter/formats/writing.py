"""Writes a conversation in another format."""

from holter.errors import WriteError
from holter.formats.detect import FORMS
from holter.formats.form import Form, Written
from holter.messages import Conversation

WRITERS: dict[str, Form] = {form.name: form for form in FORMS if form.write is not None}
"""Formats that can be written, by their full names."""

SHORT_NAMES: dict[str, str] = {
    "langchain": "langchain.json",
    "openai": "openai.chat",
    "openai-response": "openai.response",
    "openai-responses": "openai.responses",
    "anthropic": "anthropic.messages",
    "gemini": "gemini.contents",
}
"""What people type -> the full name."""


def write(conversation: Conversation, to: str) -> Written:
    """The conversation as a JSON document of the format `to` (a full or a short name), with what that format cannot say.

    Raises `WriteError` for a format that is not written, and where the format cannot say the conversation at all.
    """
    form = WRITERS.get(SHORT_NAMES.get(to, to))
    if form is None or form.write is None:
        raise WriteError(f"{to!r} is no format that can be written; there are {', '.join(SHORT_NAMES)}")
    return form.write(conversation)
