"""`holter chat`: several turns on one thread."""

import time

import pytest
from inline_snapshot import snapshot

from tests.cli.conftest import Run, run_apart
from tests.cli.programs import AGENT, ASKING, BROKEN, PLAIN, SLOW, program, terminal, timeless
from tests.models.server import chat, deltas, says_events, says_json, serving
from tests.models.test_gguf import path

pytestmark = pytest.mark.usefixtures("forgotten")


def test_turns_of_a_pipe() -> None:
    """Each line is a turn, empty ones are none; positions go on."""
    ended = run_apart("chat", program(AGENT), stdin="今天？\n\n明天？\n".encode(), COLUMNS="80")
    assert timeless(ended.out) == snapshot("""\
  0 human                                                               12:00:00
    今天？

  1 ai · fake-1 · 30 in · 12 out (5 reasoning)                          12:00:00
    我查一下。
    → get_weather(city="北京")
  2 ← 北京：晴 ☀️，14–22 °C                                             12:00:00

  3 ai · 42 in · 8 out                                                  12:00:00
    明天是晴天。

done · 2 steps · 1 call · 92 tokens: 72 in, 20 out (5 reasoning) · fake-1
0.0 s

  4 human                                                               12:00:00
    明天？

  5 ai · 30 in · 12 out (5 reasoning)                                   12:00:00
    我查一下。
    → get_weather(city="北京")
  6 ← 北京：晴 ☀️，14–22 °C                                             12:00:00

  7 ai · 42 in · 8 out                                                  12:00:00
    明天是晴天。

done · 2 steps · 1 call · 92 tokens: 72 in, 20 out (5 reasoning) · fake-1
0.0 s
""")
    assert (ended.code, ended.err) == (0, "loading\nasking the weather service\nasking the weather service\n")


def test_show_and_exit() -> None:
    """/show shows the thread so far; what stands behind /exit is not read."""
    ended = run_apart("chat", program(AGENT), stdin=b"hi\n/show\n/exit\nhi\n", COLUMNS="80")
    assert ended.out.count("\ndone · ") == 1
    assert "my_program.py · conversation 0 · holter.journal · 4 messages" in ended.out


def test_unknown_commands(run: Run) -> None:
    """They are said, and are no turn; a path is one."""
    ended = run_apart("chat", program(AGENT), stdin=b"/help\n/etc/hosts\n")
    assert "there is no /help; /exit or Ctrl-D ends the talk, /show shows it" in ended.err
    assert "/etc/hosts" in ended.out
    assert ended.code == 0


def test_questions_of_a_pipe() -> None:
    """The next lines answer; a question that nobody answers is said, and is exit code 1."""
    ended = run_apart("chat", program(ASKING), stdin="hi\ny\n湖畔居\n3\nagain\nn\n".encode())
    assert "a.txt is gone | 湖畔居, 3 nights" in ended.out
    assert "  answer: 湖畔居\n" in ended.out
    assert ended.out.count("May this run?") == 2
    assert (ended.code, ended.err.count("2 questions are open")) == (1, 1)


def test_a_turn_that_fails() -> None:
    """The next one goes on, on a valid thread; the exit code remembers it."""
    ended = run_apart("chat", f"{program(BROKEN)}:failing", stdin=b"one\ntwo\n")
    assert ended.err.count("ValueError: the service said no") == 2
    assert "  2 human" in ended.out
    assert ended.code == 1


def test_at_a_terminal() -> None:
    """What is typed is not shown again; Ctrl-C at the prompt begins the line anew, Ctrl-D ends the talk."""
    with terminal("chat", program(ASKING)) as person:
        person.wait_for("\n> ")
        person.type("hello\n")
        person.wait_for("answer (y, n, JSON or text): ")
        person.type("n\n")
        person.wait_for("断桥驿")
        person.type("断桥驿\n")
        person.wait_for("For how many nights?")
        person.type("2\n")
        person.wait_for("done · 2 steps")
        person.wait_for("\n> ", times=2)
        time.sleep(0.3)  # one that comes between the prompt and the wait for a key is seen with the next key
        person.interrupt()
        person.wait_for("> \n\n> ")
        person.type("\x04")
        assert person.code() == 0
    assert person.shown.count("hello") == 1
    assert "a person declined it" in person.shown


