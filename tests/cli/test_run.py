"""`holter run`: what a person and a program see of a run."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import Run, run_apart
from tests.cli.programs import AGENT, ASKING, BROKEN, INPUT, PLAIN, SLOW, TEAM, program, terminal, timeless
from tests.models.server import deltas, says_events, serving

pytestmark = pytest.mark.usefixtures("forgotten")


def test_an_agent(run: Run) -> None:
    """Its flow, as `holter show` lays it out; then what it came to. What the program prints goes to standard error."""
    ended = run("run", program(AGENT), "明天北京的天气怎么样？🌤️")
    assert timeless(ended.out) == snapshot("""\
  0 human                                                               12:00:00
    明天北京的天气怎么样？🌤️

  1 ai · fake-1 · 30 in · 12 out (5 reasoning)                          12:00:00
    我查一下。
    → get_weather(city="北京")
  2 ← 北京：晴 ☀️，14–22 °C                                             12:00:00

  3 ai · 42 in · 8 out                                                  12:00:00
    明天是晴天。

done · 2 steps · 1 call · 92 tokens: 72 in, 20 out (5 reasoning) · fake-1
0.0 s
""")
    assert (ended.code, ended.err) == (0, "loading\nasking the weather service\n")


def test_a_graph_without_messages(run: Run) -> None:
    """Its nodes and what they wrote, then the whole state."""
    ended = run("run", program(PLAIN), '{"topic": "猫"}', "--context", "style=poetic")
    assert (ended.code, ended.err) == (0, "")
    head, tail = timeless(ended.out).split("\nstate\n")
    left, right = '    left  lines=["left"]\n', '    right  lines=["right"]\n'
    assert head.count(right) == 1
    head = head.replace(right, "").replace(left, left + right)  # they run beside each other, and the first to end comes first
    assert head == snapshot("""\
    plan  lines=["猫 in poetic style"]
    » {"progress": 0.5}
    left  lines=["left"]
    right  lines=["right"]
    write
      text:
        line 0
        line 1
        line 2
        line 3
        line 4
        line 5
        line 6
        line 7
        line 8
        line 9
        line 10
        line 11
        line 12
        line 13
        line 14
      … 15 more lines (--full)
""")
    assert "line 29" in tail
    assert tail.endswith("\ndone · 3 steps · 0.0 s\n")


def test_a_run_inside_a_run(run: Run) -> None:
    """Behind a bar; what becomes the outer run's is not shown twice."""
    ended = run("run", f"{program(TEAM)}:team", "How are cats?")
    assert timeless(ended.out) == snapshot("""\
  0 human                                                               12:00:00
    How are cats?
    │ research
    │   1 ai researcher                                                 12:00:00
    │     Cats sleep sixteen hours a day.
  1 as above

  2 ai                                                                  12:00:00
    They sleep a lot.

done · 2 steps · 0 calls · 0.0 s
""")


def test_json(run: Run) -> None:
    """One event a line and nothing else."""
    ended = run("run", program(AGENT), "hi", "--json")
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert [event["kind"] for event in events] == snapshot(
        ["run_started", "message", "model_started", "message", "tool_started", "message", "model_started", "message", "run_ended"]
    )
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert events[-1]["status"] == "done"
    assert events[1]["message"]["content"] == "hi"
    assert (ended.code, ended.err) == (0, "loading\nasking the weather service\n")


def test_json_of_a_run_inside(run: Run) -> None:
    """Its events say where they stand."""
    ended = run("run", f"{program(TEAM)}:team", "hi", "--json")
    inside = [json.loads(line).get("inside") for line in ended.out.splitlines()]
    assert {tuple(each) for each in inside if each} == {("research:1.0",)}


def test_the_prompt_on_standard_input() -> None:
    """`-` reads it; the last newline is none of it."""
    ended = run_apart("run", program(AGENT), "-", "--json", stdin="今天？\n".encode())
    assert json.loads(ended.out.splitlines()[1])["message"]["content"] == "今天？"
    assert run_apart("run", program(AGENT), "-", stdin=b"\n").err == "loading\nholter: the prompt is empty (see holter run --help)\n"


def test_open_questions(run: Run) -> None:
    """Where nobody can answer, the run ends and says what is open."""
    ended = run("run", program(ASKING), "hi", "--thread", "t")
    assert ended.code == 1
    assert "waits for an answer" in ended.out
    assert timeless(ended.out).endswith("\ninterrupted · 1 step · 2 calls · 0.0 s\n")
    assert ended.err == (
        'holter: 2 questions are open: may delete run? (d1); {"which": ["湖畔居", "断桥驿"]} (c1)\n'
        "holter: answer with: holter resume my_program.py t; away from a terminal, add --answer d1=… --answer c1=…\n"
    )


