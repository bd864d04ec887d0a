"""A request without tools, where tools are needed.

What:   a request whose conversation holds calls, or whose text says that it will use a tool, offers tools.
Why:    the model cannot call what it is not shown: it writes the call as text, or makes the answer up.
Seen:   tools are sent with the first step only; a hand-off to an agent without its tools.
Bad:    {"model": "m", "tools": [], "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"model": "m", "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "messages": [{"role": "user",
        "content": "x"}]}
Source: https://github.com/langgenius/dify/issues/17545 (2025-04-07).
"""

import re
from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

_PROMISES = re.compile(
    r"\b(?:I(?:'ll| will| am going to)|let me) (?:now )?(?:use|call|invoke|run) (?:the |a |my )?[\w `-]{0,40}\btool\b|我(?:将|会|来)(?:使用|调用)\S{0,20}工具",
    re.IGNORECASE,
)


def check(index: Index) -> Iterator[Found]:
    """At most one finding, about the whole log."""
    if index.conversation.tools or (index.demand("RUN10") is not None and index.calls):
        return
    if not index.conversation.tools_known and not index.is_request:
        return
    said = "an empty list" if index.conversation.tools_known else "not there"
    if index.calls:
        yield index.at(None, f"the conversation holds calls, and `tools` is {said}", "tools", hint="send the tools with every step")
        return
    for at, message in index.answers:
        if _PROMISES.search(message.text):
            yield index.at(at, f"the answer says that it will use a tool, and `tools` is {said}", hint="send the tools with every step")
            return


RULE = Rule(code="TOOL01", name="no-tools-offered", severity="warning", check=check, needs=facts.OFFERED | facts.SETTINGS)
