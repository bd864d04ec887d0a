"""`holter resume`: goes on with a thread that was stopped."""

from __future__ import annotations

from typing import Any

import click

from holter.cli.choice import choose
from holter.cli.command import Command, redact_option
from holter.cli.event_printer import EventPrinter
from holter.cli.given import answer_of, is_answerable
from holter.cli.journal import journal_option
from holter.cli.recording import recorded, say_how_to_go_on, takeover_option
from holter.cli.session import Session
from holter.cli.surroundings import context_of, context_option
from holter.cli.verdict import NOT_BEGUN, verdict
from holter.errors import GraphError, JournalError
from holter.graph.compiled import CompiledGraph
from holter.graph.input import answered
from holter.graph.snapshot import Interrupt
from holter.journal.question import Question
from holter.render.redact import Level
from holter.tools import command as commands


@click.command(
    cls=Command,
    examples=[
        "holter resume examples/travel_assistant.py trip",
        "holter resume examples/travel_assistant.py trip --takeover --json",
    ],
)
@click.argument("program", metavar="PROGRAM[:name]")
@click.argument("thread", metavar="THREAD")
@click.argument("answer", required=False, metavar="[ANSWER]")
@click.option("--answer", "by_key", multiple=True, metavar="KEY=ANSWER", help="The answer to the question of this key. Repeatable.")
@journal_option
@takeover_option
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each event of the journal, as it happens.")
@context_option
@click.option("--full", is_flag=True, help="Long texts whole.")
@click.option("--traceback", "with_traceback", is_flag=True, help="Of an error, the calls that led there, too.")
@redact_option
def command(
    program: str,
    thread: str,
    answer: str | None,
    by_key: tuple[str, ...],
    journal: str | None,
    takeover: bool,
    as_json: bool,
    context: tuple[str, ...],
    full: bool,
    with_traceback: bool,
    redact: Level | None,
) -> int:
    """Goes on with THREAD, which PROGRAM began: with an answer to what it asked, or from where it was stopped, cancelled or killed.

    ANSWER is y, n, JSON or text; where several questions are open, they are answered by key. Without one, questions are asked on the
    terminal. Of a call that was started when its process ended, `again` runs it again, `{"result": …}` is its result, and `fail` says that
    nobody knows. Exit codes are those of `holter run`.
    """
    chosen = choose(program)
    surroundings = context_of(context, chosen.compiled)
    with recorded(chosen, journal) as is_kept:
        asked = _open_questions(chosen.compiled, thread)
        given = _answers(asked, answer, by_key)
        if as_json:
            with Session(chosen, EventPrinter(redact), context=surroundings, thread=thread, takeover=takeover) as session:
                code = verdict(session.drive(given), with_traceback=with_traceback, redact=redact)
        else:
            from holter.cli.talk import Talk

            with Talk(
                chosen, surroundings, redact=redact, whole=full, with_traceback=with_traceback, thread=thread, takeover=takeover
            ) as talk:
                code = talk.resume(given, {one.id: one.value for one in asked}, is_asked=is_answerable())
        if code not in (0, NOT_BEGUN) and is_kept:
            say_how_to_go_on(chosen, program, thread, journal)
    return code


def _open_questions(graph: CompiledGraph, thread: str) -> tuple[Interrupt, ...]:
    """What the thread asks. JournalError where there is no such thread."""
    state = graph.get_state(thread=thread)
    if state.created_at is None:
        raise JournalError(f"there is no thread {thread!r}; `holter threads` lists them")
    return state.interrupts


def _answers(asked: tuple[Interrupt, ...], answer: str | None, by_key: tuple[str, ...]) -> commands.Command[Any] | None:
    """The answers, as the graph takes them; None where none was given. UsageError for those that fit no question."""
    questions = {one.id: one.value for one in asked}
    given: dict[str, Any] = {}
    for text in by_key:
        key, equals, said = text.partition("=")
        if not equals:
            raise click.UsageError(f"--answer takes KEY=ANSWER, found {text!r}")
        if key not in questions:
            raise click.UsageError(f"nobody asked {key!r}; open are {', '.join(map(repr, questions)) or 'no questions'}")
        given[key] = answer_of(said, questions[key])
    if answer is not None:
        if given or len(questions) != 1:
            raise click.UsageError(
                f"{len(questions)} questions are open; answer by key: " + " ".join(f"--answer {key}=…" for key in questions)
                if questions
                else "nothing was asked; leave the answer out"
            )
        [(key, value)] = questions.items()
        given[key] = answer_of(answer, value)
    if not given:
        return None
    try:
        answered([Question(key=one.id, base=one.id, value=one.value) for one in asked], given)
    except GraphError as error:
        raise click.UsageError(str(error)) from None
    return commands.Command(resume=given)
