"""Rules about the flow find the same in another format."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from holter import formats
from holter.analysis.lint import lint
from holter.messages import Conversation, Message
from tests.strategies import broken_histories

FLOW = frozenset({"PAIR01", "PAIR02", "PAIR03", "PAIR04", "PAIR05", "PAIR07", "LOOP01", "FIN04"})


def flow_of(conversation: Conversation) -> list[tuple[str, int | None]]:
    """(rule, message) of what is wrong with the flow."""
    return sorted((f.code, f.message) for f in lint(conversation) if f.code in FLOW and f.severity != "info")


@given(broken_histories(), st.sampled_from(["langchain.json", "openai.chat"]))
@settings(max_examples=150, deadline=None)
def test_flow_is_the_same_after_convert(history: list[Message], to: str) -> None:
    """What is wrong with calls and results does not depend on how they are written."""
    conversation = Conversation(format="langchain.json", messages=history)
    document = formats.write(conversation, to).document
    if history:
        (again,) = formats.read(json.dumps(document))
        assert flow_of(again) == flow_of(conversation)
