"""Where a command's output goes: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

import click

from holter.cli.output import write_bytes, writing

Write: TypeAlias = Callable[[bytes], object]


@contextmanager
def destination(out: str | None) -> Iterator[Write]:
    """What writes to the file `out`, or to standard output for None and `-`. Raises ClickException where nothing can be written."""
    if out is None or out == "-":
        yield write_bytes
        return
    path = os.path.realpath(out)
    if os.path.isdir(path):
        raise click.ClickException(f"{out} is a directory; name a file in it")
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "wb", buffering=0) as device:
            yield device.write
        return
    with _replaced(path, out) as write:
        yield write


@contextmanager
def _replaced(path: str, name: str) -> Iterator[Write]:
    """Writes beside the file, and puts what was written in its place when all is there."""
    beside = f"{path}.{os.getpid()}.part"
    try:
        file = open(beside, "xb")  # noqa: SIM115 - closed below, before the file is put in its place
    except OSError as error:
        raise click.ClickException(f"{name} cannot be written: {(error.strerror or str(error)).lower()}") from None
    try:
        with file:
            yield file.write
            with writing(name):
                file.flush()
                os.fsync(file.fileno())
        with writing(name):
            if os.path.exists(path):
                os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
            os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
