"""The account of a conversation."""

from pathlib import Path

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from holter import formats
from holter.analysis.explain import account
from holter.analysis.explain.account import Sentence
from holter.analysis.explain.attempt import Attempts
from holter.analysis.explain.entry import Language
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage, ToolSpec
from tests.strategies import broken_histories

FIXTURES = Path(__file__).parents[2] / "fixtures"


def told(messages: list[Message], language: Language = "en", tools: list[ToolSpec] | None = None) -> str:
    """The account as one text."""
    found = account(Conversation(format="holter.messages", messages=messages, tools=tools or []), language)
    return "\n".join(" ".join(sentence.text for sentence in part) for part in found)


def call(name: str, id_: str, **args: object) -> dict[str, object]:
    """A tool call."""
    return {"name": name, "args": args, "id": id_, "type": "tool_call"}


def test_a_repr_from_an_article() -> None:
    """What the model made of what the user wrote, and the tokens."""
    (conversation,) = formats.read(FIXTURES / "explained" / "weather.txt")
    assert [[sentence.text for sentence in part] for part in account(conversation)] == snapshot(
        [
            [
                "The user said “any rain in la”.",
                'The model asked for `get_weather(city="Los Angeles")`.',
                "Los Angeles stands in no earlier message, the model made it of 'la'.",
                "`get_weather` returned “No rain in Los Angeles”.",
                "The model answered “No rain today.”.",
            ],
            ["370 + 493 tokens = 863: 642 in, 221 out."],
        ]
    )


def test_an_annotated_log_in_chinese() -> None:
    """Reasoning tokens and totals come out."""
    (conversation,) = formats.read(FIXTURES / "explained" / "calculator.txt")
    assert [[sentence.text for sentence in part] for part in account(conversation, "zh")] == snapshot(
        [
            [
                "用户说：“7 乘以 6 等于多少”。",
                '模型请求 `calculator(operation="multiply", a=7, b=6)`。',
                "a=7 和 b=6 出自用户的话。",
                'operation="multiply" 在前面的消息里没有出现过，是模型自己给出的。',
                "有 63 个 token 用于推理，但日志里没有推理文字。",
                "`calculator` 返回“42.0”。",
                "模型回答：“7 乘以 6 等于 42”。",
                "有 30 个 token 用于推理，但日志里没有推理文字。",
            ],
            ["573 + 572 token = 1,145：输入 984，输出 161（推理 93）。"],
        ]
    )


def test_independent_calls_are_told_as_such() -> None:
    """Calls of one message cannot need each other's results."""
    text = told([HumanMessage("hotels and weather"), AIMessage("", tool_calls=[call("hotels", "1"), call("weather", "2")])])
    assert "asked for `hotels()` and `weather()` together; none of them needs another's result." in text
    assert "`hotels` has no result yet. `weather` has no result yet." in text


def test_a_chain_is_seen() -> None:
    """An argument that was found in an earlier result, not one that a result only repeats."""
    text = told(
        [
            HumanMessage("What does Tesla spend on research?"),
            AIMessage("", tool_calls=[call("search", "1", query="annual report")]),
            ToolMessage("annual report: https://example.org/10-K.pdf", tool_call_id="1"),
            AIMessage("", tool_calls=[call("analyse", "2", url="https://example.org/10-K.pdf", query="annual report")]),
            ToolMessage("12 %", tool_call_id="2"),
            AIMessage("12 %"),
        ]
    )
    assert 'url="https://example.org/10-K.pdf" came from the result of `search` (message 2): this call needed that one.' in text
    assert 'query="annual report" is as the model gave it before.' in text


@pytest.mark.parametrize(
    ("user", "result", "args", "said"),
    [
        ("(10 + 5) * 2", "15.0", {"a": 15}, "a=15 came from the result of `f` (message 2): this call needed that one."),
        ("(10 + 5) * 2", "15.0", {"e": "15 * 2"}, "e=\"15 * 2\" is the model's own wording, with '15' from the result of `f` (message 2)"),
        ("go", '{"orders": [{"id": 42}, {"id": 7}]}', {"order_id": 7}, "order_id=7 came from the result of `f` (message 2)"),
        ("go", '{"orders": [{"id": 42}, {"id": 7}]}', {"id": "42"}, 'id="42" came from the result of `f` (message 2)'),
        ("go", '{"page": 1, "of": 3, "more": [0, 2]}', {"adults": 2}, "adults=2 stands in message 2, too, perhaps by chance"),
        ("go", "最近的城市：杭州", {"city": "杭州"}, 'city="杭州" came from the result of `f` (message 2)'),
        ("go", "id 1234567890123456789", {"id": 1234567890123456788}, "id=1234567890123456788 stands in no earlier message"),
        ("go", "booked, REF77", {"body": "Done: REF77"}, "with 'REF77' from the result of `f` (message 2): this call needed that one."),
        ("send 1,000 dollars", "ok", {"sum": 1000}, "sum=1000 stands in what the user said."),
        ("转100元", "ok", {"sum": 100}, "sum=100 stands in what the user said."),
        ("a cheap hotel in Paris, please", "ok", {"q": "cheap hotel Paris"}, 'q="cheap hotel Paris" is mostly made of the user\'s words.'),
        ("go", "ok", {"thought": "I had better look at it once more before I go"}, "is the model's own wording."),
    ],
)
def test_where_values_come_from(user: str, result: str, args: dict[str, object], said: str) -> None:
    """Short values and numbers count where they say something, and are never said to stand nowhere when they do."""
    text = told(
        [
            HumanMessage(user),
            AIMessage("", tool_calls=[call("f", "1")]),
            ToolMessage(result, tool_call_id="1"),
            AIMessage("", tool_calls=[call("g", "2", **args)]),
        ]
    )
    assert said in text


