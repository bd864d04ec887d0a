import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.gemini_contents import INTERACTIONS_FORM as FORM
from holter.messages import AIMessage, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "gemini_interactions"


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


def test_turns() -> None:
    """The model's steps in a row are one message; what the interaction says of itself is metadata of the last answer."""
    (conversation,) = FORM.read(fixture("turns"), Place())
    assert conversation.messages == [
        HumanMessage("Is there flour?"),
        AIMessage(
            [{"type": "reasoning", "reasoning": "Look at the stock.", "extras": {"thoughtSignature": "c2ln"}}],
            tool_calls=[{"name": "stock", "args": {"thing": "flour"}, "id": "call-1", "type": "tool_call"}],
        ),
        ToolMessage("2 kg", tool_call_id="call-1", name="stock"),
        AIMessage(
            [
                {"type": "google_search_call", "id": "gs-1", "arguments": {"queries": ["flour"]}},
                {"type": "text", "text": "Yes, two kilos."},
            ],
            usage_metadata={
                "input_tokens": 11,
                "output_tokens": 10,
                "total_tokens": 21,
                "input_token_details": {"cache_read": 2},
                "output_token_details": {"reasoning": 6},
            },
            response_metadata={
                "id": "v1_abc",
                "model_name": "gemini-3-flash",
                "status": "completed",
                "created": "2026-11-02T10:00:00Z",
                "usage": fixture("turns")["usage"],
            },
        ),
    ]
    assert [place.index for place in conversation.places] == [0, 1, 3, 4]
    assert conversation.tools == [ToolSpec("stock", parameters={"type": "object"})]
    assert conversation.extra == {"previous_interaction_id": "v1_abb"}
    assert conversation.findings == []


def test_first_revision() -> None:
    """The first revision's `outputs` hold the texts themselves; an input given as text is the user's."""
    value = {
        "object": "interaction",
        "system_instruction": "Be brief.",
        "input": "Hi",
        "outputs": [{"type": "thought", "signature": "c2ln"}, {"type": "text", "text": "Hello."}],
    }
    (conversation,) = FORM.read(value, Place())
    assert conversation.messages == [
        SystemMessage("Be brief."),
        HumanMessage("Hi"),
        AIMessage([{"type": "reasoning", "reasoning": "", "extras": {"thoughtSignature": "c2ln"}}, {"type": "text", "text": "Hello."}]),
    ]


def test_failed_result() -> None:
    """A result that failed is an error; one that is an object is its JSON."""
    steps = [{"type": "function_result", "call_id": "c", "name": "f", "result": {"code": 7}, "is_error": True}]
    (conversation,) = FORM.read({"object": "interaction", "steps": steps}, Place())
    assert conversation.messages[0] == ToolMessage('{"code":7}', tool_call_id="c", name="f", status="error")


def test_unknown_step() -> None:
    """A step of an unknown kind is kept in the model's turn, and said."""
    (conversation,) = FORM.read({"object": "interaction", "steps": [{"type": "dream", "of": "sheep"}]}, Place())
    assert conversation.messages == [AIMessage([{"type": "dream", "of": "sheep"}])]
    assert [(f.code, f.path) for f in conversation.findings] == [("READ06", "steps[0]")]


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However an interaction is damaged, what is recognised is read."""
    value = data.draw(damaged(fixture("turns")))
    if FORM.sniff(value):
        assert FORM.read(value, Place())[0].messages
