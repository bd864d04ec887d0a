"""One line for each conversation."""

from inline_snapshot import snapshot

from holter.messages import AIMessage, Conversation, HumanMessage
from holter.render.listing import first_words, list_head, list_line
from holter.render.view import View


def test_line_under_its_head(trip: Conversation) -> None:
    """The numbers stand under the names of their columns."""
    assert f"{list_head().plain}\n{list_line(trip, View(80)).plain}" == snapshot("""\
  #  format            messages  calls   tokens  errors  begins with
  1  openai.chat              8      4      431       1  明天北京的天气怎么样？…\
""")


def test_a_long_format_moves_no_column() -> None:
    """It takes room that the number behind it does not need."""
    head = list_head().plain
    for name in ("openai.responses.stream", "gemini.interactions", "openai.chat"):
        line = list_line(Conversation(format=name, messages=[HumanMessage("hi")]), View(80)).plain
        assert line.index("hi") == head.index("begins with")


def test_where_no_human_speaks_another_does() -> None:
    """A response body begins with what the model said."""
    assert first_words(Conversation(format="openai.response", messages=[AIMessage("It is\nsunny.")])) == "ai: It is sunny."


def test_nothing_said() -> None:
    """A conversation without text has an empty beginning."""
    assert first_words(Conversation(format="openai.chat", messages=[AIMessage("")])) == ""