def test_a_result_that_only_repeats_a_short_value() -> None:
    """Is not its origin."""
    text = told(
        [
            HumanMessage("louder"),
            AIMessage("", tool_calls=[call("volume", "1", to=15)]),
            ToolMessage("15", tool_call_id="1"),
            AIMessage("", tool_calls=[call("beep", "2", level=15)]),
        ]
    )
    assert "level=15 is as the model gave it before." in text


def test_calls_that_failed_together_are_tried_again_each_for_itself() -> None:
    """The second try is the call most like it, in the order in which they were asked for."""
    messages: list[Message] = [HumanMessage("weather")]
    for number, cities in enumerate(("AB", "CB", "E")):
        calls = [call("w", f"{number}{city}", city=city, unit="C") for city in cities]
        messages += [AIMessage("", tool_calls=calls), *(ToolMessage("Error: no", tool_call_id=f"{number}{city}") for city in cities)]
    text = told(messages)
    assert text.count('other arguments (city: "A" → "C")') == 1
    assert text.count("The model tried `w` again with the same arguments.") == 1
    assert text.count('other arguments (city: "C" → "E")') == 1
    assert text.count("The model did not make this call again.") == 1
    assert text.endswith("Nothing followed.")


def test_an_answer_without_its_question() -> None:
    """A log that holds only the answer says nothing of where its arguments came from."""
    text = told([AIMessage("", tool_calls=[call("w", "1", city="Rome")])])
    assert 'Where city="Rome" came from cannot be told: the log does not hold what was asked.' in text


def test_blocks_of_a_provider() -> None:
    """What its own tools did is no empty answer."""
    search: dict[str, object] = {"type": "server_tool_use", "name": "web_search", "id": "s"}
    found: dict[str, object] = {"type": "web_search_tool_result", "tool_use_id": "s"}
    text = told([HumanMessage("news?"), AIMessage([search, found, search, {"type": "text", "text": "None."}])])
    assert text.endswith("The model answered “None.”. The answer also holds `web_search` × 2, in a form of the provider's own.")
    patch: dict[str, object] = {"type": "apply_patch_call", "call_id": "p"}
    assert "The model answered with `apply_patch_call`, in a form of the provider's own, and no text." in told([AIMessage([patch])])


def test_many_values_are_summed_up() -> None:
    """A list of hundreds is not told one by one."""
    text = told([HumanMessage("go"), AIMessage("", tool_calls=[call("f", "1", days=[f"day{n}" for n in range(300)])])])
    assert 'days[9]="day9" and 290 more stand in no earlier message' in text


def test_a_user_who_speaks_first() -> None:
    """What is done after that is no reaction to the failure."""
    pay = call("pay", "1", sum=5)
    text = told(
        [HumanMessage("pay"), AIMessage("", tool_calls=[pay]), ToolMessage("Error: no money", tool_call_id="1"), HumanMessage("again")]
    )
    assert "The user spoke before the model did anything about it." in text


def test_attempts_that_a_journal_knows() -> None:
    """What the runtime tried, what a cache gave, and how often the model was asked."""
    tried = Attempts({"1": ["TimeoutError: slow"] * 2}, {1: ["RateLimited: later"]}, frozenset({"2"}))
    messages: list[Message] = [
        HumanMessage("go"),
        AIMessage("", tool_calls=[call("look", "1"), call("see", "2")]),
        ToolMessage("a", tool_call_id="1"),
        ToolMessage("b", tool_call_id="2"),
    ]
    found = account(Conversation(format="x", messages=messages), "en", tried)
    assert [sentence.text for sentence in found[0]][1:] == snapshot(
        [
            "The model was asked 2 times; before that the request failed: “RateLimited: later”.",
            "The model asked for `look()` and `see()` together; none of them needs another's result.",
            "`look` took 3 attempts; before that it failed: “TimeoutError: slow”.",
            "`look` returned “a”.",
            "The result of `see` came from a cache.",
            "`see` returned “b”.",
        ]
    )


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (AIMessage("", tool_calls=[call("pay", "2", sum=5)]), "The model tried `pay` again with the same arguments."),
        (AIMessage("", tool_calls=[call("pay", "2", sum=6)]), "The model tried `pay` again with other arguments (sum: 5 → 6)."),
        (AIMessage("", tool_calls=[call("ask", "2")]), "The model went on with `ask` instead."),
        (AIMessage("It did not work."), "The model gave up the call and answered in words."),
        (None, "Nothing followed."),
    ],
)
def test_errors_and_what_the_model_did(after: AIMessage | None, said: str) -> None:
    """Each way to go on."""
    begun: list[Message] = [
        HumanMessage("pay"),
        AIMessage("", tool_calls=[call("pay", "1", sum=5)]),
        ToolMessage("Error: no money", tool_call_id="1"),
    ]
    text = told([*begun, *([after] if after else [])])
    assert "`pay` failed: “Error: no money”." in text
    assert said in text


