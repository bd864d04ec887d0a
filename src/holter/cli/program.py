"""Programs named on the command line: a Python file or a module, and a name in it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import click

from holter.cli.fault import place, raised_at, said


class NotLoaded(click.ClickException):
    """A program that cannot be loaded; the text says what was looked for and what there is."""

    exit_code = 2


def load(spec: str) -> tuple[ModuleType, str | None]:
    """The module of `FILE.py[:name]` or `package.module[:name]`, and the name. The module's own code is run, as any import does; what it
    prints goes to standard error."""
    target, name = _split(spec)
    path = Path(target)
    try:
        with redirect_stdout(sys.stderr):
            module = _from_file(path) if target.endswith(".py") or path.is_file() else _from_path(target)
    except NotLoaded:
        raise
    except ModuleNotFoundError as error:
        raise NotLoaded(_missing(target, error.name)) from None
    except SyntaxError as error:
        raise NotLoaded(f"{place(error.filename, error.lineno) or target}: {error.msg}") from None
    except SystemExit as leaving:
        text = (
            f'{target} ended the process while it was loaded (exit code {leaving.code!r}); put what runs under `if __name__ == "__main__":`'
        )
        raise NotLoaded(text) from None
    except Exception as error:
        raise NotLoaded(f"{raised_at(error) or target}: {said(error)}") from error
    return module, name


def _split(spec: str) -> tuple[str, str | None]:
    head, colon, name = spec.rpartition(":")
    return (head, name) if colon and name.isidentifier() and len(head) > 1 else (spec, None)


def _missing(target: str, name: str | None) -> str:
    if name and (target == name or target.startswith(f"{name}.")):
        return f"there is no module {name!r} here, and no file of this name; name a file (tools.py) or a module that can be imported"
    return f"{target} needs the module {name!r}, which is not installed here"


def _from_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise NotLoaded(f"{path} is a folder; name a file in it")
    if not path.is_file():
        raise NotLoaded(f"{path}: there is no such file")
    package = _package(path)
    folder = path.resolve().parents[len(package)]
    sys.path.insert(0, str(folder))
    if package:
        return importlib.import_module(".".join([*package, path.stem]))
    name = path.stem if path.stem not in sys.modules and path.stem not in sys.stdlib_module_names else f"program_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise NotLoaded(f"{path} is no Python file; its name has to end in .py")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # where classes look their annotations up
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _package(path: Path) -> list[str]:
    """The packages that a file lies in, outermost first: its relative imports mean them."""
    names: list[str] = []
    folder = path.resolve().parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    return names


def _from_path(name: str) -> ModuleType:
    if name and Path(name).is_dir() and not Path(name, "__init__.py").is_file():
        raise NotLoaded(f"{name} is a folder; name a file in it")
    dotted = name.rstrip("/").removeprefix("./").replace("/", ".") if Path(name).is_dir() else name
    if not all(part.isidentifier() for part in dotted.split(".")):
        raise NotLoaded(f"{name!r} is neither a file nor the name of a module; name a file (tools.py) or a module (package.tools)")
    sys.path.insert(0, "")
    return importlib.import_module(dotted)