def test_questions_at_a_terminal() -> None:
    """They are asked, and the run goes on with the answers."""
    with terminal("run", program(ASKING), "hi") as person:
        person.wait_for("May this run?")
        person.wait_for("answer (y, n, JSON or text): ")
        person.type("y\n")
        person.wait_for("断桥驿")
        person.type("湖畔居\n")
        person.wait_for("For how many nights?")
        person.type("3\n")
        assert person.code() == 0
    assert "a.txt is gone | 湖畔居, 3 nights" in person.shown
    assert "done · 2 steps · 2 calls" in person.shown


def test_a_reason_in_place_of_an_approval() -> None:
    """Text says why not; Ctrl-D leaves the question open."""
    with terminal("run", program(ASKING), "hi") as person:
        person.wait_for("answer (y, n, JSON or text): ")
        person.type("keep it\n")
        person.wait_for("answer (y, n, JSON or text): ", times=2)
        person.type("\x04")
        assert person.code() == 1
    assert "questions are open" in person.shown


def test_an_answer_that_is_no_clear_yes_or_no() -> None:
    """Is asked for again."""
    with terminal("run", program(ASKING), "hi") as person:
        person.wait_for("answer (y, n, JSON or text): ")
        person.type("1\n")
        person.wait_for("is no clear yes or no")
        person.wait_for("answer (y, n, JSON or text): ", times=2)
        person.type("Approve\n")
        person.wait_for("断桥驿")
        person.type("湖畔居\n")
        person.wait_for("For how many nights?")
        person.type("3\n")
        assert person.code() == 0
    assert "a.txt is gone | 湖畔居, 3 nights" in person.shown


def test_ctrl_c_at_a_question() -> None:
    """It is left open, as by Ctrl-D."""
    with terminal("run", program(ASKING), "hi") as person:
        person.wait_for("answer (y, n, JSON or text): ")
        time.sleep(0.3)  # one that comes between the prompt and the wait for a key is seen with the next key
        person.interrupt()
        assert person.code() == 1
    assert "2 questions are open" in person.shown


def test_a_tool_that_asks_by_itself() -> None:
    """What it asks with `input` stays to be seen while it waits."""
    with terminal("run", program(INPUT), "hi") as person:
        person.wait_for("Your name? ")
        time.sleep(0.8)  # the line below would come four times a second
        person.type("Ann\n")
        assert person.code() == 0
    assert "Your name? " in person.shown
    assert "  2 ← called Ann" in person.shown


def test_it_streams_at_a_terminal() -> None:
    """The head comes before the answer, and what it cost after it."""
    with terminal("run", program(AGENT), "hi") as person:
        assert person.code() == 0
    shown = person.shown.replace("asking the weather service\n", "")  # a thread prints that while others write
    assert timeless(shown) == snapshot("""\
loading
  0 human                                                               12:00:00
    hi

  1 ai · fake-1
    我查一下。
    30 in · 12 out (5 reasoning)                                        12:00:00
    → get_weather(city="北京")
  2 ← 北京：晴 ☀️，14–22 °C                                             12:00:00

  3 ai
    明天是晴天。
    42 in · 8 out                                                       12:00:00

done · 2 steps · 1 call · 92 tokens: 72 in, 20 out (5 reasoning) · fake-1
0.0 s
""")


@pytest.mark.parametrize(
    ("name", "code", "status", "said"),
    [
        (
            "failing",
            1,
            "failed",
            "my_program.py:8: ValueError: the service said no to sk-abcdefghijklmnop1234 (in node 'boom'); --traceback",
        ),
        ("wronging", 1, "failed", "node 'wrong' returned int: 5; a node returns a dict"),
        ("looping", 1, "limit", "the graph was stopped after 1000 steps, before wrong; raise the limit"),
        ("repeating", 1, "limit", "again was called 5 times in a row with the same arguments"),
        ("silent", 1, "failed", "the script of scripted is over after 0 answers"),
        ("unfinished", 2, "", "the graph has no beginning; add_edge(START, name)"),
    ],
)
def test_runs_that_do_not_come_to_their_end(run: Run, name: str, code: int, status: str, said: str) -> None:
    """One sentence says what happened, where, and what to do."""
    ended = run("run", f"{program(BROKEN)}:{name}", "hi")
    assert (ended.code, ended.err.count("\n")) == (code, 1)
    assert said in ended.err
    assert status in (ended.out.splitlines() or [""])[-1]
    assert "Traceback" not in ended.err + ended.out


