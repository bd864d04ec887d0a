"""The commands there are; each is imported when it is called."""

import importlib
from typing import cast

import click

from holter.cli.command import write_examples

COMMANDS = {
    "show": "The timeline of each conversation in a log.",
    "explain": "What happened in a log, and what its fields mean.",
    "diff": "Where two logs part.",
    "query": "Questions about logs, in SQL.",
    "stats": "Messages, calls, errors, tokens, cost and times of logs.",
    "lint": "What is wrong in a log, and what to do about it.",
    "diagnose": "The likely causes of what went wrong in a log.",
    "fix": "A log with what can safely be put right put right.",
    "convert": "A log in another format.",
    "run": "Drives an agent or a graph, and shows its flow.",
    "chat": "Talks with an agent or a graph, turn by turn.",
    "resume": "Goes on with a thread that was stopped.",
    "fork": "A thread that begins as another one did.",
    "watch": "A thread while somebody else drives it.",
    "graph": "An agent or a graph as a drawing.",
    "threads": "The threads of a journal: listed, searched, cleared up, moved.",
    "tools": "The tools of a program as a model will see them.",
    "models": "The models that can be asked, and what one can do.",
}
"""Name (of the command and of its module) -> what it gives, in one line; in the order of the help."""


class Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command, imported now; None when there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        return cast(click.Command, importlib.import_module(f"holter.cli.{cmd_name}").command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """click's, but with an error that names the commands."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}; there are {', '.join(COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The table above."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """An example."""
        write_examples(formatter, ["holter show log.json"])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001 - click's signature
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"holter {version('holter')}")
    except PackageNotFoundError:
        click.echo("holter, not installed: run from its source")
    ctx.exit()


@click.group(cls=Commands, name="holter", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="The version.")
def holter() -> None:
    """Runs AI agents, and reads their message logs, whichever framework wrote them: LangChain, LangGraph, OpenAI, Anthropic, Gemini, …

    Positions count from 0. Exit codes: 0 fine, 1 something in the log is damaged or a run did not come to its end, 2 wrong usage or
    unreadable input.
    """