def test_ctrl_c_cancels_the_answer() -> None:
    """And the talk goes on."""
    with terminal("chat", program(SLOW)) as person:
        person.wait_for("\n> ")
        person.type("hello\n")
        person.wait_for("wait …")
        person.interrupt()
        person.wait_for("the run was cancelled; its history is valid\n\n> ")
        person.type("/exit\n")
        assert person.code() == 0


def test_ctrl_c_leaves_a_question_open() -> None:
    """The talk goes on with the next line, which is no answer then."""
    with terminal("chat", program(ASKING)) as person:
        person.wait_for("\n> ")
        person.type("hello\n")
        person.wait_for("answer (y, n, JSON or text): ")
        time.sleep(0.3)  # one that comes between the prompt and the wait for a key is seen with the next key
        person.interrupt()
        person.wait_for("2 questions are open")
        person.wait_for("\n> ", times=2)
        person.type("never mind\n")
        person.wait_for("answer (y, n, JSON or text): ", times=2)
        person.type("/exit\n")
        assert person.code() == 1
    assert "another request came first" in person.shown


def test_the_talk_can_be_ended_at_a_question() -> None:
    """Of a pipe, too."""
    ended = run_apart("chat", program(ASKING), stdin=b"hello\ny\n/exit\nmore\n")
    assert ended.code == 1
    assert "more" not in ended.out
    assert "2 questions are open" in ended.err


def test_redacted() -> None:
    """Questions and answers, too."""
    secret = "sk-abcdefghijklmnop1234"
    ended = run_apart("chat", program(ASKING), "--redact", stdin=f"my key is {secret}\nn\n{secret}\n1\n/show\n".encode())
    assert secret not in ended.out + ended.err
    assert "[redacted]" in ended.out


def test_a_state_without_messages(run: Run) -> None:
    """There is nothing to talk with."""
    ended = run("chat", program(PLAIN))
    assert (ended.code, ended.out) == (2, "")
    assert "holds no messages, so there is nothing to talk with; holter run takes its fields" in ended.err


def test_a_model_alone() -> None:
    """It talks without a program, on one thread; /show names it."""
    with serving(lambda asked: says_events(deltas({"content": f"{len(asked.json['messages'])} messages"}))) as server:
        ended = run_apart("chat", "--model", f"{server.url}/v1#m-1", stdin=b"hi\nagain\n/show\n")
    assert (ended.code, ended.err) == (0, "")
    assert "1 messages" in ended.out
    assert "3 messages" in ended.out
    assert f"{server.url}/v1#m-1" in ended.out


def test_another_model_for_a_program() -> None:
    """The agent's tools are offered to it."""
    with serving(lambda asked: says_events(deltas({"content": "Hello"})) if asked.json.get("stream") else says_json(chat())) as server:
        ended = run_apart("chat", program(AGENT), "--model", f"{server.url}/v1#m-1", stdin=b"hi\n")
        [asked] = server.requests
    assert ended.code == 0
    assert "Hello" in ended.out
    assert [tool["function"]["name"] for tool in asked.json["tools"]] == ["get_weather"]


def test_a_file_of_weights_talks() -> None:
    """llama.cpp in this process, driven by the command. So small a model talks until the context is full, at times."""
    name = f"gguf:{path()}?context=512&threads=1"
    ended = run_apart("chat", "--model", name, stdin=b"Say hello.\n", OMP_WAIT_POLICY="passive")
    assert ended.code == 0 or "output limit cut the answer off" in ended.err, ended.err
    assert "  1 ai · SmolLM2-135M-Instruct.Q4_1" in ended.out
    assert " · 1 step · 0 calls" in ended.out


def test_nobody_to_talk_with(run: Run) -> None:
    """A program or a model is needed; of a model that is none, the reason."""
    assert "Name a program (holter chat FILE.py) or a model (holter chat --model NAME)" in run("chat").err
    ended = run("chat", "--model", "nobody:x")
    assert (ended.code, ended.out) == (2, "")
    assert "--model nobody:x: there is no provider 'nobody'" in ended.err
    assert "there is no GGUF file" in run("chat", "--model", "gguf:nowhere.gguf").err
    assert "--model changes the model of an agent, and graph is a graph" in run("chat", program(PLAIN), "--model", "nobody:x").err
