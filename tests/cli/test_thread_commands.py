"""Threads on the command line: kept by `run` and `chat`, and shown, gone on with, branched off and watched by others."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holter import HumanMessage, SQLiteJournal
from holter.cli.choice import choose
from holter.cli.recording import say_how_to_go_on
from holter.journal.event import RunStarted, ToolStarted
from holter.journal.here import here
from tests.cli.conftest import Run
from tests.cli.programs import terminal

ASKING = '''
import time
from holter import Agent, AIMessage, ScriptedModel, tool

@tool(needs_approval=True)
def delete(name: str) -> str:
    """Deletes."""
    return f"{name} is gone"

def answer(request):
    if request.messages[-1].type == "tool":
        return AIMessage("All done.")
    said = request.messages[-1].text
    if said == "wait":
        time.sleep(1)
    if said in ("go", "both"):
        names = ["a", "b"] if said == "both" else ["a"]
        return AIMessage("", tool_calls=[{"name": "delete", "args": {"name": n}, "id": n, "type": "tool_call"} for n in names])
    return AIMessage(f"You said {said}.")

agent = Agent(ScriptedModel(answer), tools=[delete])
'''


SLOW = '''
import time
from holter import Agent, AIMessage, ScriptedModel, tool

@tool
def send() -> str:
    """Sends."""
    time.sleep(60)
    return "sent"

call = {"name": "send", "args": {}, "id": "s", "type": "tool_call"}
model = ScriptedModel(lambda request: AIMessage("Done.") if len(request.messages) > 1 else AIMessage("", tool_calls=[call]))
agent = Agent(model, [send])
'''


def program() -> str:
    """The program, in the working folder."""
    Path("asking.py").write_text(ASKING, "utf-8")
    return "asking.py"


def test_a_run_is_kept(run: Run) -> None:
    """In a file that only its owner reads, out of Git's sight; the next run of the thread goes on with it."""
    assert run("run", program(), "one", "--thread", "t").code == 0
    assert os.stat(".holter/journal.db").st_mode & 0o777 == 0o600
    assert Path(".holter/.gitignore").read_text("utf-8") == "*\n"
    assert "You said two." in run("run", "asking.py", "two", "--thread", "t").out
    shown = run("show", "t").out
    assert [text in shown for text in ("one", "You said one.", "two", "You said two.")] == [True] * 4
    assert json.loads(run("show", "t", "--json").out)["format"] == "holter.journal"


def test_where_it_is_kept(run: Run) -> None:
    """Where the option says, or the environment."""
    assert run("run", program(), "one", "--thread", "t", "--journal", "here.db").code == 0
    assert Path("here.db").exists()
    assert not Path(".holter").exists()
    os.environ["HOLTER_JOURNAL"] = "there.db"
    try:
        assert run("run", "asking.py", "one", "--thread", "u").code == 0
        assert "You said one." in run("show", "u").out
    finally:
        del os.environ["HOLTER_JOURNAL"]
    assert run("show", "u").code == 2
    assert "You said one." in run("show", "t", "--journal", "here.db").out


def test_a_question_is_answered_later(run: Run) -> None:
    """By another process, which shows what came since."""
    hint = "holter: answer with: holter resume asking.py t; away from a terminal, add --answer a=…\n"
    assert run("run", program(), "go", "--thread", "t").err.endswith(hint)
    ended = run("resume", "asking.py", "t", "y")
    assert ended.code == 0
    assert ended.out.count("a is gone") == 1
    assert "answers no call" not in ended.out
    assert "All done." in ended.out
    assert run("resume", "asking.py", "t", "y").code == 2


def test_several_questions_are_answered_by_key(run: Run) -> None:
    """In any order, one by one."""
    run("run", program(), "both", "--thread", "t")
    ended = run("resume", "asking.py", "t", "y")
    assert ended.code == 2
    assert "2 questions are open; answer by key: --answer a=… --answer b=…" in ended.err
    assert run("resume", "asking.py", "t", "--answer", "b=n").code == 1
    ended = run("resume", "asking.py", "t", "--answer", "a=y", "--json")
    assert ended.code == 0
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert [event["message"]["content"] for event in events if event["kind"] == "message"] == ["a is gone", "All done."]
    run("run", "asking.py", "both", "--thread", "u")
    assert "nobody asked 'x'" in run("resume", "asking.py", "u", "--answer", "x=y").err
    assert run("resume", "asking.py", "nobody").err == "holter: there is no thread 'nobody'; `holter threads` lists them\n"


def test_a_fork(run: Run) -> None:
    """Shares the beginning, and goes its own way."""
    run("run", program(), "go", "--thread", "t")
    length = json.loads(run("threads", "--json").out)["events"]
    assert run("fork", "t").out == f"t@{length}\n"
    assert run("fork", "t", "4", "mine").out == "mine\n"
    assert run("fork", "t", "4", "mine").err == "holter: there is a thread 'mine' already; give the fork another name\n"
    assert run("fork", "t", "4", "").err.startswith("holter: a thread's id is a text")
    assert run("fork", "t", "400").err == f"holter: thread 't' has {length} events; it cannot be forked at 400\n"
    assert run("fork", "nobody").code == 2
    assert run("resume", "asking.py", f"t@{length}", "n").code in (0, 1)
    assert "is gone" not in run("show", "t").out


