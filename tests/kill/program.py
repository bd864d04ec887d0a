"""A run that dies and goes on: three rounds of parallel tools, among them one with an effect and one that needs approval."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

from holter import Agent, AIMessage, Interrupt, ScriptedModel, ToolRuntime, tool
from holter.journal.journal import Journal
from holter.models import ModelRequest

THREAD = "t"
PROMPT = "Tell everybody."
ROUNDS = 3
EFFECTS = "effects"
"""The file to which the tools with an effect append the id of their call."""
APPENDS = "appends"
"""The file to which a worker writes how often it appended."""


def effects(folder: Path) -> list[str]:
    """The calls whose effect took place, as often as it did."""
    file = folder / EFFECTS
    return file.read_text().split() if file.exists() else []


def agent_in(folder: Path, journal: Journal | None) -> Agent:
    """The agent, whose effects go to a file of the folder."""

    def happen(runtime: ToolRuntime) -> None:
        with (folder / EFFECTS).open("a") as file:
            file.write(f"{runtime.tool_call_id}\n")
        time.sleep(0.001)

    @tool(idempotent=True)
    async def look_up(city: str) -> str:
        """Look something up."""
        await asyncio.sleep(0.001)
        return f"{city}: 20 °C"

    @tool
    def send(text: str, runtime: ToolRuntime) -> str:
        """Send something, which cannot be called back."""
        happen(runtime)
        return "sent"

    @tool(needs_approval=True)
    async def publish(text: str, runtime: ToolRuntime) -> str:
        """Publish something, which somebody has to allow."""
        await asyncio.sleep(0)
        happen(runtime)
        return "published"

    return Agent(ScriptedModel(_answer), tools=[look_up, send, publish], journal=journal, name="teller")


def _answer(request: ModelRequest) -> AIMessage:
    number = sum(isinstance(message, AIMessage) for message in request.messages)
    if number == ROUNDS:
        return AIMessage("Everybody knows.", id="end")
    wanted: list[tuple[str, dict[str, Any]]] = [("look_up", {"city": "Hangzhou"}), ("send", {"text": f"round {number}"})]
    if number == 1:
        wanted.append(("publish", {"text": "news"}))
    wanted.append(("look_up", {"city": "北京"}))
    calls = [{"name": name, "args": args, "id": f"c{number}-{at}", "type": "tool_call"} for at, (name, args) in enumerate(wanted)]
    return AIMessage(f"Round {number}.", tool_calls=calls, id=f"a{number}")


def answer_to(asked: Interrupt, folder: Path) -> Any:
    """What a person says who can look at the effects."""
    if asked.value["type"] == "approval":
        return True
    happened = asked.value["tool_call_id"] in effects(folder)
    results = {"send": "sent", "publish": "published"}
    return {"result": results[asked.value["tool"]]} if happened else "again"


def work(agent: Agent, folder: Path) -> None:
    """Drives the thread to its end, from wherever it stands."""
    state = agent.compiled.get_state(thread=THREAD)
    if state.metadata["status"] == "new":
        run = agent.run(PROMPT, thread=THREAD, takeover=True)
    elif state.interrupts:
        run = agent.resume(THREAD, {asked.id: answer_to(asked, folder) for asked in state.interrupts}, takeover=True)
    else:
        run = agent.run(None, thread=THREAD, takeover=True)
    while run.status == "interrupted":
        run = agent.resume(THREAD, {asked.id: answer_to(asked, folder) for asked in run.interrupts}, takeover=True)
    assert run.status == "done", run


def dies_at(journal: Any, at: int | None, *, is_after: bool, folder: Path) -> Any:
    """The journal, in which the process kills itself before or after the append of this number, from 0; never for None."""
    append = journal.append_here
    count = 0

    def counted(*given: Any) -> int:
        nonlocal count
        number, count = count, count + 1
        if number == at and not is_after:
            os.kill(os.getpid(), 9)
        length: int = append(*given)
        if number == at:
            os.kill(os.getpid(), 9)
        (folder / APPENDS).write_text(str(count))
        return length

    journal.append_here = counted
    return journal
