"""Two messages of one role side by side.

What:   user and assistant messages alternate, tool turns aside.
Why:    templates that demand it raise "Conversation roles must alternate user/assistant".
Seen:   group chats; a note was added behind the user's message; Mistral and Llama 2 templates.
Target: strict-template
Bad:    user hi · user are you there? · assistant Yes.
Good:   user hi, are you there? · assistant Yes.
Source: https://github.com/vllm-project/vllm/issues/6862 (2024-07-27), https://github.com/microsoft/autogen/issues/3597 (2024-10-02).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, HumanMessage


def check(index: Index) -> Iterator[Found]:
    """Each message of the role that its neighbour has."""
    for at in range(1, len(index.messages)):
        message, before = index.messages[at], index.messages[at - 1]
        if message.__class__ is not before.__class__ or not isinstance(message, HumanMessage | AIMessage):
            continue
        role = "user" if isinstance(message, HumanMessage) else "assistant"
        if index.place(at).index is not None and index.place(at).index == index.place(at - 1).index:
            continue
        yield index.at(at, f"a second {role} message in a row", hint="join the two with a blank line")


RULE = Rule(
    code="ROLE02",
    name="roles-not-alternating",
    severity="error",
    check=check,
    fix="join neighbours with a blank line",
    needs=facts.NEIGHBOURS,
    profiled=True,
)
