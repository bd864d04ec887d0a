"""`holter run`: drives an agent or a graph, and shows its flow."""

from __future__ import annotations

from typing import Any

import click

from holter.cli.choice import Chosen, choose, model_option
from holter.cli.command import Command, redact_option
from holter.cli.event_printer import EventPrinter
from holter.cli.given import STANDARD_INPUT, is_answerable, read_prompt, state_of
from holter.cli.journal import journal_option
from holter.cli.recording import new_thread, recorded, say_how_to_go_on, takeover_option, thread_option
from holter.cli.session import Session
from holter.cli.surroundings import context_of, context_option
from holter.cli.verdict import NOT_BEGUN, verdict
from holter.render.redact import Level


@click.command(
    cls=Command,
    examples=[
        'holter run examples/travel_assistant.py "明天北京的天气怎么样？"',
        'holter run examples/travel_assistant.py "How is the weather in Beijing?" --json',
        "echo hello | holter run examples/travel_assistant.py -",
    ],
)
@click.argument("program", metavar="PROGRAM[:name]")
@click.argument("prompt")
@thread_option
@journal_option
@takeover_option
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each event of the journal, as it happens.")
@model_option
@context_option
@click.option("--full", is_flag=True, help="Long texts whole.")
@click.option("--traceback", "with_traceback", is_flag=True, help="Of an error, the calls that led there, too.")
@redact_option
def command(
    program: str,
    prompt: str,
    thread: str | None,
    journal: str | None,
    takeover: bool,
    as_json: bool,
    model: str | None,
    context: tuple[str, ...],
    full: bool,
    with_traceback: bool,
    redact: Level | None,
) -> int:
    """Drives PROGRAM, an agent or a graph in a Python file or a module, with PROMPT, and shows what happens while it happens.

    The name may be left out where there is only one, or one that is called `agent` or `graph`. PROMPT is what the person says, or, where
    the state holds no messages, a JSON object of its fields; `-` reads it from standard input. What the run asks is asked on the terminal:
    answer y, n, JSON or text. The thread is kept in .holter/journal.db, or where --journal says. Exit code 1 says that the run failed, hit
    a limit, or waits for an answer; Ctrl-C cancels it.
    """
    chosen = choose(program) if model is None else choose(program).with_model(model)
    surroundings = context_of(context, chosen.compiled)
    given = state_of(chosen.compiled, read_prompt(prompt))
    thread = new_thread() if thread is None else thread
    with recorded(chosen, journal) as is_kept:
        if as_json:
            code = _events(chosen, given, surroundings, redact, with_traceback=with_traceback, thread=thread, takeover=takeover)
        else:
            from holter.cli.talk import Talk

            with Talk(
                chosen, surroundings, redact=redact, whole=full, with_traceback=with_traceback, thread=thread, takeover=takeover
            ) as talk:
                code = talk.once(given, is_asked=prompt != STANDARD_INPUT and is_answerable())
        if code not in (0, NOT_BEGUN) and is_kept:
            say_how_to_go_on(chosen, program, thread, journal)
    return code


def _events(chosen: Chosen, given: Any, context: Any, redact: Level | None, *, with_traceback: bool, thread: str, takeover: bool) -> int:
    printer = EventPrinter(redact)
    with Session(chosen, printer, context=context, thread=thread, takeover=takeover) as session:
        outcome = session.drive(given)
    return verdict(outcome, with_traceback=with_traceback, redact=redact)
