"""From what the linter found to a conversation without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from holter.analysis.lint.run import Linter
from holter.analysis.repair import arguments, contents, pairs
from holter.analysis.repair.draft import Draft
from holter.formats.target import inferred
from holter.messages import Conversation, Finding, Message, ToolSpec

_Fixer = Callable[[Draft, list[Finding]], None]

FIXERS: tuple[tuple[tuple[str, ...], _Fixer], ...] = (
    (("PAIR13",), pairs.drop_messages),
    (("RSN05",), pairs.drop_messages),
    (("PAIR14",), pairs.drop_halves),
    (("CONT03",), contents.mend_unicode),
    (("CONT01", "CONT02"), contents.as_json),
    (("LEAK01", "LEAK02"), arguments.read_markup),
    (("NAME06",), arguments.name_unnamed),
    (("ARG02", "ARG03", "ARG04", "ARG05", "ARG06", "ARG07", "NAME03", "NAME04", "NAME05"), arguments.repair_calls),
    (("ARG09",), arguments.set_wire_type),
    (("ARG10",), arguments.decode_nested),
    (arguments.UNREADABLE, arguments.wrap_raw),
    (("NAME01",), arguments.answer_unknown),
    (("NAME02",), arguments.alias_names),
    (("PAIR01", "PAIR02", "PAIR03", "PAIR04", "PAIR05", "PAIR06", "PAIR08", "PAIR09", "PAIR11"), pairs.pair),
    (("PAIR10",), pairs.merge_model_turns),
    (("PAIR12",), pairs.unique_message_ids),
    (("ID03",), pairs.restore_ids),
    (("ID01", "ID02"), pairs.fit_ids),
    (("ROLE01",), contents.lead_system),
    (("ROLE04",), contents.drop_blanks),
    (("ROLE02",), contents.alternate),
    (("ROLE06",), pairs.open_history),
    (("ROLE03",), contents.add_user_turn),
    (("ROLE05",), contents.write_content),
    (("RSN01",), contents.add_reasoning),
    (("RSN02",), contents.strip_reasoning),
    (("RSN04",), contents.lead_thinking),
    (("RSN06",), contents.sign_thoughts),
    (("CONT05",), contents.fill_results),
    (("CONT04",), contents.cut_results),
    (("FIN01", "FIN02", "FIN06"), contents.set_finish),
    (("USE01", "USE02", "USE05"), contents.set_usage),
    (("USE04",), contents.take_last_usage),
    (("LOOP02",), contents.free_choice),
    (("RUN10",), contents.declare_tools),
)
"""What repairs which rules, in the order of the work: what a message says, then calls and results, then ids, then roles."""

_MOST_ROUNDS = 12
_OF_STREAM = ("STRM01", "STRM02", "STRM03", "STRM05")
"""What reading has put right already: the message is merged as it should be."""


class Repair(msgspec.Struct, frozen=True):
    """What became of a conversation."""

    conversation: Conversation
    """The repaired one; the very same object where nothing was to be done."""
    done: list[Finding] = []
    """The findings that are put right, in the order of the work. Positions are those at that moment."""


def repair(
    conversation: Conversation, target: str | None = None, *, select: Iterable[str] | None = None, ignore: Iterable[str] = ()
) -> Repair:
    """The conversation with every safe repair made, for a target (inferred from the log without one).

    Repairs are made until the linter finds nothing more that it can put right, since one may uncover another.
    """
    linter = Linter(target, select=select, ignore=ignore)
    done: list[Finding] = []
    now = conversation
    for _ in range(_MOST_ROUNDS):
        found = [f for f in linter.check(now) if f.fixable]
        changed, made = _round(now, found, linter)
        if changed is now:
            break
        done += made
        now = changed
    return Repair(now, done)


def _round(conversation: Conversation, found: list[Finding], linter: Linter) -> tuple[Conversation, list[Finding]]:
    """The conversation after the first repair that changes it, and what that put right; itself when none does."""
    if any(f.code in _OF_STREAM for f in found):
        kept = [f for f in conversation.findings if f.code not in _OF_STREAM]
        return msgspec.structs.replace(conversation, findings=kept), [f for f in found if f.code in _OF_STREAM]
    for codes, fixer in FIXERS:
        due = [f for f in found if f.code in codes]
        if not due:
            continue
        draft = Draft(conversation, linter.target or inferred(conversation))
        fixer(draft, due)
        if _differs(draft, conversation):
            return _taken(draft, conversation), due
        if conversation.places and any(f.code == "PAIR08" for f in due):
            return msgspec.structs.replace(conversation, places=()), due
    return conversation, []


def _differs(draft: Draft, conversation: Conversation) -> bool:
    same = draft.messages == conversation.messages and draft.tools == conversation.tools and draft.extra == conversation.extra
    return not same or draft.tools_known != conversation.tools_known


def _taken(draft: Draft, conversation: Conversation) -> Conversation:
    """The conversation that a draft makes. The places of its messages are kept where only their insides changed."""
    moved = len(draft.messages) != len(conversation.messages) or any(
        new.__class__ is not old.__class__ for new, old in zip(draft.messages, conversation.messages, strict=False)
    )
    return msgspec.structs.replace(
        conversation,
        messages=draft.messages,
        tools=draft.tools,
        tools_known=draft.tools_known,
        extra=draft.extra,
        places=() if moved else conversation.places,
        findings=[f for f in conversation.findings if f.message is None] if moved else conversation.findings,
    )


def repaired_messages(
    messages: Sequence[Message], target: str | None = None, *, tools: Sequence[ToolSpec] | None = None
) -> tuple[list[Message], list[Finding]]:
    """A list of messages with every safe repair made, and what was put right."""
    conversation = Conversation(format="holter.messages", messages=list(messages), tools=list(tools or ()), tools_known=tools is not None)
    made = repair(conversation, target)
    return made.conversation.messages, made.done
