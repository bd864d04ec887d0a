"""Where the command meets the shell."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holter.cli import text_printer
from holter.cli.group import COMMANDS
from tests.cli.conftest import Run, run_apart, write


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["nosuch"], f"holter: there is no command 'nosuch'; there are {', '.join(COMMANDS)} (see holter --help)\n"),
        (["show"], "holter: Missing argument 'FILE...' (see holter show --help)\n"),
        (
            ["show", "log.json", "--message", "x"],
            "holter: Invalid value for '--message': 'x' is not a valid integer range (see holter show --help)\n",
        ),
    ],
)
def test_wrong_usage_is_one_sentence(run: Run, args: list[str], sentence: str) -> None:
    """And 2."""
    assert run(*args) == (2, "", sentence)


def test_a_bug_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The type, the message, and how to get the traceback."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(text_printer, "timeline", broken)
    assert run("show", "log.json").err == "holter: ZeroDivisionError: oh; this is a bug: set HOLTER_DEBUG=1 for the traceback\n"
    monkeypatch.setenv("HOLTER_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("show", "log.json")


def test_a_reader_that_goes_is_no_error() -> None:
    """`| head -1` is quiet."""
    write("big.json", [{"role": "user", "content": "x" * 200}] * 5_000)
    for option in ("--full", "--json"):
        command = [sys.executable, "-m", "holter", "show", "big.json", option]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(10)
            process.stdout.close()
            assert process.stderr is not None
            assert (process.stderr.read(), process.wait(60)) == (b"", 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
@pytest.mark.parametrize("command", ["show log.json", "show log.json --json", "convert log.json --to openai"])
def test_a_full_disk_is_said_of_the_output(command: str) -> None:
    """And not of the file that is read."""
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([sys.executable, "-m", "holter", *command.split()], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"holter: standard output cannot be written: no space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_disk_is_said_of_the_file_that_is_written(run: Run) -> None:
    """By its name."""
    assert run("convert", "log.json", "--to", "openai", "-o", "/dev/full") == (
        2,
        "",
        "holter: /dev/full cannot be written: no space left on device\n",
    )


@pytest.mark.parametrize(
    ("shell", "sentence"),
    [
        ("show log.json >&-", "holter: standard output is closed\n"),
        ("show - <&-", "holter: -: standard input is closed\n"),
        ("show log.json --list 2>&- >&2", ""),
    ],
)
def test_closed_streams_are_no_bug(shell: str, sentence: str) -> None:
    """As a shell closes them."""
    command = f"{shlex.quote(sys.executable)} -m holter {shell}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", sentence)


def test_output_that_is_not_utf8() -> None:
    """What ASCII cannot say is written out; Holter's own marks have a plain form."""
    ended = run_apart("show", "log.json", PYTHONIOENCODING="ascii")
    assert ended.code == 0
    assert '-> get_weather(city="\\u5317\\u4eac")' in ended.out
    assert ended.out.splitlines()[1] == "--- 2 steps, 1 call ".ljust(80, "-")


def test_json_is_utf8_whatever_the_encoding() -> None:
    """JSON is UTF-8 (RFC 8259)."""
    assert "北京" in run_apart("show", "log.json", "--json", PYTHONIOENCODING="ascii").out


def test_version() -> None:
    """On standard output."""
    ended = run_apart("--version")
    assert (ended.code, ended.out.startswith("holter"), ended.err) == (0, True, "")


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_is_for_terminals_that_want_it(env: dict[str, str], coloured: bool) -> None:
    """NO_COLOR means no escape codes at all."""
    assert (b"\x1b[" in on_terminal("show", "log.json", **env)) is coloured


def test_progress_of_a_big_file_leaves_no_trace() -> None:
    """On the same terminal the bar is gone before the first line is printed, and does not come back."""
    record = json.dumps({"messages": [{"role": "user", "content": "x" * 2_000}]})
    Path("big.jsonl").write_text(f"{record}\n" * 4_500, "utf-8")
    before, erased, after = on_terminal("show", "big.jsonl", "--conversation", "4499").rpartition(b"\x1b[2K")
    assert b"big.jsonl" in before
    assert erased
    assert after.startswith(b"\x1b[1mbig.jsonl\x1b[0m")
    assert b"conversation 4499" in after


def on_terminal(*args: str, **env: str) -> bytes:
    """All that a terminal gets."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", **env}
    with subprocess.Popen([sys.executable, "-m", "holter", *args], stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        process.wait(60)
    os.close(ours)
    return b"".join(pieces)


def test_an_interrupt_is_quiet() -> None:
    """Control-C ends with 130, as in every shell tool."""
    with subprocess.Popen([sys.executable, "-m", "holter", "show", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"[" + b" " * 2_000_000)
        process.stdin.flush()
        time.sleep(0.5)  # a signal just before a read blocks is seen by Python only after it
        process.send_signal(signal.SIGINT)
        assert (process.wait(60), process.stderr.read()) == (130, b"")
