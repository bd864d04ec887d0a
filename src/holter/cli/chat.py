"""`holter chat`: several turns with an agent or a graph."""

from __future__ import annotations

import re
import sys

import click

from holter.cli.choice import Chosen, choose, model_option, talker
from holter.cli.command import Command, redact_option
from holter.cli.given import is_answerable, takes_messages
from holter.cli.journal import journal_option
from holter.cli.recording import recorded, say_how_to_go_on, takeover_option, thread_option
from holter.cli.say import say
from holter.cli.surroundings import context_of, context_option
from holter.cli.verdict import CANCELLED
from holter.render.redact import Level

_WAYS = "/exit or Ctrl-D ends the talk, /show shows it from its beginning, Ctrl-C cancels an answer"
_ENDS = ("/exit", "/quit")
_COMMAND = re.compile(r"/[a-z]+")


@click.command(
    cls=Command,
    examples=[
        "echo 'How is the weather in Beijing?' | holter chat examples/travel_assistant.py",
        "printf 'hello\\n/show\\n' | holter chat examples/travel_assistant.py:agent",
    ],
)
@click.argument("program", metavar="[PROGRAM[:name]]", required=False)
@model_option
@thread_option
@journal_option
@takeover_option
@context_option
@click.option("--full", is_flag=True, help="Long texts whole.")
@click.option("--traceback", "with_traceback", is_flag=True, help="Of an error, the calls that led there, too.")
@redact_option
def command(
    program: str | None,
    model: str | None,
    thread: str | None,
    journal: str | None,
    takeover: bool,
    context: tuple[str, ...],
    full: bool,
    with_traceback: bool,
    redact: Level | None,
) -> int:
    """Talks with PROGRAM, an agent or a graph in a Python file or a module, or with a model alone (--model): each line is a turn, all on
    one thread.

    /exit or Ctrl-D ends the talk, /show shows it from its beginning, Ctrl-C cancels an answer. What a run asks the next line answers:
    y, n, JSON or text; Ctrl-C or Ctrl-D leaves it open. Exit code 1 says that a turn failed, hit a limit, or waits for an answer.
    """
    chosen = _chosen(program, model)
    surroundings = context_of(context, chosen.compiled)
    if not takes_messages(chosen.compiled):
        raise click.UsageError(f"the state of {program} holds no messages, so there is nothing to talk with; holter run takes its fields")
    from holter.cli.asking import lines
    from holter.cli.talk import Talk

    is_person = is_answerable()
    if is_person:
        say(_WAYS)
    worst = 0
    with (
        recorded(chosen, journal) as is_kept,
        Talk(
            chosen,
            surroundings,
            redact=redact,
            whole=full,
            with_traceback=with_traceback,
            shows_input=not is_person,
            ends=_ENDS,
            thread=thread,
            takeover=takeover,
        ) as talk,
    ):
        for line in lines("\n> "):
            text = line.strip()
            if text in _ENDS:
                break
            if text == "/show":
                talk.show(program or str(model))
            elif _COMMAND.fullmatch(text):
                say(f"there is no {text}; {_WAYS}")
            elif text:
                code = talk.say(text)
                worst = max(worst, 0 if code == CANCELLED else min(code, 1))
                if talk.has_ended:
                    break
        if is_kept and program is not None:
            say_how_to_go_on(chosen, program, talk.thread, journal)
    if is_person:
        sys.stdout.write("\n")
    return worst


def _chosen(program: str | None, model: str | None) -> Chosen:
    """Who is talked with. UsageError where nothing says it."""
    if program is None:
        if model is None:
            raise click.UsageError("who is to be talked with? Name a program (holter chat FILE.py) or a model (holter chat --model NAME)")
        return talker(model)
    return choose(program) if model is None else choose(program).with_model(model)
