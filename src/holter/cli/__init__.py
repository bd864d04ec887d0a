"""The command `holter`: one file per command. Nothing is computed here; commands read, ask the layers below, and print.

May import everything else. `holter --help` imports click and no command.
"""

from holter.cli.edge import main

__all__ = ["main"]
