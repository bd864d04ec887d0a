"""Calls in the text of an answer, in the markup of each family of models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.leaked_call import recover
from holter.messages import AIMessage, ToolSpec

CITY = ToolSpec("get_weather", parameters={"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}})
ARGUMENTS = '{"city": "Oslo", "days": 2}'
INVOKE = '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n<parameter name="days">2</parameter>\n</invoke>'
FUNCTION = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>"
DSML = (
    '<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>'
)
GLM = "<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>"


def deepseek(call: str) -> str:
    return f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"


WHOLE = {
    "DeepSeek V3": deepseek(f"function<｜tool▁sep｜>get_weather\n```json\n{ARGUMENTS}\n```"),
    "DeepSeek V3.1": deepseek(f"get_weather<｜tool▁sep｜>{ARGUMENTS}"),
    "DeepSeek V3.2": f"<｜DSML｜function_calls>\n{DSML}\n</｜DSML｜function_calls>",
    "Kimi K2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "Hermes": f'<tool_call>\n{{"name": "get_weather", "arguments": {ARGUMENTS}}}\n</tool_call>',
    "Qwen coder": f"<tool_call>\n{FUNCTION}\n</tool_call>",
    "Qwen coder alone": FUNCTION,
    "GLM": f"<tool_call>get_weather\n{GLM}</tool_call>",
    "Llama 3": f'<|python_tag|>{{"name": "get_weather", "parameters": {ARGUMENTS}}}',
    "Mistral": f'[TOOL_CALLS] [{{"name": "get_weather", "arguments": {ARGUMENTS}}}]',
    "Mistral Small": f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}",
    "Claude": f"<function_calls>\n{INVOKE}\n</function_calls>",
    "MiniMax": f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>",
}


@pytest.mark.parametrize("family", WHOLE)
def test_a_whole_call(family: str) -> None:
    """It is recovered with the arguments of its schema's types, and the markup is gone from the text."""
    found = recover(AIMessage(f"Let me look.\n\n{WHOLE[family]}"), [CITY])
    assert found is not None
    assert [(call["name"], call["args"]) for call in found.message.tool_calls] == [("get_weather", {"city": "Oslo", "days": 2})]
    assert (found.message.content, found.raw, found.field) == ("Let me look.", WHOLE[family], "content")


@pytest.mark.parametrize("family", WHOLE)
def test_what_is_not_taken(family: str) -> None:
    """A tool that was not offered, a call inside of code, one that is cut, and an answer with calls of its own."""
    markup = WHOLE[family]
    assert recover(AIMessage(markup), [ToolSpec("other")]) is None
    assert recover(AIMessage(f"It looks so:\n```\n{markup}\n```\n"), [CITY]) is None
    assert recover(AIMessage(f"It looks so: `{markup}`"), [CITY]) is None
    assert recover(AIMessage(markup[: len(markup) // 2]), [CITY]) is None
    assert recover(AIMessage(markup, tool_calls=[{"name": "x", "args": {}, "id": "a", "type": "tool_call"}]), [CITY]) is None
    assert recover(AIMessage(markup), []) is None


def test_several_calls() -> None:
    """All or none: one of a tool that was not offered keeps all of it text."""
    two = WHOLE["Hermes"] + "\n" + WHOLE["Hermes"].replace("Oslo", "Rome")
    found = recover(AIMessage(two), [CITY])
    assert found is not None
    assert [call["args"]["city"] for call in found.message.tool_calls] == ["Oslo", "Rome"]
    assert len({call["id"] for call in found.message.tool_calls}) == 2
    assert recover(AIMessage(two.replace("get_weather", "rm", 1)), [CITY]) is None


def test_reasoning() -> None:
    """Looked at only where there is no text."""
    found = recover(AIMessage("", reasoning=f"I need data. {WHOLE['Kimi K2']}"), [CITY])
    assert found is not None
    assert (found.message.reasoning, found.field, found.message.tool_calls[0]["id"]) == (
        "I need data.",
        "reasoning",
        "functions.get_weather:0",
    )
    assert recover(AIMessage("Hi", reasoning=WHOLE["Kimi K2"]), [CITY]) is None


@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_no_beginning_is_a_call(family: str, data: st.DataObject) -> None:
    """A cut call is none, wherever it is cut, as long as something that matters is missing; nothing raises."""
    markup = WHOLE[family]
    found = recover(AIMessage(markup[: data.draw(st.integers(0, len(markup)))]), [CITY])
    assert found is None or found.message.tool_calls[0]["args"] == {"city": "Oslo", "days": 2}


@given(st.text(max_size=300))
def test_text_is_text(text: str) -> None:
    """No text without markup is a call."""
    assert recover(AIMessage(text), [CITY]) is None
