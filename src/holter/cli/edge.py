"""Where Holter meets the shell: arguments come in, an exit code goes out, and no error leaves as a traceback."""

import os
import sys
from collections.abc import Sequence

import click

from holter.cli.group import holter
from holter.cli.output import let_go, prepare_streams, writing
from holter.cli.say import say
from holter.errors import HolterError

USAGE = 2
"""Exit code for wrong usage and unreadable input."""


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command of these arguments (the process's own by default) and gives its exit code; without any, the help is shown."""
    if sys.stdout is None:
        say("standard output is closed")
        return USAGE
    prepare_streams()
    try:
        code = _run(list(sys.argv[1:] if args is None else args) or ["--help"])
        with writing():
            sys.stdout.flush()
        return code
    except click.UsageError as error:
        say(f"{error.format_message().rstrip('.')} (see {error.ctx.command_path if error.ctx else 'holter'} --help)")
    except click.ClickException as error:
        say(error.format_message())
    except BrokenPipeError:
        let_go()
        return 0
    except (KeyboardInterrupt, click.Abort):
        return 130
    except (HolterError, OSError) as error:
        say(str(error))
    except Exception as error:
        if os.environ.get("HOLTER_DEBUG"):
            raise
        say(f"{type(error).__name__}: {error}; this is a bug: set HOLTER_DEBUG=1 for the traceback")
    return USAGE


def _run(args: list[str]) -> int:
    """The code that the command returns, or leaves with."""
    try:
        with holter.make_context("holter", args) as context:
            code = holter.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    return code if isinstance(code, int) else 0
