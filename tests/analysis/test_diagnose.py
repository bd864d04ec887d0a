"""From a log, or from a symptom, to its likely causes."""

import pytest

from holter.analysis.diagnose import asked_for, diagnose
from holter.analysis.diagnose.checklist import CHECKLIST
from holter.analysis.lint import RULES
from holter.analysis.lint.example import flow
from holter.messages import Conversation, ToolSpec


def conversation(text: str, **fields: object) -> Conversation:
    """A conversation of a flow."""
    return Conversation(format="holter.messages", messages=flow(text), **fields)  # type: ignore[arg-type]


def test_evidence_ranks() -> None:
    """What the log shows most of comes first, with the messages that show it."""
    text = "user list · calls r1 ls {} · result r1 [] · calls r2 ls {} · result r2 [] · calls r3 ls {} · result r3 []"
    first = diagnose([conversation(text)])[0]
    assert (first.key, first.rules) == ("repeats", ["LOOP01"])
    assert [(piece.code, piece.message) for piece in first.evidence] == [("LOOP01", 5), (None, 5)]


@pytest.mark.parametrize(
    ("symptom", "key"),
    [
        ("the tool is never called", "never-called"),
        ("I get a 400 about tool_call_id", "refused-request"),
        ("it calls the same tool again and again", "repeats"),
        ("the answer is empty", "cut-empty-costly"),
        ("the mail was sent twice", "twice"),
        ("模型反复调用同一个工具", "repeats"),
        ("工具从来没有被调用", "never-called"),
        ("参数解析失败", "bad-arguments"),
    ],
)
def test_symptom_comes_first(symptom: str, key: str) -> None:
    """Also where nothing in the log shows it."""
    first = diagnose([conversation("user hi · assistant hello")], symptom=symptom)[0]
    assert (first.key, first.asked) == (key, True)


def test_clean_log_has_no_diagnosis() -> None:
    """Nothing is made up."""
    assert diagnose([conversation("system Be brief. · user hi · assistant hello")]) == []


def test_offered_and_never_called() -> None:
    """A sign that breaks no rule."""
    tools = [ToolSpec("look")]
    (first,) = diagnose([conversation("user weather? · assistant It is sunny.", tools=tools, tools_known=True)], language="zh")
    assert (first.key, first.symptom, first.evidence[0].text) == (
        "never-called",
        "工具从来没有被调用",
        "提供了 1 个工具，但一个也没有被调用",
    )


def test_checklist_names_rules_that_there_are() -> None:
    """Every code, or beginning of codes, is one; every line is said in both languages."""
    for line in CHECKLIST:
        assert all(any(rule.code.startswith(code) for rule in RULES) for code in line.rules)
        assert all(said.en and said.zh for said in (line.symptom, line.look, line.cause, line.remedy))


@pytest.mark.parametrize(
    ("symptom", "key"),
    [
        ("The model never calls my weather tool", "never-called"),
        ("it doesn\u2019t use the tool", "never-called"),
        ("answers by itself instead of calling the tool", "never-called"),
        ("calls a function that doesn't exist", "wrong-tool"),
        ("it picks the wrong tool", "wrong-tool"),
        ("JSON arguments are broken", "bad-arguments"),
        ("Error code: 400 - tool_call_id not found", "refused-request"),
        ("stuck in a loop", "repeats"),
        ("it makes up an answer when the tool raises", "after-failure"),
        ("the model ignores the tool result", "ignores-result"),
        ("it does not use the tool's results", "ignores-result"),
        ("results are mixed up between parallel calls", "swapped-results"),
        ("forgets its instructions", "drift"),
        ("the output is truncated", "cut-empty-costly"),
        ("it was charged twice", "twice"),
        ("工具从来没有被调用", "never-called"),
        ("模型没用工具", "never-called"),
        ("总是选错了工具", "wrong-tool"),
        ("参数不对", "bad-arguments"),
        ("接口报错 400", "refused-request"),
        ("一直重复调用同一个工具", "repeats"),
        ("工具报错后程序崩溃", "after-failure"),
        ("回答没有用工具的结果", "ignores-result"),
        ("并行结果串了", "swapped-results"),
        ("角色跑偏", "drift"),
        ("回答被截断", "cut-empty-costly"),
        ("付款执行了两次", "twice"),
    ],
)
def test_own_words(symptom: str, key: str) -> None:
    """Beginnings of words near each other, whatever stands between."""
    assert asked_for(symptom)[0] == key
    assert diagnose([conversation("system Be brief. · user hi · assistant hello")], symptom=symptom)[0].key == key


def test_words_that_fit_nothing() -> None:
    """They point to no line."""
    assert asked_for("the coffee is cold") == []


def test_log_without_system_message_is_not_ill_for_that() -> None:
    """It is told where something else speaks for it, too."""
    log = Conversation(format="openai.chat", messages=flow("user hi · assistant hello · user well · assistant yes"))
    assert diagnose([log]) == []
    (drift,) = diagnose([log], symptom="it forgets its role")
    assert [piece.text for piece in drift.evidence] == ["there is no system message"]
