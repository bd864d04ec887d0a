"""What all commands have in common: examples in their help, and options whose value may be left out."""

from collections.abc import Sequence
from typing import Any

import click


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """The section of a help that can be copied and run."""
    with formatter.section("Example" if len(examples) == 1 else "Examples"):
        for example in examples:
            formatter.write(f"  {example}\n")


class Command(click.Command):
    """A command with examples."""

    def __init__(self, *args: Any, examples: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        """Lines for a shell; `log.json` is a log."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The examples."""
        write_examples(formatter, self.examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """click's, except that a bare `--redact` does not take the next argument, which is a file, for its value."""
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [f"{a}=secrets" if a == "--redact" and i < end else a for i, a in enumerate(args)])


redact_option = click.option(
    "--redact",
    type=click.Choice(["secrets", "content"]),
    metavar="[=content]",
    help="Blank out secrets; with =content all text.",
)
