"""Programs that the tests drive, and what makes their output the same every time."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

AGENT = '''
import time
from holter import Agent, AIMessage, HumanMessage, ScriptedModel, tool

@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    print("asking the weather service")
    return f"{city}：晴 ☀️，14–22 °C"

def says(request):
    if not isinstance(request.messages[-1], HumanMessage):
        return AIMessage("明天是晴天。", usage_metadata=usage(42, 8), response_metadata={"model_name": "fake-1"})
    call = {"name": "get_weather", "args": {"city": "北京"}, "id": f"c{len(request.messages)}", "type": "tool_call"}
    return AIMessage("我查一下。", tool_calls=[call], usage_metadata=usage(30, 12, 5), response_metadata={"model_name": "fake-1"})

def usage(given, made, thought=0):
    details = {"input_token_details": {}, "output_token_details": {"reasoning": thought} if thought else {}}
    return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made, **details}

print("loading")
agent = Agent(ScriptedModel(says, name="fake-1"), tools=[get_weather])
'''

ASKING = '''
from holter import Agent, AIMessage, HumanMessage, ScriptedModel, interrupt, tool

@tool(needs_approval=True)
def delete(path: str) -> str:
    """Delete a file."""
    return f"{path} is gone"

@tool
def choose() -> str:
    """Ask which one."""
    return f"{interrupt({'which': ['湖畔居', '断桥驿']})}, {interrupt('For how many nights?')} nights"

def called(name, call_id, **args):
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}

def says(request):
    if isinstance(request.messages[-1], HumanMessage):
        n = len(request.messages)
        return AIMessage("", tool_calls=[called("delete", f"d{n}", path="a.txt"), called("choose", f"c{n}")])
    return " | ".join(message.text for message in request.messages[-2:])

agent = Agent(ScriptedModel(says, usage=None), tools=[delete, choose])
'''

PLAIN = """
import operator
from dataclasses import dataclass
from typing import Annotated, TypedDict
from holter import END, START, Runtime, StateGraph, get_stream_writer

@dataclass
class Context:
    style: str = "plain"

class State(TypedDict):
    topic: str
    lines: Annotated[list[str], operator.add]
    text: str

def plan(state: State, runtime: Runtime[Context]):
    return {"lines": [f"{state['topic']} in {runtime.context.style} style" if runtime.context else state["topic"]]}

def left(state: State):
    get_stream_writer()({"progress": 0.5})
    return {"lines": ["left"]}

def right(state: State):
    return {"lines": ["right"]}

def write(state: State):
    return {"text": "\\n".join(f"line {n}" for n in range(30))}

builder = StateGraph(State, Context)
for node in (plan, left, right, write):
    builder.add_node(node)
builder.add_edge(START, "plan").add_edge("plan", "left").add_edge("plan", "right")
builder.add_edge(["left", "right"], "write").add_edge("write", END)
graph = builder.compile()
"""

TEAM = """
from holter import END, START, AIMessage, MessagesState, ScriptedModel, StateGraph

def researcher(state: MessagesState):
    return {"messages": [AIMessage("Cats sleep sixteen hours a day.", name="researcher")]}

def writer(state: MessagesState):
    return {"messages": [AIMessage("They sleep a lot.")]}

inner = StateGraph(MessagesState).add_node("look", researcher).add_edge(START, "look").add_edge("look", END)
outer = StateGraph(MessagesState).add_node("research", inner.compile()).add_node("write", writer)
outer.add_edge(START, "research").add_edge("research", "write").add_edge("write", END)
team = outer.compile()
"""

BROKEN = '''
from holter import END, START, Agent, AIMessage, MessagesState, ScriptedModel, StateGraph, tool

def fine(state: MessagesState):
    return {"messages": [AIMessage("So far, so good.")]}

def boom(state: MessagesState):
    raise ValueError("the service\\nsaid no to sk-abcdefghijklmnop1234")

def wrong(state: MessagesState):
    return 5

@tool
def again() -> str:
    """The same every time."""
    return "same"

def graph_of(*nodes):
    return StateGraph(MessagesState).add_sequence(nodes).set_entry_point(nodes[0].__name__)

failing = graph_of(fine, boom).compile()
wronging = graph_of(wrong).compile()
looping = StateGraph(MessagesState).add_node(wrong.__name__, lambda state: {}).add_edge(START, "wrong").add_edge("wrong", "wrong").compile()
calls = {"name": "again", "args": {}, "type": "tool_call"}
repeating = Agent(ScriptedModel(lambda request: AIMessage("", tool_calls=[{**calls, "id": f"c{len(request.messages)}"}])), tools=[again])
silent = Agent(ScriptedModel([]))
unfinished = StateGraph(MessagesState).add_node(fine)
'''

SLOW = '''
import time
from holter import Agent, AIMessage, ScriptedModel, tool

@tool
def wait() -> str:
    """Take a long time."""
    time.sleep(60)
    return "done"

agent = Agent(ScriptedModel([[{"name": "wait", "args": {}}]]), tools=[wait])
'''


INPUT = '''
import time
from holter import Agent, ScriptedModel, tool

@tool
def ask() -> str:
    """Ask for the name."""
    time.sleep(0.5)
    return "called " + input("Your name? ")

agent = Agent(ScriptedModel([[{"name": "ask", "args": {}}], "Fine."]), tools=[ask])
'''


def program(text: str, name: str = "my_program.py") -> str:
    """A file in the working folder."""
    Path(name).write_text(text, "utf-8")
    return name


def timeless(text: str) -> str:
    """The text without the times that differ from run to run."""
    return re.sub(r"\b\d+\.\d s\b", "0.0 s", re.sub(r"\b\d\d:\d\d:\d\d\b", "12:00:00", text))


_PATIENCE_S = 60.0


class Terminal:
    """A command at a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], end: int) -> None:
        self._process, self._end = process, end
        self._came = b""

    @property
    def shown(self) -> str:
        """All that came, as a terminal without colours shows it: lines that were taken back are gone."""
        text = self._came.decode("utf-8", "ignore").replace("\r\n", "\n")
        return re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", re.sub(r"[^\n]*\r\x1b\[K", "", text))

    def wait_for(self, text: str, times: int = 1) -> None:
        """Reads on until it is shown so often."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.shown.count(text) < times:
            assert time.monotonic() < deadline, f"{text!r} does not come:\n{self.shown}"
            self._read(1.0)

    def type(self, text: str) -> None:
        """Types it."""
        os.write(self._end, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def code(self) -> int:
        """The exit code, when it has ended."""
        deadline = time.monotonic() + _PATIENCE_S
        while self._read(0.2) or self._process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end:\n{self.shown}"
        return self._process.wait()

    def _read(self, timeout_s: float) -> bool:
        if not select.select([self._end], [], [], timeout_s)[0]:
            return False
        data = b""
        with suppress(OSError):  # the other end is closed
            data = os.read(self._end, 65_536)
        self._came += data
        return bool(data)


@contextmanager
def terminal(*args: str, columns: int = 80) -> Iterator[Terminal]:
    """The command, with a terminal for input and output."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"}
    process = subprocess.Popen(
        [sys.executable, "-m", "holter", *args], stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
