"""`holter diagnose`: the likely causes of what went wrong in a log."""

from __future__ import annotations

import os
from typing import Any

import click
import msgspec

from holter.analysis.diagnose import CHECKLIST, Diagnosis, asked_for, diagnose
from holter.cli.command import Command
from holter.cli.lint_wish import configured
from holter.cli.output import text_console, width, write_bytes, writing
from holter.cli.progress import bar
from holter.cli.say import say, unreadable
from holter.cli.source import conversations, only
from holter.errors import ReadError
from holter.formats.target import names, target_named
from holter.render import json

_WORDS = {
    "en": {
        "look": "look at",
        "cause": "likely",
        "remedy": "remedy",
        "rules": "rules",
        "none": "nothing in this log points to a cause",
        "at": "message",
        "unknown": "the words of --symptom fit no line of the checklist; its lines are: {lines}",
    },
    "zh": {
        "look": "查看",
        "cause": "可能原因",
        "remedy": "办法",
        "rules": "规则",
        "none": "这份日志里没有发现可疑之处",
        "at": "消息",
        "unknown": "--symptom 的描述与检查清单的任何一条都不相符；清单包括：{lines}",
    },
}


@click.command(
    cls=Command,
    examples=[
        "holter diagnose log.json",
        'holter diagnose log.json --symptom "the tool is never called"',
        'holter diagnose log.json --lang zh --symptom "反复调用同一个工具"',
        "holter diagnose log.json --json",
    ],
)
@click.argument("file", metavar="FILE")
@click.option("--symptom", metavar="TEXT", help="What you see, in your own words, English or Chinese.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the answer (that of your words, or of the locale).")
@click.option("--target", metavar="NAME", help="Whose rules hold (told by the log without it).")
@click.option("--conversation", type=click.IntRange(min=0), metavar="N", help="Only the conversation at position N.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: str, symptom: str | None, lang: str | None, target: str | None, conversation: int | None, as_json: bool) -> int:
    """What is likely wrong in FILE, a log in any format, the likeliest first, each with the messages that show it and what helps.

    Exit code 1 says that the log shows something; a symptom alone does not.
    """
    target = target or configured().get("target")
    if target is not None and target_named(target) is None:
        raise click.UsageError(f"{target!r} is no target; there are {', '.join(names())}")
    language: Any = lang or _language(symptom)
    try:
        with bar(file) as progress:
            found = diagnose(only(conversations(file, progress), conversation, file), symptom=symptom, language=language, target=target)
    except (ReadError, OSError) as error:
        say(unreadable(file, error))
        return 2
    if symptom and not asked_for(symptom):
        say(_WORDS[language]["unknown"].format(lines="; ".join(line.symptom.in_(language) for line in CHECKLIST)))
    with writing():
        if as_json:
            write_bytes(json.pages({"diagnoses": [msgspec.structs.asdict(one) for one in found]}))
        else:
            _print(found, language)
    return 1 if any(piece.code for one in found for piece in one.evidence) else 0


def _language(symptom: str | None) -> str:
    """That of the user's words; without any that of the locale."""
    if symptom:
        return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in symptom) else "en"
    return "zh" if (os.environ.get("LC_ALL") or os.environ.get("LANG") or "").startswith("zh") else "en"


def _print(found: list[Diagnosis], language: str) -> None:
    from rich.text import Text

    from holter.render.control import one_line
    from holter.render.paragraph import indented, paragraph
    from holter.render.span import span

    console, words = text_console(), _WORDS[language]
    room = min(width(), 110) - 14
    if not found:
        console.print(words["none"])
    for number, one in enumerate(found, 1):
        console.print(Text(f"{number}. {one.symptom}", "bold"))
        for name in ("cause", "look", "remedy"):
            for line in indented(paragraph(getattr(one, name), room), span(f"   {words[name]}: ", "dim")):
                console.print(line)
        for piece in one.evidence:
            where = piece.path or (f"{words['at']} {piece.message}" if piece.message is not None else "")
            code = f"{piece.code} " if piece.code else ""
            for line in indented(
                paragraph(f"{code}{one_line(where)}: {piece.text}" if where else f"{code}{piece.text}", room), span("   · ", "yellow")
            ):
                console.print(line)
        console.print(Text(f"   {words['rules']}: {', '.join(one.rules)}", "dim"))
        console.print()
