"""Which format a decoded JSON value is of: the specific ones first, `role` and `content` last."""

from typing import Any

from holter.formats.anthropic_messages import FORM as ANTHROPIC
from holter.formats.anthropic_stream import STREAM as ANTHROPIC_STREAM
from holter.formats.form import Form, StreamForm
from holter.formats.gemini_contents import FORM as GEMINI
from holter.formats.gemini_interactions import FORM as INTERACTIONS
from holter.formats.gemini_stream import STREAM as GEMINI_STREAM
from holter.formats.holter_journal import STREAM as JOURNAL
from holter.formats.langchain_json import FORM as LANGCHAIN
from holter.formats.openai_chat import CHAT_FORM, RESPONSE_FORM
from holter.formats.openai_responses import FORM as RESPONSES
from holter.formats.openai_responses_stream import STREAM as RESPONSES_STREAM
from holter.formats.openai_stream import STREAM as CHAT_STREAM

FORMS: tuple[Form, ...] = (INTERACTIONS, GEMINI, RESPONSES, ANTHROPIC, LANGCHAIN, RESPONSE_FORM, CHAT_FORM)
"""Formats of finished conversations, in the order they are tried."""

STREAMS: tuple[StreamForm, ...] = (JOURNAL, RESPONSES_STREAM, ANTHROPIC_STREAM, CHAT_STREAM, GEMINI_STREAM)
"""Formats of streams, in the order they are tried."""

NAMES: tuple[str, ...] = (*(form.name for form in STREAMS), *(form.name for form in FORMS), "langchain.repr", "langchain.pretty")
"""Every format that is read, in the order it is tried."""


def form_of(value: Any) -> Form | None:
    """The format of a finished conversation that `value` is of, or None."""
    for form in FORMS:
        if form.sniff(value):
            return form
    return None


def stream_of(value: Any) -> StreamForm | None:
    """The format of a stream that `value` is an event of, or None."""
    if isinstance(value, dict):
        for form in STREAMS:
            if form.sniff(value):
                return form
    return None
