"""Holter's own runtime: an agent that is asked turn by turn, in a journal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.corpus import scene as said
from benchmarks.corpus.scene import Scene
from holter import formats
from holter.agent import Agent
from holter.analysis.lint import lint_thread
from holter.journal import Entry, MemoryJournal
from holter.messages import AIMessage, Conversation, Finding
from holter.models import Answer, ModelRequest, ScriptedModel
from holter.tools import Tool, tool
from holter.tools.drive import drive

FORMS = ("openai.chat", "openai.responses", "anthropic.messages", "gemini.contents", "langchain.json")
"""Every format that can be written."""

TOOLS: list[Tool] = [tool(function) for function in (said.get_weather, said.find_hotels, said.convert_currency)]


def threads(scenes: list[Scene]) -> Iterator[tuple[Conversation, list[Finding]]]:
    """Each run's messages, with the tools that were offered; and what `lint_thread` finds in its journal."""
    for scene in scenes:
        entries, conversation = thread(scene)
        yield conversation, lint_thread(entries, tools=TOOLS)


def thread(scene: Scene) -> tuple[list[Entry], Conversation]:
    """The events and the messages of one run."""
    journal = MemoryJournal()
    agent = Agent(ScriptedModel(_model(scene), name="played"), TOOLS, journal=journal, system=said.SYSTEM)
    runs = [agent.run(turn, thread=scene.name) for turn in scene.turns]
    if odd := [run for run in runs if run.status != "done"]:
        raise SystemExit(f"{scene.name} ended {odd[0].status}: {odd[0].error or odd[0].limit}")
    specs = [one.spec for one in TOOLS]
    conversation = Conversation(format="openai.chat", messages=runs[-1].messages, tools=specs, tools_known=True)
    return drive(journal.read(scene.name, 0)), conversation


def _model(scene: Scene) -> Any:
    def answer(request: ModelRequest) -> Answer:
        made = scene.answer(sum(isinstance(message, AIMessage) for message in request.messages))
        calls = [{"name": call.name, "args": call.args, "id": call.id, "type": "tool_call"} for call in made.calls]
        usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
        metadata = {"finish_reason": "tool_calls" if calls else "stop", "model_name": "played"}
        return Answer(AIMessage(made.text, tool_calls=calls, usage_metadata=usage, response_metadata=metadata))

    return answer


def documents(conversation: Conversation) -> Iterator[tuple[str, Any]]:
    """(name, document) of a run in every format that can be written."""
    for form in FORMS:
        yield f"Holter as {form}", formats.write(conversation, form).document
