"""`holter stats`: numbers of logs."""

from __future__ import annotations

from typing import get_args

import click

from holter.analysis.stats import Grouping, Groups, Tally
from holter.cli.command import Command
from holter.cli.gathering import Gathering
from holter.cli.journal import journal_option
from holter.cli.output import text_console, width, write_bytes, writing
from holter.cli.say import say
from holter.models.cost import check_prices
from holter.render import json


@click.command(
    cls=Command,
    examples=[
        "holter stats log.json",
        "holter stats log.json --by tool",
        "holter stats . --by model --json",
        "holter stats trip",
        "holter stats - < log.json",
    ],
)
@click.argument("names", nargs=-1, metavar="[LOG|FOLDER|THREAD]...")
@click.option("--by", type=click.Choice(get_args(Grouping)), help="Apart for each tool, model, day (UTC) or thread.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@journal_option
def command(names: tuple[str, ...], by: Grouping | None, as_json: bool, journal: str | None) -> int:
    """Messages, calls, errors, tokens, cost and times of LOG..., logs in any format, of all logs in FOLDER, or of threads; `-` is standard
    input. A journal's file stands for all its threads; so does nothing at all.

    A snapshot that begins like an earlier conversation of its file is counted from where it goes on. Cost needs the extra `tokens`.
    """
    gathering = Gathering(names, journal)
    priced = _has_prices()
    tally, groups = Tally(priced=priced), Groups(by, priced=priced) if by else None
    for conversation in gathering.conversations():
        if groups is not None:
            groups.add(conversation)
        else:
            tally.add(conversation)
    with writing():
        if as_json:
            _print_json(tally, groups, by)
        elif gathering.sources or tally.conversations:
            _print_text(tally, groups, by, priced)
    return 2 if gathering.unread or not gathering.sources else 0


def _has_prices() -> bool:
    try:
        check_prices()
    except ImportError:
        return False
    return True


def _print_json(tally: Tally, groups: Groups | None, by: Grouping | None) -> None:
    from holter.render.statistics_json import tally_json, tool_json

    if groups is None:
        write_bytes(json.pages(tally_json(tally)))
    elif by == "tool":
        tools = {name: tool_json(tool) for each in groups.groups.values() for name, tool in each.tools.items()}
        write_bytes(json.pages({"by": by, "groups": tools}))
    else:
        write_bytes(json.pages({"by": by, "groups": {name: tally_json(each) for name, each in groups.groups.items()}}))


def _print_text(tally: Tally, groups: Groups | None, by: Grouping | None, priced: bool) -> None:
    from holter.render.statistics import grouped, statistics
    from holter.render.view import View

    console, view = text_console(), View(width=width())
    pieces = statistics(tally, view) if groups is None else grouped(groups.groups, by or "", view)
    for piece in pieces:
        console.print(piece)
    if not priced and tally.total_tokens:
        say('cost is left out: it needs the price list, pip install "holter[tokens]"')