def test_traceback(run: Run) -> None:
    """When it is asked for, before the sentence."""
    ended = run("run", f"{program(BROKEN)}:failing", "hi", "--traceback")
    assert ended.err.startswith("Traceback")
    assert ended.err.splitlines()[-1] == (
        "holter: my_program.py:8: ValueError: the service said no to sk-abcdefghijklmnop1234 (in node 'boom')"
    )


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_redacted(run: Run, form: list[str]) -> None:
    """No secret of the conversation, of an error or of its traceback is shown."""
    secret = "sk-abcdefghijklmnop1234"
    ended = run("run", f"{program(BROKEN)}:failing", f"my key is {secret}", "--traceback", "--redact", *form)
    assert secret not in ended.out + ended.err
    assert "[redacted]" in ended.out
    content = run("run", f"{program(BROKEN)}:failing", "some words", "--redact=content", *form)
    assert "some words" not in content.out
    assert "so good" not in content.out
    assert "the service" not in content.err


def test_ctrl_c() -> None:
    """The run is cancelled, its calls are closed, and the process ends at once."""
    command = [sys.executable, "-m", "holter", "run", program(SLOW), "hi"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    while "→ wait()" not in (process.stdout.readline() or "→ wait()"):
        pass
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "wait was started, and the run was" in " ".join(out.split())
    assert out.splitlines()[-1].startswith("cancelled · 1 step")
    assert err == "holter: the run was cancelled; its history is valid\n"


def test_wrong_usage(run: Run) -> None:
    """A sentence and exit code 2."""
    plain, agent = program(PLAIN, "plain.py"), program(AGENT, "agent.py")
    for args, said in (
        ((agent,), "Missing argument 'PROMPT'"),
        ((agent, " "), "the prompt is empty"),
        ((plain, "cats"), "the state of the graph holds no messages: give a JSON object with some of its fields (topic, lines, text)"),
        ((plain, '{"theme": 1}'), "(topic, lines, text, not 'theme')"),
        ((plain, '{"topic": "cats"}', "--context", '{"style": [1]}'), "--context does not make a Context: ValidationError: Expected `str`"),
        ((agent, "hi", "--context", "x"), "--context takes KEY=VALUE or a JSON object, found 'x'"),
        (("missing.py", "hi"), "missing.py: there is no such file"),
    ):
        ended = run("run", *args)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err
        assert "bug" not in ended.err


def test_state_as_json(run: Run) -> None:
    """A prompt that is an object of the state's fields is the state; any other is what the person says."""
    state = json.dumps({"messages": [{"role": "user", "content": "hello"}]})
    for prompt, content in ((state, "hello"), ('{"city": "北京"}', '{"city": "北京"}')):
        ended = run("run", program(AGENT), prompt, "--json")
        assert json.loads(ended.out.splitlines()[1])["message"]["content"] == content


def test_long_results(run: Run) -> None:
    """They are cut, as `holter show` cuts them; answers are whole; --full shows all."""
    text = '''
from holter import Agent, ScriptedModel, tool
@tool
def lines() -> str:
    """Many lines."""
    return "\\n".join(f"row {n}" for n in range(60))
agent = Agent(ScriptedModel([[{"name": "lines", "args": {}}], "\\n".join(f"line {n}" for n in range(60))]), tools=[lines])
'''
    out = run("run", program(text), "hi").out
    assert ("row 59" in out, "line 59" in out, "more lines (--full)" in out) == (False, True, True)
    assert "row 59" in run("run", program(text), "hi", "--full").out


def test_another_model(run: Run) -> None:
    """Asked in place of the agent's own."""
    with serving(says_events(deltas({"content": "Hello from the wire"}))) as server:
        ended = run("run", program(AGENT), "hi", "--model", f"{server.url}/v1#m-1")
    assert (ended.code, "Hello from the wire" in ended.out) == (0, True)
    assert "--model nobody:x: there is no provider" in run("run", program(AGENT), "hi", "--model", "nobody:x").err


def test_why_a_leaked_call_is_asked_about() -> None:
    """The event and the question say it; a tool without effects is run."""
    source = """
from holter import Agent, ScriptedModel, tool

@tool
def delete(path: str) -> str:
    '''Delete a file.'''
    return "gone"

agent = Agent(ScriptedModel(['<tool_call>{"name": "delete", "arguments": {"path": "a.txt"}}</tool_call>', "ok"]), [delete])
"""
    with terminal("run", program(source), "delete it") as person:
        person.wait_for("(the call stood as markup in the answer's text")
        person.type("n\n")
        assert person.code() == 0
    assert "repaired (LEAK01): A call of delete stood in the text" in " ".join(person.shown.split())
    assert "a person declined it" in " ".join(person.shown.split())
