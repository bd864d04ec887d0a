"""How a drive begins: the events that a caller's input, answers, or wish to go on come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holter.errors import GraphError
from holter.graph.edge import START, destination
from holter.graph.program import Program
from holter.graph.route import sent
from holter.graph.update import input_writes
from holter.graph.written import Written
from holter.journal.closing import closings
from holter.journal.event import Answered, Event, MessageAdded, NodeEnded, RunStarted
from holter.journal.fold import Fold
from holter.journal.question import Question
from holter.tools.approval import DECISIONS, decision
from holter.tools.command import Command
from holter.tools.unknown import CHOICES, verdict


def begun(program: Program, fold: Fold, given: Any, run: str, name: str) -> list[Event]:
    """The events that begin a drive. GraphError for an input that the graph cannot take, and for answers that nothing asked for."""
    match given:
        case None:
            if not fold.length:
                raise GraphError("there is nothing to go on with, the thread is empty; give an input")
            return [RunStarted(run=run, program=name)]
        case Command() if given.resume is not None:
            if given.update is not None or given.goto:
                raise GraphError("a Command that answers a question says nothing else; give `update` and `goto` in a Command of their own")
            return [*answered(fold.questions, given.resume), RunStarted(run=run, program=name)]
        case Command() if given.update is None and not given.goto:
            raise GraphError("the Command says nothing: give an answer (`resume`; None is none), an update, or a node to go to")
        case Command():
            return [*_anew(program, fold, given.update, run, name), *_jump(program, fold, given)]
        case _:
            return _anew(program, fold, given, run, name)


def _anew(program: Program, fold: Fold, given: Any, run: str, name: str) -> list[Event]:
    written = Written(START, program.messages_key)
    written.add(input_writes(given, program.builder.input_schema.fields))
    if len(written.parts) > 1:
        raise GraphError("the input names a field twice")
    messages = [MessageAdded(message=message) for message in written.messages]
    closed = closings(fold, "another request came first") if fold.open_calls else []
    return [*closed, *written.repairs, RunStarted(run=run, program=name, input=written.parts[0]), *messages]


def _jump(program: Program, fold: Fold, command: Command[Any]) -> list[Event]:
    sends = [sent(destination(target, program.nodes, "the input goes to")) for target in command.targets]
    return [NodeEnded(node=START, task=f"{fold.frontier.step + 1}.0", sends=sends)] if sends else []


def answered(questions: list[Question], given: Any) -> list[Event]:
    """The answers, as events. One open question takes any value; several are answered by key, in any order and not all at once.

    GraphError names what is open.
    """
    open_ = {question.key: question for question in questions if not question.is_answered}
    open_keys = list(open_)
    if not open_keys:
        raise GraphError("there is no open question to answer; give an input, or None to go on")
    if isinstance(given, Mapping) and given and any(key in open_keys for key in given):
        if strange := [key for key in given if key not in open_keys]:
            raise GraphError(f"nobody asked {strange[0]!r}; open are {', '.join(map(repr, open_keys))}")
        return [_answer(open_[key], value) for key, value in given.items()]
    if len(open_keys) > 1:
        raise GraphError(
            f"{len(open_keys)} questions are open; answer by key: Command(resume={{{open_keys[0]!r}: …, {open_keys[1]!r}: …}})"
        )
    return [_answer(open_[open_keys[0]], given)]


def _answer(question: Question, value: Any) -> Answered:
    if (text := misfit(question, value)) is not None:
        raise GraphError(text)
    return Answered(key=question.key, value=value)


def misfit(question: Question, value: Any) -> str | None:
    """What is wrong with an answer to a question of Holter's own; None where nothing is."""
    if question.is_of_unknown and verdict(value) is None:
        return f"the answer {value!r} does not say what became of the call; one that does: {CHOICES}"
    if question.is_of_approval and decision(value) is None:
        return f"the answer {value!r} to whether {question.value.get('tool')} may run is no clear yes or no: {DECISIONS}"
    return None
