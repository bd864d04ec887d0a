"""What is to be linted and how: options of the command line over those of a configuration file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from holter.analysis.lint.catalogue import selected
from holter.analysis.lint.run import Linter

FAIL_ON = ("error", "warning", "info", "never")
_KEYS = frozenset({"target", "select", "ignore", "fail-on", "baseline", "window-tokens"})
_TEXTS = ("target", "fail-on", "baseline")


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """How to lint."""

    target: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Literal["error", "warning", "info", "never"] = "error"
    baseline: str | None = None
    window_tokens: int | None = None

    def linter(self) -> Linter:
        """The rules that are wished for. Raises UsageError for what there is not."""
        try:
            chosen = selected(self.select) if self.select else None
            return Linter(self.target, select=chosen, ignore=selected(self.ignore), window_tokens=self.window_tokens)
        except ValueError as error:
            raise click.UsageError(str(error)) from None


def configured(folder: str | None = None) -> dict[str, Any]:
    """The settings of `holter.toml`, or of `[tool.holter]` in `pyproject.toml`, in this folder or the nearest one above that has them."""
    at = Path(folder or os.getcwd())
    for place in (at, *at.parents):
        for name, table in (("holter.toml", ()), ("pyproject.toml", ("tool", "holter"))):
            found = _settings(place / name, table)
            if found is not None:
                return found
    return {}


def _settings(file: Path, table: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        record: Any = tomllib.loads(file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}") from None
    for key in table:
        record = record.get(key) if isinstance(record, dict) else None
    if not isinstance(record, dict):
        return None
    inner = record.get("lint")
    settings = inner if isinstance(inner, dict) else record
    odd = sorted(settings.keys() - _KEYS - {"lint"})
    if odd:
        raise click.UsageError(f"{file}: there is no setting {odd[0]!r}; there are {', '.join(sorted(_KEYS))}")
    for key, value in settings.items():
        if wanted := _wanted(key, value):
            raise click.UsageError(f"{file}: {key} is {wanted}, found {value!r}")
    return settings


def _wanted(key: str, value: Any) -> str | None:
    """What a setting has to be, where this value is something else."""
    if key in _TEXTS:
        return None if isinstance(value, str) else "a text"
    if key == "window-tokens":
        return None if isinstance(value, int) and not isinstance(value, bool) and value > 0 else "a whole number from 1 on"
    if key == "lint":
        return None
    texts = value if isinstance(value, list) else [value]
    return None if all(isinstance(code, str) for code in texts) else "codes, in a list or in one text with commas"


def wish_of(options: dict[str, Any]) -> Wish:
    """The command line's options, and for those that were not given the configuration's."""
    given = {key.replace("_", "-"): value for key, value in options.items() if value not in (None, ())}
    settings = {**configured(), **given}
    fail_on = settings.get("fail-on", "error")
    if fail_on not in FAIL_ON:
        raise click.UsageError(f"fail-on is {fail_on!r}; there are {', '.join(FAIL_ON)}")
    return Wish(
        target=settings.get("target"),
        select=_codes(settings.get("select")),
        ignore=_codes(settings.get("ignore")),
        fail_on=fail_on,
        baseline=settings.get("baseline"),
        window_tokens=settings.get("window-tokens"),
    )


def _codes(value: Any) -> tuple[str, ...]:
    """Codes as a list, or several in one text with commas."""
    pieces = [value] if isinstance(value, str) else list(value or ())
    return tuple(code.strip() for piece in pieces for code in str(piece).split(",") if code.strip())
