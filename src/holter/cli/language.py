"""In which language a command answers."""

import os
from typing import cast

import click

from holter.analysis.explain.entry import LANGUAGES, Language

language_option = click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the explanation (that of the locale without it).")


def language_of(wanted: str | None) -> Language:
    """The language that was asked for; without one that of the locale."""
    if wanted is not None:
        return cast(Language, wanted)
    return "zh" if (os.environ.get("LC_ALL") or os.environ.get("LANG") or "").startswith("zh") else "en"