def test_a_repeated_call_is_named() -> None:
    """With where it stood before."""
    messages: list[Message] = [HumanMessage("go")]
    for number in range(2):
        messages += [AIMessage("", tool_calls=[call("look", str(number), at="here")]), ToolMessage("nothing", tool_call_id=str(number))]
    assert "This is `look` with the same arguments as in message 1, again." in told(messages)


def test_reasoning_has_a_place() -> None:
    """A field, a block, or inside the text."""
    assert "Its reasoning stands in a field beside the content (5 characters)." in told([AIMessage("a", reasoning="think")])
    assert "a block of the content (2 characters)" in told([AIMessage([{"type": "reasoning", "reasoning": "hm"}])])
    inside = told([AIMessage("<think>well</think>yes")])
    assert "`<think>` inside the content (4 characters)" in inside
    assert "The model answered “yes”." in inside


def test_choices_of_the_schema() -> None:
    """A value that the tool gives is not made up."""
    schema = {"type": "object", "properties": {"unit": {"enum": ["celsius", "kelvin"]}}}
    text = told(
        [HumanMessage("cold?"), AIMessage("", tool_calls=[call("w", "1", unit="kelvin")])], tools=[ToolSpec("w", parameters=schema)]
    )
    assert 'unit="kelvin" is one of the tool\'s own choices.' in text


def test_odd_messages() -> None:
    """Results of nothing, calls that no JSON is, refusals, answers that were cut, empty ones."""
    invalid = {"name": "f", "args": "{", "id": "1", "error": "cut", "type": "invalid_tool_call"}
    text = told(
        [
            SystemMessage("Be brief."),
            ToolMessage("?", tool_call_id="x"),
            AIMessage("", invalid_tool_calls=[invalid]),
            HumanMessage(""),
            AIMessage("", additional_kwargs={"refusal": "I will not."}),
            AIMessage("cut he", response_metadata={"finish_reason": "length"}),
            AIMessage(""),
        ]
    )
    assert "Instructions stand first (9 characters)." in text
    assert "Message 1 is a result that answers no call." in text
    assert "The arguments of `f` are not one JSON object (cut)." in text
    assert "`f` was never answered." in text
    assert "The user said nothing that is text." in text
    assert "The model refused: “I will not.”." in text
    assert "cut off by the token limit (length)." in text
    assert "The model answered with nothing." in text


def test_a_long_round_is_summed_up() -> None:
    """Its first steps, how many more, and its last one."""
    messages: list[Message] = [HumanMessage("go")]
    for number in range(40):
        messages += [
            AIMessage("", tool_calls=[call("step", str(number), n=number)]),
            ToolMessage(f"did {number}", tool_call_id=str(number)),
        ]
    messages.append(AIMessage("done"))
    (part,) = account(Conversation(format="x", messages=messages))
    assert "30 more steps with 30 calls followed (`step`)." in [sentence.text for sentence in part]
    assert part[-1].text == "The model answered “done”."


def test_what_went_wrong_in_steps_that_are_summed_up() -> None:
    """Errors and repetitions are counted."""
    messages: list[Message] = [HumanMessage("go")]
    for number in range(40):
        text = "Error: no" if number in (20, 30) else "did"
        messages += [AIMessage("", tool_calls=[call("step", str(number), n=number % 25)]), ToolMessage(text, tool_call_id=str(number))]
    text = told([*messages, AIMessage("done")])
    assert "Failed among these: 2 (`step`), the first in message 42. Made again with the same arguments: 15 (`step`)." in text


def test_no_messages() -> None:
    """There is a sentence for that, too."""
    assert account(Conversation(format="x", messages=[])) == [[Sentence("nobody", None, "There are no messages.")]]


@given(broken_histories())
def test_every_history_has_an_account(messages: list[Message]) -> None:
    """In both languages, whatever stands in it."""
    for language in ("en", "zh"):
        for part in account(Conversation(format="x", messages=list(messages)), language):
            assert all(sentence.text for sentence in part)
