"""What an agent must not show is on no screen of the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import run_apart

PROGRAM = """
from holter import Agent, ScriptedModel, tool
from holter.tools.wrap import approve, redact

@tool
def pay(card: str) -> str:
    "Pay."
    raise ValueError(f"no such card: {card}")

calls = [{"name": "pay", "args": {"card": "4111-1111-2222"}, "id": "c", "type": "tool_call"}]
agent = Agent(ScriptedModel([calls, "It was 4111-1111-2222."]), tools=[pay], wrap_tool_call=redact(r"\\d{4}-1111-2222"))
asking = Agent(ScriptedModel([calls, "x"]), tools=[pay], wrap_tool_call=[approve(), redact(r"\\d{4}-1111-2222")])
raising = Agent(ScriptedModel([calls]), tools=[pay], wrap_tool_call=redact(r"\\d{4}-1111-2222"), handle_tool_errors=False)
"""


@pytest.mark.parametrize("name", ["agent", "asking", "raising"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--full"], ["--traceback"]])
def test_the_command_line(tmp_path: Path, name: str, options: list[str]) -> None:
    """Shows it neither in the flow nor in JSON, a question or an error."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    done = run_apart("run", f"{program}:{name}", "pay with 4111-1111-2222", *options)
    assert "4111-" not in done.out
    assert "4111-" not in done.err
    assert "[redacted]" in done.out + done.err
    if options == ["--json"]:
        assert all(json.loads(line)["kind"] for line in done.out.splitlines() if line.startswith("{"))


def test_a_talk_on_the_command_line(tmp_path: Path) -> None:
    """`/show` shows the thread as the flow was shown."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    done = run_apart("chat", f"{program}:agent", stdin=b"pay with 4111-1111-2222\n/show\n")
    assert done.out.count("It was [redacted].") == 2
    assert "4111-" not in done.out


def test_threads_that_are_kept(tmp_path: Path) -> None:
    """Are shown, watched, listed and exported without it; the whole copy has it, and goes on elsewhere."""
    program, journal = tmp_path / "program.py", f"--journal={tmp_path / 'journal.db'}"
    program.write_text(PROGRAM, "utf-8")
    run_apart("run", f"{program}:asking", "pay with 4111-1111-2222", "--thread=t", journal)
    for command in (
        ["show", "t"],
        ["show", "t", "--json"],
        ["watch", "t"],
        ["watch", "t", "--json"],
        ["threads"],
        ["threads", "export", "t"],
    ):
        done = run_apart(*command, journal)
        assert (done.code, done.err) == (0, "")
        assert "4111-" not in done.out
        assert "[redacted]" in done.out
    whole = run_apart("threads", "export", "--whole", journal)
    assert whole.out.count("4111-1111-2222") > 1
    other = f"--journal={tmp_path / 'other.db'}"
    assert run_apart("threads", "import", "-", other, stdin=whole.out.encode()).code == 0
    done = run_apart("resume", f"{program}:agent", "t", "y", other)
    assert "4111-" not in done.out + done.err
    assert "no such card: [redacted]" in done.out


@pytest.mark.parametrize(
    "command",
    [
        ["explain", "t"],
        ["explain", "t", "--json"],
        ["explain", "t", "--annotate"],
        ["explain", "t", "--field", "args"],
        ["diff", "t", "t@2", "--full"],
        ["diff", "t", "u", "--json"],
        ["show", "t", "--decisions"],
        ["lint", "t"],
        ["diagnose", "t"],
        ["convert", "t", "--to", "openai"],
        ["query", "select text, args from messages left join calls using (message)", "t"],
    ],
    ids=" ".join,
)
def test_what_is_read_out_of_a_thread(tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows it no more than the thread itself does."""
    if command[0] == "query":
        pytest.importorskip("duckdb")
    program = tmp_path / "program.py"
    monkeypatch.setenv("HOLTER_JOURNAL", str(tmp_path / "journal.db"))
    program.write_text(PROGRAM, "utf-8")
    for name, said in (("t", "pay with 4111-1111-2222"), ("u", "pay with 4111-1111-2222, please")):
        run_apart("run", f"{program}:agent", said, f"--thread={name}")
    done = run_apart(*command)
    assert done.code in (0, 1), done.err
    assert "4111-" not in done.out + done.err
    assert "[redacted]" in done.out or command[0] == "lint"
