"""The node of an agent that asks the model, and decides what its answer comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holter.agent.asking import Models
from holter.agent.instruction import Instruction
from holter.agent.leak import with_leaked_calls
from holter.agent.limit import Limits
from holter.agent.meter import Meter
from holter.agent.outgoing import Outgoing
from holter.agent.proof import Proof, Proofreader
from holter.agent.repetition import too_often
from holter.agent.structured import AnswerForm, failure_text, repair_text
from holter.agent.tools import messages_in
from holter.agent.verdict import CALL_NUDGE, NUDGE, cut_text, failure_note, is_cut, is_empty, says_it_calls
from holter.agent.window import Window, overhead_tokens, room_tokens
from holter.errors import ModelError, UnfitAnswer
from holter.graph.ending import LimitHit
from holter.graph.state import Write
from holter.graph.task import TaskRun
from holter.graph.update import Update
from holter.journal.event import MessageAdded, Repaired, Trimmed
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.history import History
from holter.messages.reducer import identified
from holter.messages.surrogate import escaped
from holter.tools.arguments import repaired_calls
from holter.tools.tool import Tool

KEY = "messages"
METER = object()
"""Under this a run that an agent begins keeps its meter; one without is a part of a graph, and its node makes one."""


class RunState:
    """What the node knows of one run beside its thread."""

    __slots__ = ("meter", "outgoing", "proof", "was_told", "window")

    def __init__(self, meter: Meter, window: Window | None, proof: Proof, *, has_system: bool) -> None:
        self.meter = meter
        self.window = window
        self.proof = proof
        self.outgoing = Outgoing(has_system=has_system)
        self.was_told = False
        """Whether the model was told that its answer is not of its form."""


class ModelNode:
    """Asks the model with the thread's messages, once for each step."""

    def __init__(
        self,
        models: Models,
        tools: Mapping[str, Tool],
        instruction: Instruction,
        form: AnswerForm | None,
        limits: Limits,
        reader: Proofreader,
    ) -> None:
        self.limits = limits
        self._models = models
        self._tools = tools
        self._specs = [] if models.bound.tool_choice == "none" else [tool.spec for tool in tools.values()]
        """The tools whose calls are looked for in a text."""
        self._instruction = instruction
        self._form = form
        self._reader = reader
        self._window = models.window_tokens

    async def run_task(self, task: TaskRun) -> Update:
        """The answer, as the thread keeps it. Raises LimitHit, what the model raised, and UnfitAnswer."""
        system = await self._instruction.of(task) if self._instruction.is_made else self._instruction.message
        run = self._run(task)
        is_whole = not task.has_own_input and task.messages_key == KEY
        messages: History | list[Message] = task.fold.settled.history if is_whole else messages_in(task.input)
        self._check(run, messages)
        sent = self._sent(run, messages, system, task)
        is_free = run.was_told or isinstance(_newest(messages), ToolMessage)
        run.meter.asked()  # `_ask` by hand: a coroutine less for as long as the model thinks
        answer, model = await self._models.answer(sent, task, is_free=is_free, changes=run.proof.changes)
        answer = self._heard(run, answer, model, task)
        return _update(task, answer) if answer.tool_calls or answer.calls else await self._final(run, answer, sent, task)

    # The request

    def _run(self, task: TaskRun) -> RunState:
        """What is known of the task's run."""
        run: RunState | None = task.kept.get(self)
        if run is None:
            meter = task.kept.get(METER) or Meter(self.limits)
            proof = Proof(self._reader, self._models.bound.settings.get("thinking"), is_first=task.fold.runs < 2)
            run = task.kept[self] = RunState(meter, self._new_window(), proof, has_system=self._instruction.is_there)
        return run

    def _new_window(self) -> Window | None:
        if self._window is None:
            return None
        bound = self._models.bound
        return Window(room_tokens(self._window, bound.settings), overhead_tokens(bound.tools, bound.response_format))

    @staticmethod
    def _check(run: RunState, messages: History | Sequence[Message]) -> None:
        """Raises LimitHit where the run has to end."""
        run.meter.check(len(messages))
        most = run.meter.limits.repeats
        if most is not None and run.meter.steps and (repeated := too_often(messages, most)) is not None:
            text = (
                f"The run was stopped before message {len(messages)}: {repeated.name} was called {repeated.count} times in a row with the "
                "same arguments, and came to the same result each time."
            )
            raise LimitHit("repeats", most, text)

    def _sent(self, run: RunState, messages: History | list[Message], system: SystemMessage | None, task: TaskRun) -> list[Message]:
        """The messages of the request. Raises UnfitHistory."""
        outgoing = run.outgoing
        new = outgoing.follow(messages) if isinstance(messages, History) else outgoing.take(messages)
        if run.window is None:
            kept = outgoing.messages
        else:
            kept, trimmed = run.window.fitted(outgoing.messages, new, system)
            if trimmed:
                task.record(*_moved(trimmed, outgoing.offset))
        cut = None if run.window is None else run.window.cut
        sent, events = run.proof.read(system, kept, (outgoing.rebuilt, cut))
        if events:
            task.record(*events)
        return sent

    async def _ask(self, run: RunState, sent: list[Message], task: TaskRun, *, is_free: bool) -> AIMessage:
        """The answer to one more request."""
        run.meter.asked()
        answer, model = await self._models.answer(sent, task, is_free=is_free, changes=run.proof.changes)
        return self._heard(run, answer, model, task)

    def _heard(self, run: RunState, answer: AIMessage, model: str, task: TaskRun) -> AIMessage:
        """The answer of the model of this name, with calls that can be read, where they could be put right."""
        run.meter.answered(answer, model)
        if run.window is not None:
            run.window.answered(answer)
        answer = self._with_leaked(answer, task)
        made = repaired_calls(answer, self._tools)
        if made.repairs:
            task.record(*made.repairs)
        elif made.calls is answer.tool_calls:
            task.recorder.clean_calls = made.calls
        return made.message

    def _with_leaked(self, answer: AIMessage, task: TaskRun) -> AIMessage:
        """The answer with the calls that stood in its text as markup; an answer that was cut off may have lost some of it."""
        if answer.tool_calls or answer.calls or not self._specs or is_cut(answer):
            return answer
        made = with_leaked_calls(answer, self._specs, f"recovered_{task.name.replace('.', '_')}")
        if made is None:
            return answer
        task.record(made.repair)
        return made.message

    # The end

    async def _final(self, run: RunState, answer: AIMessage, sent: list[Message], task: TaskRun) -> Update:
        """What an answer without calls comes to."""
        if says_it_calls(answer) and not is_empty(answer):
            answer = await self._asked_for_the_call(run, answer, sent, task)
        if not answer.calls and is_empty(answer) and not is_cut(answer):
            answer = await self._asked_again(run, answer, sent, task)
        if answer.calls:
            return _update(task, answer)
        if is_cut(answer):
            raise self._cut_off(answer, task)
        return _update(task, answer) if self._form is None else self._formed(self._form, run, answer, task)

    def _formed(self, form: AnswerForm, run: RunState, answer: AIMessage, task: TaskRun) -> Update:
        """What an answer comes to that has to have a form: itself; once, what is wrong with it, for the model."""
        reading = form.read(answer.text)
        if reading.repairs:
            task.record(*reading.repairs)
        if not reading.problems:
            return _update(task, answer)
        if not run.was_told:
            run.was_told = True
            return _update(task, answer, HumanMessage(repair_text(reading.problems)))
        self._keep(answer, task)
        problems = tuple((problem.path, problem.text) for problem in reading.problems)
        raise UnfitAnswer(failure_text(reading.problems), problems=problems, model=answer.model)

    async def _asked_for_the_call(self, run: RunState, answer: AIMessage, sent: list[Message], task: TaskRun) -> AIMessage:
        """The answer to a second try, after one that says it calls a tool and does not; the first one is no part of the thread. Where the
        second does the same, it is taken for what it says, and where there is none, the first."""
        text = f"The answer said that it calls a tool (finish reason {answer.finish_reason!r}) and did not; the model was asked once more."
        task.record(Repaired(code="FIN02", text=text, raw=escaped(answer.text)))
        run.meter.check(len(sent))
        try:
            return await self._ask(run, [*sent, HumanMessage(CALL_NUDGE)], task, is_free=False)
        except ModelError:  # which stands in the journal
            return answer

    async def _asked_again(self, run: RunState, empty: AIMessage, sent: list[Message], task: TaskRun) -> AIMessage:
        """The answer to a second try, after one that says nothing; that one is no part of the thread, which it would make invalid.

        Raises UnfitAnswer when the second one says nothing either; then the thread ends with a note that says so.
        """
        reason = f" (finish reason {empty.finish_reason!r})" if empty.finish_reason else ""
        task.record(Repaired(code="FIN04", text=f"The answer was empty{reason}; the model was told so and asked once more.", raw=NUDGE))
        run.meter.check(len(sent))
        answer = await self._ask(run, [*sent, HumanMessage(NUDGE)], task, is_free=True)
        if answer.calls or is_cut(answer) or not is_empty(answer):
            return answer
        text = "The model gave no answer: what it said was empty, and empty again when it was asked once more."
        self._keep(failure_note(answer, text), task)
        raise UnfitAnswer(text, model=answer.model)

    def _cut_off(self, answer: AIMessage, task: TaskRun) -> LimitHit:
        """How a run ends whose answer was cut off. What had come of it is kept; where nothing had, a note."""
        said = cut_text(answer)
        note = failure_note(answer, f"There is no answer: {said} before it said anything.")
        self._keep(note if is_empty(answer) else answer, task)
        tokens = (answer.usage_metadata or {}).get("output_tokens")
        return LimitHit("output", tokens, f"The run was stopped: {said}.")

    @staticmethod
    def _keep(answer: AIMessage, task: TaskRun) -> None:
        """Makes the answer part of the thread, although the run fails."""
        task.record(MessageAdded(message=identified(answer), node=task.node, task=task.name if task.is_shared else None))


def _moved(trimmed: Sequence[Trimmed], offset: int) -> list[Trimmed]:
    """What was left out, by its places in the thread, which has so many messages more in front."""
    return [Trimmed(first=cut.first + offset, last=cut.last + offset) for cut in trimmed]


def _newest(messages: History | list[Message]) -> Message | None:
    if isinstance(messages, History):
        return messages.newest()
    return messages[-1] if messages else None


def _update(task: TaskRun, *messages: Message) -> Update:
    return Update([Write(task.node, KEY, list(messages))], [], [], is_new=True)
