"""What repairs make of a history."""

from holter.analysis.lint.example import flow
from holter.analysis.repair import repaired_messages
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, ToolSpec
from holter.messages.sendable import UNKNOWN


def test_wrong_id_is_put_right() -> None:
    """One call and one result of a turn that do not fit are each other's."""
    made, done = repaired_messages(flow("user go · calls new look · result old 4C · user well?"))
    assert made == flow("user go · calls new look · result new 4C · user well?")
    assert [f.code for f in done] == ["PAIR01", "PAIR02"]


def test_open_call_is_closed() -> None:
    """With an error that says what is known."""
    made, _ = repaired_messages(flow("user go · calls a look · user well?"))
    assert made[2] == ToolMessage(UNKNOWN, tool_call_id="a", name="look", status="error")


def test_intruder_moves_behind_the_result() -> None:
    """Nothing is lost, nothing is made up."""
    made, _ = repaired_messages(flow("user go · calls a look · user as a table · result a 4C"))
    assert made == flow("user go · calls a look · result a 4C · user as a table")


def test_ids_fit_the_target_on_both_sides() -> None:
    """Mistral takes nine letters or digits."""
    made, _ = repaired_messages(flow("user go · calls call_PTLP8xhu look · result call_PTLP8xhu 4C · user well?"), "mistral")
    assert isinstance(made[1], AIMessage)
    assert isinstance(made[2], ToolMessage)
    assert made[1].tool_calls[0]["id"] == made[2].tool_call_id
    assert len(made[2].tool_call_id or "") == 9


def test_system_messages_are_joined() -> None:
    """In their order."""
    made, _ = repaired_messages(
        flow("system Be terse. · user hi · assistant Hello. · system Metric units. · user how far?"), "qwen-template"
    )
    assert made[0] == SystemMessage("Be terse.\n\nMetric units.")
    assert [type(message) for message in made] == [SystemMessage, HumanMessage, AIMessage, HumanMessage]


def test_markup_becomes_the_call() -> None:
    """The text loses the markup, and the call is answered."""
    text = '<invoke name="look"><parameter name="city">Oslo</parameter></invoke>'
    made, _ = repaired_messages([HumanMessage("go"), AIMessage(f"I look.\n{text}"), HumanMessage("?")], tools=[ToolSpec("look")])
    assert isinstance(made[1], AIMessage)
    assert (made[1].content, made[1].tool_calls) == (
        "I look.",
        [{"name": "look", "args": {"city": "Oslo"}, "id": "call_1_0", "type": "tool_call"}],
    )
    assert isinstance(made[2], ToolMessage)


def test_unreadable_arguments_are_kept() -> None:
    """Under `_raw`: the message can be sent, and nothing is lost."""
    made, _ = repaired_messages(flow("user go · calls a look {oops · result a ?"))
    assert isinstance(made[1], AIMessage)
    assert made[1].tool_calls == [{"name": "look", "args": {"_raw": "{oops"}, "id": "a", "type": "tool_call"}]


def test_clean_history_comes_back_as_it_is() -> None:
    """The very same messages."""
    messages = flow("user go · calls a look · result a 4C · assistant It is 4C.")
    made, done = repaired_messages(messages, "openai")
    assert done == []
    assert all(one is other for one, other in zip(made, messages, strict=True))
