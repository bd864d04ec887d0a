"""Ranks the lines of the checklist for a log."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from holter.analysis.diagnose.checklist import CHECKLIST, Language, Line
from holter.analysis.diagnose.sign import hints, signs
from holter.analysis.lint.index import Index
from holter.analysis.lint.run import Linter
from holter.messages import Conversation, Finding

_WEIGHT = {"error": 6, "warning": 3, "info": 1}
_SIGN = 2
_ASKED = 20
"""What the user's own words weigh: more than most evidence, less than all of it."""
_LISTED = 8
"""Pieces of evidence that are kept for each line."""
_MOST_COUNTED = 5
"""Pieces of evidence of one rule that count: twenty of one kind are one fault."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What in the log speaks for a cause."""

    text: str
    code: str | None = None
    """The rule that was broken; None for a sign that breaks none."""
    conversation: int = 0
    message: int | None = None
    index: int | None = None
    path: str | None = None
    line: int | None = None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One likely cause."""

    key: str
    symptom: str
    look: str
    cause: str
    remedy: str
    rules: list[str]
    """Codes of the rules that spoke for it; where none did, of those that would."""
    score: int
    asked: bool = False
    """Whether the user's words point to it."""
    evidence: list[Evidence] = []


def diagnose(
    conversations: Iterable[Conversation], *, symptom: str | None = None, language: Language = "en", target: str | None = None
) -> list[Diagnosis]:
    """The likely causes of what went wrong, the likeliest first, each with what in the log shows it.

    `symptom` is what the user sees, in any words: what it points to comes first, also where nothing in the log shows it.
    """
    linter = Linter(target)
    scores = dict.fromkeys((line.key for line in CHECKLIST), 0)
    evidence: dict[str, list[Evidence]] = {line.key: [] for line in CHECKLIST}
    for conversation in conversations:
        counted: dict[tuple[str, str], int] = {}
        for finding in linter.check(conversation):
            for line in _lines_of(finding):
                times = counted[line.key, finding.code] = counted.get((line.key, finding.code), 0) + 1
                scores[line.key] += _WEIGHT[finding.severity] if times <= _MOST_COUNTED else 0
                evidence[line.key].append(_of(finding))
        index = Index(conversation, linter.target)
        for weight, (key, message, said) in [*((_SIGN, sign) for sign in signs(index)), *((0, sign) for sign in hints(index))]:
            scores[key] += weight
            place = index.place(message) if message is not None else None
            evidence[key].append(
                Evidence(
                    text=said.in_(language),
                    conversation=conversation.position,
                    message=message,
                    index=place.index if place else None,
                    path=place.path or None if place else None,
                )
            )
    asked = asked_for(symptom) if symptom else []
    found = [_made(line, scores, evidence, asked, language) for line in CHECKLIST if scores[line.key] or line.key in asked]
    return sorted(found, key=lambda one: -one.score)


def _lines_of(finding: Finding) -> list[Line]:
    return [line for line in CHECKLIST if any(finding.code.startswith(code) for code in line.rules)]


def _of(finding: Finding) -> Evidence:
    return Evidence(
        text=finding.text,
        code=finding.code,
        conversation=finding.conversation or 0,
        message=finding.message,
        index=finding.index,
        path=finding.path,
        line=finding.line,
    )


def asked_for(symptom: str) -> list[str]:
    """Keys of the lines that a user's words point to, the one whose own words stand in them most often first; none where nothing does."""
    said = _NOT.sub(" not", symptom.lower())
    hits = {line.key: sum(len(word) for word in line.words if _stands_in(said, word)) for line in CHECKLIST}
    best = max(hits.values())
    return sorted((key for key, count in hits.items() if count and count * 2 >= best), key=lambda key: -hits[key])


_NOT = re.compile("n['\u2019]t\\b")
_BETWEEN = r"\w*\W+(?:\w+\W+){0,3}?"
_BETWEEN_CHINESE = ".{0,6}?"


def _stands_in(said: str, words: str) -> bool:
    """Whether a text holds these words, each as the beginning of one, in their order and near each other."""
    if words.isascii():
        return re.search(rf"(?<!\w){_BETWEEN.join(map(re.escape, words.split()))}", said) is not None
    return re.search(_BETWEEN_CHINESE.join(map(re.escape, words.split())), said) is not None


def _made(line: Line, scores: dict[str, int], evidence: dict[str, list[Evidence]], asked: list[str], language: Language) -> Diagnosis:
    own = evidence[line.key]
    codes = list(dict.fromkeys(piece.code for piece in own if piece.code))
    return Diagnosis(
        key=line.key,
        symptom=line.symptom.in_(language),
        look=line.look.in_(language),
        cause=line.cause.in_(language),
        remedy=line.remedy.in_(language),
        rules=codes or list(line.rules),
        score=scores[line.key] + (_ASKED - asked.index(line.key) if line.key in asked else 0),
        asked=line.key in asked,
        evidence=own[:_LISTED],
    )
