"""Calls that were written as text, in the markup of each family."""

import pytest

from holter.analysis.lint.markup import leak_in

WEATHER = (("get_weather", {"city": "Oslo"}),)
FAMILIES = [
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
    "<function=get_weather><parameter=city>Oslo</parameter></function>",
    '<function=get_weather>{"city": "Oslo"}</function>',
    '<function_calls><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></function_calls>',
    '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>',
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city":"Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
    '```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>'
    "</｜DSML｜invoke></｜DSML｜function_calls>",
    '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
    '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
    '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
    '<|tool_call_start|>[get_weather(city="Oslo")]<|tool_call_end|>',
]


@pytest.mark.parametrize("text", FAMILIES)
def test_family_is_read(text: str) -> None:
    """Name and arguments, and where the markup stands."""
    leak = leak_in(f"I look.\n{text}")
    assert leak is not None
    assert (leak.calls, leak.start) == (WEATHER, 8)


@pytest.mark.parametrize("text", FAMILIES)
def test_fenced_markup_is_no_leak(text: str) -> None:
    """Who explains the markup does not call."""
    assert leak_in(f"Like this:\n````\n```\n{text}\n```\n````") is None


def test_cut_markup_is_seen_and_not_read() -> None:
    """It stays text."""
    leak = leak_in('<tool_call>{"name": "get_weather", "argum')
    assert leak is not None
    assert leak.calls == ()


def test_bare_json_counts_only_when_it_names_an_offered_tool() -> None:
    """An object with a name is most often an object with a name."""
    text = '{"name": "get_weather", "parameters": {"city": "Oslo"}}'
    assert leak_in(text) is None
    assert leak_in('{"name": "Rex", "legs": 4}', frozenset({"get_weather"})) is None
    leak = leak_in(text, frozenset({"get_weather"}))
    assert leak is not None
    assert leak.calls == WEATHER


@pytest.mark.parametrize(
    "text",
    [
        "The <tool_call> tag is how Qwen marks calls.",
        "Use <tool_call> and </tool_call> around it.",
        "Wrap it in <tool_call></tool_call> tags.",
        "The tag <function=NAME> starts one.",
        "It prints <|python_tag|> first.",
        "A [TOOL_CALLS] token comes first.",
        'Write the tag "<tool_call>", then JSON.',
    ],
)
def test_a_mark_that_is_spoken_of_is_no_leak(text: str) -> None:
    """Who names a tag in a sentence does not call; a call behind the sentence is seen all the same."""
    assert leak_in(text) is None
    leak = leak_in(f"{text}\n{FAMILIES[0]}")
    assert leak is not None
    assert (leak.calls, leak.start) == (WEATHER, len(text) + 1)


def test_python_calls_count_only_when_they_name_offered_tools() -> None:
    """A list of calls with named arguments, as Llama 4 writes them; anything else in brackets is text."""
    offered = frozenset({"get_weather"})
    leak = leak_in('[get_weather(city="Oslo")]', offered)
    assert leak is not None
    assert leak.calls == WEATHER
    assert leak_in('[get_weather(city="Oslo")]') is None
    for text in ('[get_weather("Oslo")]', "[other(city='Oslo')]", "[get_weather(city=home)]", "[1, 2]", "[get_weather(**x)]", "[a](b)"):
        assert leak_in(text, offered) is None
