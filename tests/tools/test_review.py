"""What a model would stumble over in declarations."""

from typing import Annotated, Any

import pytest

from holter.tools import Tool, ToolRuntime, tool
from holter.tools.review import review


def made(name: str, description: str) -> Tool:
    """A tool without parameters."""
    return tool(name, lambda: None, description=description)


def codes(*tools: Tool) -> list[tuple[str, str]]:
    """Code and tool of each finding."""
    return [(finding.code, finding.text.split(":")[0]) for finding in review(tools)]


def test_a_good_tool_has_no_findings() -> None:
    """What the runtime fills needs no description."""

    @tool
    def good(city: Annotated[str, "The city."], runtime: ToolRuntime) -> str:
        """The weather."""
        return ""

    assert review([good]) == []
    assert review([]) == []


def test_what_is_missing() -> None:
    """A description of the tool, one of each parameter."""

    @tool
    def bare(city: str, unit: Annotated[str, "The unit."] = "c") -> str:
        return ""

    found = review([bare])
    assert [(finding.code, finding.severity, finding.path) for finding in found] == [
        ("TOOL02", "warning", None),
        ("TOOL03", "info", "properties.city"),
    ]
    assert all(finding.hint for finding in found)


@pytest.mark.parametrize("name", ["get weather", "查询天气", "a.b", "x" * 65, "é", "a\n", ""])
def test_names_that_no_provider_takes(name: str) -> None:
    """An error, since the request would be refused."""
    one = made(name or "x", "Fine.")
    one.name = name
    assert codes(one) == [("NAME02", name)]


@pytest.mark.parametrize("name", ["get_weather", "a-b", "A1", "x" * 64])
def test_names_that_all_take(name: str) -> None:
    """Letters, digits, _ and -."""
    assert codes(made(name, "Fine.")) == []


ALIKE = [
    ("Search the web for pages.", "Searches the web for a page."),
    ("Get the weather in a city.", "Get weather in the given city"),
    ("查询指定城市的天气", "查询某个城市的天气"),
    ("搜索网络上的信息", "在网络上搜索信息"),
    ("指定された都市の天気を取得します", "都市の天気の取得"),
    ("Узнать погоду в городе", "узнать погоду в городе."),
]
DIFFERENT = [
    ("Get the weather in a city.", "Get the time in a city."),
    ("Create a user.", "Delete a user."),
    ("查询天气", "查询新闻"),
    ("查询国内新闻", "查询国外新闻"),
    ("指定された都市の天気を取得します", "指定されたユーザーの情報を取得します"),
    ("Узнать погоду в городе", "Отправить письмо коллеге по работе"),
    ("날씨를 조회합니다", "뉴스를 조회합니다"),
    ("", ""),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_descriptions_that_say_the_same(one: str, other: str) -> None:
    """In any language."""
    assert codes(made("a", one), made("b", other)) == [("TOOL04", "b")]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_descriptions_that_differ(one: str, other: str) -> None:
    """In the word that matters."""
    assert [code for code, _ in codes(made("a", one), made("b", other)) if code == "TOOL04"] == []


def test_two_tools_of_one_name() -> None:
    """A model could call only one."""
    found: list[Any] = codes(made("a", "Search the web."), made("a", "Send a letter."))
    assert found == [("TOOL05", "a")]