def test_a_thread_that_a_dead_worker_has(run: Run) -> None:
    """The way to take it is said; what became of its calls is asked, and asked again where the answer does not say it."""
    program()
    Path("slow.py").write_text(SLOW, "utf-8")
    with subprocess.Popen([sys.executable, "-m", "holter", "run", "slow.py", "go", "--thread", "t"], stdout=subprocess.DEVNULL) as worker:
        while not run("threads", "--tool", "send", "--json").out:
            time.sleep(0.05)
        worker.kill()
    ended = run("resume", "slow.py", "t")
    assert ended.code == 2
    assert ended.err.endswith("Wait until it ends, or take the thread over with --takeover\n")
    assert run("resume", "slow.py", "t", "--takeover").err == (
        "holter: 1 question is open: send was started and nobody knows what it did: again, its result, or fail? (s~1)\n"
        "holter: answer with: holter resume slow.py t; away from a terminal, add --answer 's~1'=…\n"
    )
    with terminal("resume", "slow.py", "t") as person:
        person.wait_for("What became of it?")
        person.type("it was sent\n")
        person.wait_for("does not say what became of the call")
        person.type('{"result": "it was sent"}\n')
        assert person.code() == 0
    assert "← it was sent" in run("show", "t").out


def test_watching_somebody_else(run: Run) -> None:
    """What stands there and what comes, until the run ends."""
    run("run", program(), "one", "--thread", "t")
    assert "You said one." in run("watch", "t").out
    with subprocess.Popen(
        [sys.executable, "-m", "holter", "run", "asking.py", "wait", "--thread", "t"], stdout=subprocess.DEVNULL
    ) as other:
        while "wait" not in run("show", "t").out:
            time.sleep(0.05)
        events = [json.loads(line) for line in run("watch", "t", "--from", "5", "--json").out.splitlines()]
        assert other.wait(30) == 0
    assert events[0]["seq"] == 5
    assert events[-1]["kind"] == "run_ended"
    assert run("watch", "nobody").code == 2


def test_watching_a_thread_that_nobody_drives(run: Run) -> None:
    """A fork of a run that goes on has no run of its own; of one whose worker is long gone it is said."""
    began = time.time() - 60
    with SQLiteJournal("j.db", clock=lambda: began) as journal:
        here(journal, lambda journal: journal.append("t", 0, [RunStarted(run="r"), ToolStarted(call_id="c", name="f")]))
        here(journal, lambda journal: journal.fork("t", 2, "u"))
    assert len(run("watch", "u", "--json", "--journal", "j.db").out.splitlines()) == 3
    ended = run("watch", "t", "--json", "--journal", "j.db")
    assert (ended.code, len(ended.out.splitlines())) == (0, 2)
    assert ended.err == "holter: nobody drives thread 't' any more; `holter resume PROGRAM t` goes on with it\n"


def test_a_password_is_not_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In the command that goes on with a thread; and nothing of what the environment says anyway."""
    chosen = choose(program())
    chosen.compiled.invoke({"messages": [HumanMessage("go")]}, thread="t")
    hint = "holter: answer with: holter resume p.py t{}; away from a terminal, add --answer a=…\n"
    say_how_to_go_on(chosen, "p.py", "t", "postgresql://ann:secret@db/x")
    assert capsys.readouterr().err == hint.format(" --journal 'postgresql://ann:…@db/x'")
    monkeypatch.setenv("HOLTER_JOURNAL", "postgresql://ann:secret@db/x")
    say_how_to_go_on(chosen, "p.py", "t", "postgresql://ann:secret@db/x")
    assert capsys.readouterr().err == hint.format("")


def test_nested_threads_are_not_listed(run: Run) -> None:
    """Unless they are asked for."""
    Path("nested.py").write_text(
        "from holter import Agent, AIMessage, ScriptedModel\nfrom asking import agent as inner\n"
        'call = {"name": "asker", "args": {"prompt": "hi"}, "id": "c", "type": "tool_call"}\n'
        'model = ScriptedModel([AIMessage("", tool_calls=[call]), AIMessage("end")])\n'
        'agent = Agent(model, tools=[inner.as_tool(name="asker")])\n',
        "utf-8",
    )
    program()
    assert run("run", "nested.py:agent", "go", "--thread", "t").code == 0
    assert [json.loads(line)["id"] for line in run("threads", "--json").out.splitlines()] == ["t"]
    assert len(run("threads", "--json", "--nested").out.splitlines()) == 2


def test_lines_of_the_journal_are_a_log(run: Run) -> None:
    """Those of a run, and those of an export."""
    ended = run("run", program(), "one", "--thread", "t", "--json")
    Path("run.jsonl").write_text(ended.out, "utf-8")
    run("threads", "export", "-o", "export.jsonl")
    for name in ("run.jsonl", "export.jsonl"):
        shown = json.loads(run("show", name, "--json").out)
        assert shown["format"] == "holter.journal"
        assert [message["content"] for message in shown["messages"]] == ["one", "You said one."]
        assert shown["findings"] == []


def test_where_nothing_can_be_written(run: Run) -> None:
    """The run goes on without being kept, and says so."""
    Path(".holter").write_text("in the way", "utf-8")
    ended = run("run", program(), "one")
    assert ended.code == 0
    assert "the thread is not kept" in ended.err
