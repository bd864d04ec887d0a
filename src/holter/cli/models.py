"""`holter models`: the providers that are known, and what one model can do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from holter.cli.command import Command
from holter.cli.say import say


@click.command(cls=Command, examples=["holter models", "holter models --json"])
@click.argument("action", required=False, metavar="[check", type=click.Choice(["check"]))
@click.argument("name", required=False, metavar="NAME]")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each provider, or for each capability.")
def command(action: str | None, name: str | None, as_json: bool) -> int:
    """The providers whose models Holter can ask, each with the environment variable of its key, and whether it is set.

    `holter models check NAME` asks the model NAME ("deepseek:deepseek-v4-flash") one tiny question for each capability and says what works:
    text, usage, streaming, tools, parallel tools. Exit code 1 says that something does not.
    """
    if action is None:
        _list(as_json)
        return 0
    if name is None:
        raise click.UsageError("check what? Name a model: holter models check deepseek:deepseek-v4-flash", click.get_current_context())
    return _check(name, as_json)


def _list(as_json: bool) -> None:
    rows = list(_rows())
    if as_json:
        _print_json(rows)
        return
    from holter.cli.output import text_console

    console = text_console()
    lines = [(row["example"], _key_text(row), row["title"]) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in (0, 1)]
    for model, key, title in lines:
        console.print(f"{model:{widths[0]}}  {key:{widths[1]}}  {title}", highlight=False)


def _rows() -> Iterator[dict[str, Any]]:
    from holter.models.loading import URL_KEY
    from holter.models.provider import PROVIDERS

    for provider in PROVIDERS.values():
        yield {
            "provider": provider.name,
            "title": provider.title,
            "example": f"{provider.name}:{provider.example}",
            "base_url": provider.base_url,
            "key_names": list(provider.key_names),
            "needs_key": provider.needs_key,
            "is_set": any(os.environ.get(name, "").strip() for name in provider.key_names),
        }
    yield _other("gguf:PATH", "a GGUF file, run in this process (pip install 'holter[local]')", "gguf", [])
    url = "http://127.0.0.1:8080/v1#model"
    yield _other(url, "any server that speaks OpenAI chat", "url", [URL_KEY]) | {"is_set": bool(os.environ.get(URL_KEY, "").strip())}


def _other(example: str, title: str, provider: str, key_names: list[str]) -> dict[str, Any]:
    return {
        "provider": provider,
        "title": title,
        "example": example,
        "base_url": None,
        "key_names": key_names,
        "needs_key": False,
        "is_set": False,
    }


def _key_text(row: dict[str, Any]) -> str:
    """The variable that counts, and whether it is set; a key's value is never looked at further than that."""
    if not row["key_names"]:
        return "no key"
    name = next((name for name in row["key_names"] if os.environ.get(name, "").strip()), row["key_names"][0])
    return f"{name} {'set' if row['is_set'] else 'not set' if row['needs_key'] else 'optional'}"


def _check(name: str, as_json: bool) -> int:
    from holter.cli.output import text_console
    from holter.models.capability import try_all
    from holter.models.loading import load

    try:
        model = load(name)
    except (ValueError, ImportError) as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    works = True
    console = text_console()
    for tried in try_all(model):
        works = works and tried.works
        if as_json:
            _print_json([{"model": name, "capability": tried.name, "works": tried.works, "text": tried.text}])
        else:
            console.print(f"{'works' if tried.works else 'fails'}  {tried.name:17}  {tried.text}", highlight=False)
    if not works:
        say("not everything works; the sentences above say why")
    return 0 if works else 1


def _print_json(rows: list[dict[str, Any]]) -> None:
    from holter.cli.output import write_bytes
    from holter.render.json import line

    for row in rows:
        write_bytes(line(row))
