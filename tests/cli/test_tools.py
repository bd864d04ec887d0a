"""`holter tools`: declarations as a model will see them, and what is wrong with them."""

import json
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import Run, run_apart

GOOD = '''
from typing import Annotated
from holter.tools import tool

@tool(read_only=True, timeout_s=5)
def get_weather(city: Annotated[str, "The city's name, in any language."], days: Annotated[int, "How many days."]) -> str:
    """The weather in a city."""

@tool
def send(text: str) -> str:
    """Send a letter."""

both = [get_weather, send]
number = 3
'''


pytestmark = pytest.mark.usefixtures("forgotten")


def module(text: str, name: str = "my_tools.py") -> str:
    """A file in the working folder."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, "utf-8")
    return name


def test_what_is_printed(run: Run) -> None:
    """Name, options, description, schema; then findings."""
    ended = run("tools", module(GOOD))
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, ended.out.splitlines())) <= 80
    assert ended.out == snapshot("""\
get_weather  read_only=True, timeout_s=5
  The weather in a city.
  {
    "type": "object",
    "properties": {
      "city": {
        "type": "string",
        "description": "The city's name, in any language."
      },
      "days": {"type": "integer", "description": "How many days."}
    },
    "required": ["city", "days"],
    "additionalProperties": false
  }

send
  Send a letter.
  {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": false
  }

info TOOL03 undocumented-parameter  properties.text
    send: the parameter 'text' has no description
    Write it in the docstring, or as Annotated[…, "what text is"].
""")


def test_json(run: Run) -> None:
    """A line for each tool and each finding, and nothing else, whatever the module prints."""
    ended = run("tools", module(GOOD + "print('loading')\n"), "--json")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [(line["type"], line["name"]) for line in lines] == [
        ("tool", "get_weather"),
        ("tool", "send"),
        ("finding", "undocumented-parameter"),
    ]
    assert (lines[0]["options"], lines[1]["options"]) == ({"read_only": True, "timeout_s": 5}, {})
    assert lines[2]["severity"] == "info"
    assert "loading" in ended.err


def test_the_schema_can_be_copied(run: Run) -> None:
    """As printed it is JSON."""
    out = run("tools", f"{module(GOOD)}:get_weather").out
    assert json.loads(out.partition("city.\n")[2])["required"] == ["city", "days"]


def test_one_name(run: Run) -> None:
    """A tool, a list of them, a node."""
    name = module(GOOD + "from holter.graph import ToolNode\nnode = ToolNode([send])\nby_name = {'s': send}\n")
    for spec, found in (
        (f"{name}:send", ["send"]),
        (f"{name}:both", ["get_weather", "send"]),
        (f"{name}:node", ["send"]),
        (f"{name}:by_name", ["send"]),
    ):
        lines = [json.loads(line) for line in run("tools", spec, "--json").out.splitlines()]
        assert [line["name"] for line in lines if line["type"] == "tool"] == found


def test_errors_exit_with_one(run: Run) -> None:
    """A name that providers refuse; warnings do not."""
    warned = run("tools", module("from holter.tools import tool\n@tool\ndef a() -> str: ...\n"))
    assert (warned.code, "warning TOOL02 no-description" in warned.out) == (0, True)
    refused = run("tools", module('from holter.tools import tool\n@tool("查询 天气")\ndef a() -> str:\n    "天气"\n', "other.py"))
    assert (refused.code, "error NAME02 name-charset" in refused.out) == (1, True)


def test_modules_and_packages(run: Run) -> None:
    """By a dotted name, as a file that imports from its package, as a file named like another module."""
    module("", "shop/__init__.py")
    module("from .names import NAME\nfrom holter.tools import tool\n@tool(NAME)\ndef a() -> str:\n    'A.'\n", "shop/tools.py")
    module("NAME = 'from_package'\n", "shop/names.py")
    assert run("tools", "shop/tools.py").out.startswith("from_package")
    assert run("tools", "shop.tools").out.startswith("from_package")
    assert run("tools", module(GOOD, "json.py")).out.startswith("get_weather")
    assert json.loads("1") == 1
    assert sys.modules["json"] is json


def test_nothing_is_run_but_the_import(run: Run) -> None:
    """No tool, no `__main__`, nothing that an object does when it is looked at."""
    text = """
from holter.tools import tool

class Proxy:
    @property
    def __class__(self):
        raise RuntimeError("looked at")
    def __getattr__(self, name):
        raise RuntimeError("looked at")
    def __iter__(self):
        raise RuntimeError("looked at")

proxy = Proxy()

def __getattr__(name):
    raise RuntimeError("asked for")

@tool
def explode() -> str:
    "Explodes."
    raise RuntimeError("run")

if __name__ == "__main__":
    raise RuntimeError("main")
"""
    assert run("tools", module(text)).code == 0
    assert run("tools", "my_tools.py:missing").err == "holter: my_tools.py:missing: there is no 'missing'; the tools there are: explode\n"


@pytest.mark.parametrize(
    ("text", "spec", "said"),
    [
        (None, "missing.py", "missing.py: there is no such file"),
        (None, "missing_module", "there is no module 'missing_module' here, and no file of this name"),
        (None, "json.missing", "there is no module 'json.missing' here"),
        (None, ".", ". is a folder; name a file in it"),
        (None, "no such/thing", "'no such/thing' is neither a file nor the name of a module"),
        (None, "log.json", "log.json is no Python file; its name has to end in .py"),
        (None, "", "'' is neither a file nor the name of a module"),
        (GOOD, "my_tools.py:nope", "there is no 'nope'; the tools there are: get_weather, send, both"),
        (GOOD, "my_tools.py:number", "number is no tool, no list of tools and no ToolNode, but of type int"),
        ("x = 1\n", "my_tools.py", "there are no tools; make one with"),
        ("", "my_tools.py:a", "there is no 'a'; the tools there are: none"),
        ("def f(:\n", "my_tools.py", "my_tools.py:1: "),
        ("import missing_dependency\n", "my_tools.py", "my_tools.py needs the module 'missing_dependency', which is not installed here"),
        ("1 / 0\n", "my_tools.py", "my_tools.py:1: ZeroDivisionError: division by zero"),
        ("\nraise ValueError('a\\nb')\n", "my_tools.py", "my_tools.py:2: ValueError: a b"),
        ("import sys\nsys.exit(3)\n", "my_tools.py", "my_tools.py ended the process while it was loaded (exit code 3)"),
        (
            "from holter.tools import tool\n@tool\ndef f(runtime): ...\n",
            "my_tools.py",
            "TypeError: tool 'f': the parameter 'runtime' has no type",
        ),
        ("from holter.tools import nope\n", "my_tools.py", "my_tools.py:1: ImportError: cannot import name 'nope'"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", "my_tools.py", "my_tools.py:3: E\n"),
    ],
)
def test_what_cannot_be_loaded(run: Run, text: str | None, spec: str, said: str) -> None:
    """One sentence that says what and where; exit code 2."""
    if text is not None:
        module(text)
    ended = run("tools", spec)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert "bug" not in ended.err


def test_in_a_process_of_its_own() -> None:
    """As a person calls it."""
    ended = run_apart("tools", module(GOOD), COLUMNS="80")
    assert (ended.code, ended.err, ended.out.splitlines()[0]) == (0, "", "get_weather  read_only=True, timeout_s=5")
