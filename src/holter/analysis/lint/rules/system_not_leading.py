"""A system message that does not come first.

What:   only the first message is a system message.
Why:    chat templates that know a system message at the start only raise an error, or drop it.
Seen:   reminders, summaries and instructions of a step were added as system messages.
Target: qwen-template
Bad:    system Be terse. · user hi · assistant Hello. · system Metric units only. · user how far?
Good:   system Be terse. Metric units only. · user hi · assistant Hello. · user how far?
Source: https://github.com/QwenLM/Qwen3.8/issues/244 (2026-09-22), https://github.com/ggml-org/llama.cpp/issues/27367 (2026-08-19).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import SystemMessage


def check(index: Index) -> Iterator[Found]:
    """Each system message behind the first message."""
    for at, message in enumerate(index.messages):
        if at and isinstance(message, SystemMessage):
            yield index.at(at, "a system message stands behind the start", hint="join it to the first, or say it in a user message")


RULE = Rule(
    code="ROLE01",
    name="system-not-leading",
    severity="error",
    check=check,
    fix="join the system messages at the start, in their order",
    needs=facts.LATE_SYSTEM,
    profiled=True,
)
